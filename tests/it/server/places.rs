//! The socket and its lock in the file system (S9.1).

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use shtask::server::{Place, PlaceError, Privacy, lock_path};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let socket = dir.path().join("shtask/server.sock");
    (dir, socket)
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("it is there").permissions().mode() & 0o7777
}

fn untrusted(socket: &Path, privacy: Privacy) -> String {
    match Place::claim(socket, privacy).and_then(|mut place| place.listen().map(drop)) {
        Err(PlaceError::Untrusted { why, .. }) => why,
        other => panic!("taken: {other:?}"),
    }
}

/// S9.1.
#[test]
fn folder_socket_and_lock_are_private_whatever_the_umask() {
    let (_dir, socket) = folder();
    let mut place = Place::claim(&socket, Privacy::Own).expect("a place");
    let listener = place.listen().expect("a socket");
    let modes = [socket.parent().expect("a folder"), &socket, &lock_path(&socket)].map(mode);
    assert_eq!(modes, [0o700, 0o600, 0o600]);
    UnixStream::connect(&socket).expect("somebody listens");
    drop((place, listener));
    assert!(!socket.exists(), "who leaves in order leaves no socket");
}

/// S9.1.
#[test]
fn an_own_folder_that_is_open_to_others_is_closed() {
    let (dir, socket) = folder();
    let path = dir.path().join("shtask");
    std::fs::create_dir(&path).expect("a folder");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).expect("opened");
    Place::claim(&socket, Privacy::Own).expect("a place");
    assert_eq!(mode(&path), 0o700);
}

/// S11.5: one server a user.
#[test]
fn a_second_server_is_refused_as_long_as_the_first_lives() {
    let (_dir, socket) = folder();
    let mut first = Place::claim(&socket, Privacy::Own).expect("a place");
    let listener = first.listen().expect("a socket");
    let inode = socket.metadata().expect("a socket").ino();
    assert!(matches!(Place::claim(&socket, Privacy::Own), Err(PlaceError::InUse { .. })));
    assert_eq!(socket.metadata().expect("a socket").ino(), inode, "the second touches nothing");
    drop((first, listener));
    Place::claim(&socket, Privacy::Own).expect("a place");
}

/// S11.5: a server that was killed leaves its socket behind.
#[test]
fn a_stale_socket_is_replaced() {
    let (_dir, socket) = folder();
    std::fs::create_dir(socket.parent().expect("a folder")).expect("a folder");
    drop(UnixListener::bind(&socket).expect("a socket"));
    UnixStream::connect(&socket).expect_err("nobody listens");
    let mut place = Place::claim(&socket, Privacy::Own).expect("a place");
    let _listener = place.listen().expect("a socket");
    UnixStream::connect(&socket).expect("somebody listens");
}

/// S9.1: no link is followed, nothing else is replaced.
#[test]
fn links_and_files_in_the_way_are_refused_and_left_alone() {
    let (dir, socket) = folder();
    let path = dir.path().join("shtask");
    let elsewhere = dir.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a folder");
    symlink(&elsewhere, &path).expect("a link");
    assert!(untrusted(&socket, Privacy::Own).contains("link"));
    std::fs::remove_file(&path).expect("removed");
    std::fs::create_dir(&path).expect("a folder");

    symlink(elsewhere.join("lock"), lock_path(&socket)).expect("a link");
    assert!(untrusted(&socket, Privacy::Own).contains("link"));
    assert!(!elsewhere.join("lock").exists(), "nothing was made at its other end");
    std::fs::remove_file(lock_path(&socket)).expect("removed");

    symlink(elsewhere.join("socket"), &socket).expect("a link");
    assert!(untrusted(&socket, Privacy::Own).contains("no socket"));
    std::fs::remove_file(&socket).expect("removed");
    std::fs::write(&socket, "precious").expect("a file");
    assert!(untrusted(&socket, Privacy::Own).contains("no socket"));
    assert_eq!(std::fs::read_to_string(&socket).expect("a file"), "precious");
}

/// S9.1: a place of the user's own choice is not changed, but must be safe.
#[test]
fn a_chosen_folder_is_left_as_it_is_and_refused_where_others_can_put_something_in_the_way() {
    let (dir, socket) = folder();
    let path = dir.path().join("shtask");
    std::fs::create_dir(&path).expect("a folder");
    let set = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
    for fine in [0o755, 0o1777] {
        set(fine);
        Place::claim(&socket, Privacy::Chosen).expect("a place");
        assert_eq!(mode(&path), fine);
    }
    set(0o777);
    assert!(untrusted(&socket, Privacy::Chosen).contains("others"));
}

/// S9.1: what belongs to somebody else is not taken (only root can try).
#[test]
fn what_belongs_to_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("left out: only root can give a folder away");
        return;
    }
    let (dir, socket) = folder();
    let path = dir.path().join("shtask");
    std::fs::create_dir(&path).expect("a folder");
    std::os::unix::fs::chown(&path, Some(65534), None).expect("given away");
    for privacy in [Privacy::Own, Privacy::Chosen] {
        let why = untrusted(&socket, privacy);
        assert!(why.contains("65534") || why.contains("others"), "{why}");
    }
    std::os::unix::fs::chown(&path, Some(0), None).expect("taken back");
    std::fs::write(lock_path(&socket), "").expect("a file");
    std::os::unix::fs::chown(lock_path(&socket), Some(65534), None).expect("given away");
    assert!(untrusted(&socket, Privacy::Own).contains("65534"));
}

/// Issue 4: whatever is taken away is made anew.
#[test]
fn a_place_that_was_taken_away_is_noticed_and_made_anew() {
    let (_dir, socket) = folder();
    let folder = socket.parent().expect("a folder").to_owned();
    let mut place = Place::claim(&socket, Privacy::Own).expect("a place");
    let mut listener = place.listen().expect("a socket");
    let takes: [&dyn Fn(); 4] = [
        &|| std::fs::remove_file(&socket).expect("removed"),
        &|| std::fs::remove_file(lock_path(&socket)).expect("removed"),
        &|| std::fs::remove_dir_all(&folder).expect("removed"),
        &|| std::fs::rename(&folder, folder.with_extension("away")).expect("renamed"),
    ];
    for take in takes {
        assert!(place.is_intact());
        take();
        assert!(!place.is_intact());
        listener = place.restore().expect("made anew");
        UnixStream::connect(&socket).expect("somebody listens");
        assert!(matches!(Place::claim(&socket, Privacy::Own), Err(PlaceError::InUse { .. })), "the lock is held");
    }
    drop(listener);
}

//! The socket and its lock in the file system (S9.1).

use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use shtask::server::{Patience, Place, PlaceError, Privacy, lock_path};
use tempfile::TempDir;

use super::served::{Served, supervise};

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

/// S9.1: a folder that somebody has named and that is not there is more likely a slip.
#[test]
fn a_chosen_folder_that_is_missing_is_refused_and_not_made_until_it_was_there() {
    let (_dir, socket) = folder();
    let path = socket.parent().expect("a folder");
    let refused = Place::claim(&socket, Privacy::Chosen).expect_err("no folder");
    assert!(matches!(&refused, PlaceError::NoFolder { path: named } if named == path), "{refused:?}");
    assert!(!path.exists());
    std::fs::create_dir(path).expect("a folder");
    let mut place = Place::claim(&socket, Privacy::Chosen).expect("a place");
    let _listener = place.listen().expect("a socket");
    std::fs::remove_dir_all(path).expect("removed");
    let _listener = place.restore().expect("what is taken away from a server is made anew");
    UnixStream::connect(&socket).expect("somebody listens");
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

/// What is in the way of the socket does not cost the lock.
#[test]
fn a_place_that_cannot_be_restored_keeps_its_lock_and_is_restored_later() {
    let (_dir, socket) = folder();
    let mut place = Place::claim(&socket, Privacy::Own).expect("a place");
    drop(place.listen().expect("a socket"));
    std::fs::remove_dir_all(socket.parent().expect("a folder")).expect("removed");
    std::fs::create_dir_all(&socket).expect("something in the way");
    assert!(matches!(place.restore(), Err(PlaceError::Untrusted { .. })));
    assert!(!place.is_intact());
    assert!(matches!(Place::claim(&socket, Privacy::Own), Err(PlaceError::InUse { .. })), "the lock is held");
    std::fs::remove_dir(&socket).expect("removed");
    let _listener = place.restore().expect("made anew");
    UnixStream::connect(&socket).expect("somebody listens");
}

/// What a thread has logged.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<Vec<u8>>>);

impl Write for Logged {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Logged {
    fn count(&self, what: &str) -> usize {
        String::from_utf8_lossy(&self.0.lock().expect("no panic")).matches(what).count()
    }
}

/// As /run/user/UID after a logout: the log of the server does not grow without bound.
#[test]
fn a_socket_that_cannot_be_made_anew_is_told_once_and_tried_again() {
    let (_dir, socket) = folder();
    let path = socket.parent().expect("a folder");
    let logged = Logged::default();
    let writer = logged.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    // All on this thread: the server does nothing while this does not wait.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let served = Served::at(&socket, supervise(), Patience::default());
        let comes = async |what: &str, come: &dyn Fn() -> bool| {
            let end = Instant::now() + Duration::from_secs(20);
            while !come() {
                assert!(Instant::now() < end, "{what} does not come");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        // It watches the folder by then.
        tokio::net::UnixStream::connect(&socket).await.expect("somebody listens");
        std::fs::remove_dir_all(path).expect("removed");
        std::fs::write(path, "in the way").expect("a file");
        comes("the third attempt", &|| logged.count("be made anew") >= 3).await;
        assert_eq!(logged.count("ERROR"), 1);
        std::fs::remove_file(path).expect("removed");
        comes("the socket", &|| UnixStream::connect(&socket).is_ok()).await;
        drop(served);
    });
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

//! Which sockets processes listen on: a port belongs to a process that holds its socket's inode (S10.5).

use std::collections::HashMap;
use std::io;

use rustix::fs::{CWD, Dir, Mode, OFlags};

use super::proc::read_all;

/// The most bytes of one list of sockets: about fifty thousand sockets.
const MAX_LIST_BYTES: usize = 8 << 20;

/// The most descriptors of one process that are looked at.
const MAX_DESCRIPTORS: usize = 4096;

/// A socket that waits for others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listening {
    /// `tcp`, `tcp6`, `udp`, `udp6` or `unix`.
    pub protocol: &'static str,
    /// Address and port, or the path; an abstract name begins with `@`.
    pub address: String,
    /// A process that holds it.
    pub pid: i32,
}

/// Returns the listening sockets that these processes hold, sorted. Processes that have ended or may not be looked into are left out.
#[must_use]
pub fn listening(pids: &[i32]) -> Vec<Listening> {
    let held: Vec<(u64, i32)> = pids.iter().flat_map(|pid| held_by(*pid).unwrap_or_default()).collect();
    // The processes of a tree may live in different network namespaces: one list of each is read.
    let mut lists: HashMap<String, HashMap<u64, (&'static str, String)>> = HashMap::new();
    let mut namespaces: HashMap<i32, String> = HashMap::new();
    let mut found = Vec::new();
    for (inode, pid) in held {
        let namespace = namespaces.entry(pid).or_insert_with(|| namespace_of(pid));
        let list = lists.entry(namespace.clone()).or_insert_with(|| sockets_seen_by(pid));
        if let Some((protocol, address)) = list.get(&inode) {
            found.push(Listening { protocol, address: address.clone(), pid });
        }
    }
    found.sort();
    // A server's children hold its socket, too: it is told once.
    found.dedup_by(|other, one| (other.protocol, &other.address) == (one.protocol, &one.address));
    found
}

fn namespace_of(pid: i32) -> String {
    read_link(&format!("/proc/{pid}/ns/net")).unwrap_or_default()
}

fn read_link(path: &str) -> Option<String> {
    rustix::fs::readlink(path, Vec::new()).ok()?.into_string().ok()
}

/// The inodes of the sockets that a process holds.
fn held_by(pid: i32) -> io::Result<Vec<(u64, i32)>> {
    let folder = rustix::fs::openat(
        CWD,
        format!("/proc/{pid}/fd"),
        OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY,
        Mode::empty(),
    )?;
    let mut inodes = Vec::new();
    for entry in Dir::read_from(&folder)?.take(MAX_DESCRIPTORS) {
        let entry = entry?;
        let Ok(target) = rustix::fs::readlinkat(&folder, entry.file_name(), Vec::new()) else { continue };
        let inode =
            target.to_str().ok().and_then(|text| text.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok());
        inodes.extend(inode.map(|inode: u64| (inode, pid)));
    }
    Ok(inodes)
}

/// The listening sockets of a process's network, by inode.
fn sockets_seen_by(pid: i32) -> HashMap<u64, (&'static str, String)> {
    let mut sockets = HashMap::new();
    for protocol in ["tcp", "tcp6", "udp", "udp6"] {
        let list = read_all(&format!("/proc/{pid}/net/{protocol}"), MAX_LIST_BYTES).unwrap_or_default();
        let lines = list.split(|byte| *byte == b'\n').skip(1).filter_map(|line| std::str::from_utf8(line).ok());
        sockets.extend(lines.filter_map(|line| internet(protocol, line)).map(|(inode, at)| (inode, (protocol, at))));
    }
    let list = read_all(&format!("/proc/{pid}/net/unix"), MAX_LIST_BYTES).unwrap_or_default();
    for line in String::from_utf8_lossy(&list).lines().skip(1) {
        sockets.extend(unix(line).map(|(inode, path)| (inode, ("unix", path))));
    }
    sockets
}

/// Reads a line of `tcp`, `udp` and the like: inode and address of one that listens.
fn internet(protocol: &str, line: &str) -> Option<(u64, String)> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (local, remote, state) = (fields.get(1)?, fields.get(2)?, fields.get(3)?);
    // UDP has no state of its own for it: one that is connected to nobody takes from everybody.
    let listens = match protocol {
        "tcp" | "tcp6" => *state == LISTEN,
        _ => remote.ends_with(":0000"),
    };
    let (address, port) = local.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let words: Vec<u32> = (0..address.len() / 8)
        .map(|word| u32::from_str_radix(address.get(word * 8..word * 8 + 8)?, 16).ok())
        // Each word is printed as a number of this machine.
        .map(|word| word.map(|word| u32::from_be_bytes(word.to_ne_bytes())))
        .collect::<Option<_>>()?;
    let address = match words.as_slice() {
        [word] => std::net::Ipv4Addr::from(*word).to_string(),
        [a, b, c, d] => {
            let bits = [*a, *b, *c, *d].iter().fold(0_u128, |bits, word| (bits << 32) | u128::from(*word));
            format!("[{}]", std::net::Ipv6Addr::from(bits))
        }
        _ => return None,
    };
    listens.then(|| Some((fields.get(9)?.parse().ok()?, format!("{address}:{port}"))))?
}

/// Reads a line of `unix`: inode and path of one that listens.
fn unix(line: &str) -> Option<(u64, String)> {
    const ACCEPTS: u32 = 1 << 16;
    let mut fields = line.split_whitespace();
    let flags = u32::from_str_radix(fields.nth(3)?, 16).ok()?;
    let inode = fields.nth(2)?.parse().ok()?;
    let path = fields.collect::<Vec<_>>().join(" ");
    (flags & ACCEPTS != 0).then(|| (inode, if path.is_empty() { "(no path)".to_owned() } else { path }))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, UdpSocket};
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_port_belongs_to_the_process_that_holds_its_socket() {
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("socket");
        let _unix = UnixListener::bind(&path).expect("a socket");
        let own = i32::try_from(std::process::id()).expect("a pid");
        let found = listening(&[own]);
        let has = |protocol: &str, address: &str| {
            found.iter().any(|one| one.protocol == protocol && one.address == address && one.pid == own)
        };
        assert!(has("tcp", &tcp.local_addr().expect("an address").to_string()), "{found:?}");
        assert!(has("udp", &udp.local_addr().expect("an address").to_string()), "{found:?}");
        assert!(has("unix", &path.to_string_lossy()), "{found:?}");
        assert!(listening(&[1]).iter().all(|one| one.pid == 1), "not those of others");
    }

    #[test]
    fn lines_of_the_kernel_are_read_and_those_that_do_not_listen_left_out() {
        let listens = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0";
        assert_eq!(internet("tcp", listens), Some((4711, "127.0.0.1:8080".into())));
        assert_eq!(internet("tcp", &listens.replace(" 0A ", " 01 ")), None);
        let six = "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0  0        0 5 1 0";
        assert_eq!(internet("tcp6", six), Some((5, "[::1]:80".into())));
        assert_eq!(unix("0000: 00000002 00000000 00010000 0001 01 77 /run/a b"), Some((77, "/run/a b".into())));
        assert_eq!(unix("0000: 00000003 00000000 00000000 0001 03 78 /run/x"), None);
        assert_eq!(internet("tcp", "garbage"), None);
    }
}

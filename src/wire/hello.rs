//! The first message each way: who speaks which version.
//!
//! A major version other than one's own is refused by name; of another minor version, fields and messages that are not known are passed over.
//! The form of these messages never changes.

use serde::{Deserialize, Serialize};

use super::WireError;
use crate::model::{ErrorCode, Failure, SessionName, Typist};

/// The word by which the protocol is recognised.
const PROTOCOL: &str = "shtask";

/// A version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Grows when the two sides of different versions cannot understand each other.
    pub major: u32,
    /// Grows when something is added.
    pub minor: u32,
}

/// The version that this program speaks.
pub const VERSION: Version = Version { major: 1, minor: 4 };

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// What a client says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// `shtask`.
    protocol: String,
    /// The version of the protocol.
    #[serde(flatten)]
    pub version: Version,
    /// The version of the program, for people.
    #[serde(default)]
    pub program: String,
    /// The session whose runs the connection is about.
    pub session: SessionName,
    /// Who it is, for whom it holds a keyboard from (S4.4).
    #[serde(default)]
    pub typist: Typist,
}

/// What a server says first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// `shtask`.
    protocol: String,
    /// The version of the protocol.
    #[serde(flatten)]
    pub version: Version,
    /// The version of the program, for people.
    #[serde(default)]
    pub program: String,
    /// The server's process id.
    #[serde(default)]
    pub pid: i32,
    /// Why the server does not serve this client; it closes the connection then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Failure>,
}

/// What is known of a hello or welcome of any version.
#[derive(Deserialize)]
struct AnyVersion {
    protocol: String,
    major: u32,
    #[serde(default)]
    minor: u32,
    #[serde(default)]
    program: String,
}

/// Why a first message is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no first message at all.
    #[error(transparent)]
    Broken(#[from] WireError),
    /// It is of another major version.
    #[error("{who} speaks version {theirs} of the protocol (shtask {program}), and this one version {ours} (shtask {own})", ours = VERSION, own = env!("CARGO_PKG_VERSION"))]
    Version {
        /// `the server` or `the client`.
        who: &'static str,
        /// Its version.
        theirs: Version,
        /// The version of its program.
        program: String,
    },
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Failure {
        match refusal {
            Refusal::Broken(error) => error.into(),
            Refusal::Version { .. } => Failure::new(ErrorCode::Unsupported, refusal.to_string())
                .with_hint("use the same version of shtask for both: `shtask server upgrade` with the newer one"),
        }
    }
}

impl Hello {
    /// Makes the hello of this program.
    pub fn new(session: SessionName, typist: Typist) -> Hello {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Hello { protocol: PROTOCOL.to_owned(), version: VERSION, program, session, typist }
    }

    /// Reads a client's first message.
    ///
    /// # Errors
    /// [`Refusal`] with the version of a client that speaks another one.
    pub fn read(head: &[u8]) -> Result<Hello, Refusal> {
        check(head, "the client")?;
        serde_json::from_slice(head).map_err(|error| Refusal::Broken(error.into()))
    }
}

impl Welcome {
    /// Makes the welcome of this program.
    pub fn new(pid: i32, refused: Option<Failure>) -> Welcome {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Welcome { protocol: PROTOCOL.to_owned(), version: VERSION, program, pid, refused }
    }

    /// Reads a server's first message.
    ///
    /// # Errors
    /// [`Refusal`] with the version of a server that speaks another one.
    pub fn read(head: &[u8]) -> Result<Welcome, Refusal> {
        check(head, "the server")?;
        serde_json::from_slice(head).map_err(|error| Refusal::Broken(error.into()))
    }
}

fn check(head: &[u8], who: &'static str) -> Result<(), Refusal> {
    let first: AnyVersion = serde_json::from_slice(head).map_err(|_| Refusal::Broken(WireError::NoHello))?;
    if first.protocol != PROTOCOL {
        return Err(Refusal::Broken(WireError::NoHello));
    }
    if first.major != VERSION.major {
        let theirs = Version { major: first.major, minor: first.minor };
        return Err(Refusal::Version { who, theirs, program: first.program });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_minor_version_is_taken_and_what_it_adds_is_passed_over() {
        let head = br#"{"protocol":"shtask","major":1,"minor":99,"program":"9","session":"s","more":{"x":[1]}}"#;
        let hello = Hello::read(head).expect("taken");
        assert_eq!((hello.version.minor, hello.session.as_str()), (99, "s"));
        let head = br#"{"protocol":"shtask","major":1,"minor":99,"more":1}"#;
        assert_eq!(Welcome::read(head).expect("taken").refused, None);
    }

    #[test]
    fn another_major_version_is_refused_with_both_versions() {
        let head = br#"{"protocol":"shtask","major":2,"minor":3,"program":"7.1.0","anything":"else"}"#;
        for refusal in [Hello::read(head).expect_err("refused"), Welcome::read(head).expect_err("refused")] {
            let failure = Failure::from(refusal);
            assert_eq!(failure.code, ErrorCode::Unsupported);
            for word in ["2.3", "7.1.0", &VERSION.to_string(), env!("CARGO_PKG_VERSION")] {
                assert!(failure.message.contains(word), "{word}: {failure}");
            }
            assert!(failure.hint.is_some());
        }
    }

    #[test]
    fn what_is_no_hello_is_refused() {
        for head in [&b""[..], b"{}", b"[1]", b"GET /", br#"{"protocol":"ssh","major":1}"#] {
            assert_eq!(Hello::read(head), Err(Refusal::Broken(WireError::NoHello)));
        }
    }
}

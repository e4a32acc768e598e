//! Opening the database: what is sound is used, what is damaged is set aside, what is unknown is left alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::OFlags;

use super::folder::{private_file, set_aside};
use super::{OpenError, StateFolder, schema};

const DATABASE: &str = "records.db";

/// Says, by being there, that the database was found damaged while it was in use.
const DAMAGED: &str = "records.damaged";

/// A database larger than that is not looked through after a crash: it would hold the start up, and damage is met when it is read.
const MAX_CHECKED_BYTES: u64 = 32 * 1024 * 1024;

/// How long a reader that happens to be in the way is waited for.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// After how many pages (of 4 KiB) of the write-ahead log it is written back: small, so that a small disk holds it too.
const CHECKPOINT_PAGES: i64 = 256;

/// How many statements stay prepared.
const STATEMENTS: usize = 32;

/// Why a database is not used as it is.
enum Unfit {
    Damaged(String),
    Refused(OpenError),
}

/// Returns the path of the database.
pub(super) fn path(folder: &StateFolder) -> PathBuf {
    folder.path().join(DATABASE)
}

/// Notes that the database is damaged: the next start sets it aside.
pub(super) fn note_damage(database: &Path) {
    if let Err(error) = private_file(&database.with_file_name(DAMAGED), OFlags::WRONLY | OFlags::CREATE) {
        tracing::error!(%error, "damage of the records could not be noted");
    }
}

/// Returns whether an error says that the database is damaged.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Opens the database for writing. A damaged one is set aside with a message, and a new one begun.
pub(super) fn open(folder: &StateFolder, notices: &mut Vec<String>) -> Result<Connection, OpenError> {
    let path = path(folder);
    let note = path.with_file_name(DAMAGED);
    let opened = if note.exists() {
        Err(Unfit::Damaged("damage was found while it was in use".to_owned()))
    } else {
        open_sound(&path, !folder.was_left_in_order())
    };
    match opened {
        Ok(connection) => Ok(connection),
        Err(Unfit::Refused(error)) => Err(error),
        Err(Unfit::Damaged(what)) => {
            let failed = |source| OpenError::File { path: path.clone(), source };
            let aside = set_aside(&path).map_err(failed)?;
            for end in ["-wal", "-shm"] {
                let mut beside = path.clone().into_os_string();
                beside.push(end);
                // What was not there needs no renaming, and without its database it means nothing.
                let _ = set_aside(Path::new(&beside));
            }
            // Gone before, or made again by the next damage.
            let _ = std::fs::remove_file(&note);
            notices.push(format!(
                "the records in {} were damaged ({what}) and are kept as {}; new ones were begun",
                path.display(),
                aside.display()
            ));
            open_sound(&path, false).map_err(|unfit| match unfit {
                Unfit::Refused(error) => error,
                Unfit::Damaged(what) => OpenError::Database { path: path.clone(), what },
            })
        }
    }
}

fn open_sound(path: &Path, look_through: bool) -> Result<Connection, Unfit> {
    // Made here, so that it is private from the first moment on; SQLite gives its other files the same rights.
    let file = private_file(path, OFlags::RDWR | OFlags::CREATE).map_err(Unfit::Refused)?;
    let bytes = file.metadata().map_or(u64::MAX, |facts| facts.len());
    drop(file);
    let unfit = |error: rusqlite::Error| {
        if is_damage(&error) {
            Unfit::Damaged(error.to_string())
        } else {
            Unfit::Refused(OpenError::Database { path: path.to_owned(), what: error.to_string() })
        }
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(unfit)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(unfit)?;
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(unfit);
    let (version, application) = (number("user_version")?, number("application_id")?);
    let is_new = version == 0 && application == 0 && number("schema_version")? == 0;
    if !is_new && (application != schema::APPLICATION_ID || !(1..=schema::VERSION).contains(&version)) {
        let path = path.to_owned();
        return Err(Unfit::Refused(OpenError::UnknownSchema { path, found: version, known: schema::VERSION }));
    }
    let set = |connection: &Connection| {
        connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        connection.pragma_update(None, "journal_size_limit", CHECKPOINT_PAGES * 4096)
    };
    set(&connection).map_err(unfit)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    if look_through && bytes <= MAX_CHECKED_BYTES {
        let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(unfit)?;
        if found != "ok" {
            return Err(Unfit::Damaged(found));
        }
    }
    if version < schema::VERSION {
        schema::migrate(&mut connection).map_err(unfit)?;
    }
    Ok(connection)
}

/// Opens the database for reading beside the writer.
pub(super) fn open_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(connection)
}

//! The shape of the database, in numbered steps.

use rusqlite::{Connection, Transaction};

/// Marks the file as ours (`PRAGMA application_id`): "shtk".
pub(super) const APPLICATION_ID: i64 = 0x7368_746b;

/// The steps from an empty file to the present shape. A step that was released never changes: a new one follows it.
const STEPS: [&str; 4] = [STEP_1, STEP_2, STEP_3, STEP_4];

/// The newest version that is known.
pub(super) const VERSION: i64 = STEPS.len() as i64;

/// The transitions of S2.1 and the implications of S2.2 once more, below all code: a record that breaks them is never on disk.
const STEP_1: &str = r"
CREATE TABLE runs (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT NOT NULL UNIQUE,
    session      TEXT NOT NULL,
    name         TEXT,
    generation   INTEGER NOT NULL,
    status       TEXT NOT NULL,
    revision     INTEGER NOT NULL,
    exit_code    INTEGER,
    failure      TEXT,
    created_at   INTEGER NOT NULL,
    completed_at INTEGER,
    observed_at  INTEGER,
    record       TEXT NOT NULL CHECK (json_valid(record)),
    CHECK (CASE status
        WHEN 'queued' THEN exit_code IS NULL AND completed_at IS NULL
        WHEN 'starting' THEN exit_code IS NULL AND completed_at IS NULL
        WHEN 'running' THEN exit_code IS NULL AND completed_at IS NULL
        WHEN 'completed' THEN exit_code IS 0 AND completed_at IS NOT NULL
        WHEN 'failed' THEN exit_code IS NOT 0 AND (exit_code IS NOT NULL OR failure IS NOT NULL) AND completed_at IS NOT NULL
        WHEN 'timed_out' THEN exit_code IS 124 AND completed_at IS NOT NULL
        WHEN 'cancelled' THEN exit_code IS 130 AND completed_at IS NOT NULL
        WHEN 'orphaned' THEN exit_code IS NULL AND failure IS NOT NULL AND completed_at IS NOT NULL
        ELSE 0 END)
);
CREATE INDEX runs_by_session ON runs (session, seq);
CREATE INDEX runs_by_name ON runs (session, name, generation) WHERE name IS NOT NULL;
CREATE INDEX runs_active ON runs (seq) WHERE completed_at IS NULL;
CREATE INDEX runs_by_end ON runs (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX runs_in_need ON runs (session, coalesce(completed_at, created_at)) WHERE observed_at IS NULL;

CREATE TABLE outputs (
    run    TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    output TEXT NOT NULL CHECK (json_valid(output))
);

CREATE TABLE generations (
    session    TEXT NOT NULL,
    name       TEXT NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (session, name)
) WITHOUT ROWID;

CREATE TRIGGER runs_begin BEFORE INSERT ON runs
WHEN NEW.status NOT IN ('queued', 'starting') OR NEW.revision <> 1
BEGIN SELECT raise(ABORT, 'a record begins as queued or starting, with revision 1'); END;

CREATE TRIGGER runs_count AFTER INSERT ON runs WHEN NEW.name IS NOT NULL
BEGIN
    INSERT INTO generations VALUES (NEW.session, NEW.name, NEW.generation)
    ON CONFLICT DO UPDATE SET generation = max(generation, excluded.generation);
END;

CREATE TRIGGER runs_change BEFORE UPDATE ON runs
WHEN NEW.revision <> OLD.revision + 1 OR NEW.id <> OLD.id OR NEW.session <> OLD.session OR NEW.seq <> OLD.seq
    OR NOT (
        (OLD.status, NEW.status) IN (VALUES
            ('queued', 'queued'), ('queued', 'starting'), ('queued', 'cancelled'), ('queued', 'failed'),
            ('starting', 'starting'), ('starting', 'running'), ('starting', 'failed'), ('starting', 'orphaned'),
            ('running', 'running'), ('running', 'completed'), ('running', 'failed'), ('running', 'timed_out'),
            ('running', 'cancelled'), ('running', 'orphaned'))
        OR (OLD.completed_at IS NOT NULL AND OLD.status = NEW.status AND OLD.observed_at IS NULL AND NEW.observed_at IS NOT NULL
            AND json_remove(OLD.record, '$.revision', '$.updated_at', '$.observed_at')
                = json_remove(NEW.record, '$.revision', '$.updated_at', '$.observed_at')))
BEGIN SELECT raise(ABORT, 'the record may not change so'); END;

CREATE TRIGGER runs_end BEFORE DELETE ON runs WHEN OLD.completed_at IS NULL
BEGIN SELECT raise(ABORT, 'the record of a live run is not deleted'); END;

CREATE TRIGGER outputs_change BEFORE UPDATE ON outputs
WHEN (SELECT completed_at FROM runs WHERE id = OLD.run) IS NOT NULL
BEGIN SELECT raise(ABORT, 'the output of a final record does not change'); END;
";

/// Sessions that are closed, are being closed, or have a fence.
const STEP_2: &str = r"
CREATE TABLE sessions (
    session TEXT PRIMARY KEY,
    state   TEXT NOT NULL CHECK (json_valid(state))
) WITHOUT ROWID;
";

/// A live run may get another name, as the next generation of it.
const STEP_3: &str = r"
CREATE TRIGGER runs_rename AFTER UPDATE OF name, generation ON runs
WHEN NEW.name IS NOT NULL AND (NEW.name IS NOT OLD.name OR NEW.generation <> OLD.generation)
BEGIN
    INSERT INTO generations VALUES (NEW.session, NEW.name, NEW.generation)
    ON CONFLICT DO UPDATE SET generation = max(generation, excluded.generation);
END;
";

/// The runs that are in the list of their session. What had ended before is in none: nobody knows what was cleared.
const STEP_4: &str = r"
CREATE TABLE listed (
    run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE
) WITHOUT ROWID;
INSERT INTO listed SELECT id FROM runs WHERE completed_at IS NULL;

CREATE TRIGGER runs_list AFTER INSERT ON runs
BEGIN INSERT INTO listed VALUES (NEW.id); END;
";

/// Brings a database up to the present shape.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let from = version(&transaction)?;
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or(usize::MAX)) {
        transaction.execute_batch(step)?;
    }
    if from < VERSION {
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    transaction.commit()
}

fn version(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.pragma_query_value(None, "user_version", |row| row.get(0))
}

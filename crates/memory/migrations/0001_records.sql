-- Numbers that only grow: the counters of CURRENT and HOST, the last audited line.
CREATE TABLE counters (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL CHECK (value >= 0)
) STRICT, WITHOUT ROWID;

-- One row per call id, so that the same id always gives the same outcome.
CREATE TABLE calls (
    call_id      TEXT PRIMARY KEY,
    request_hash TEXT NOT NULL,
    executor     TEXT NOT NULL,
    started_at   TEXT NOT NULL,
    ended_at     TEXT,
    state        TEXT NOT NULL CHECK (state IN ('open', 'done', 'interrupted')),
    outcome      TEXT,  -- the outcome as JSON, when it is small
    outcome_blob TEXT   -- where the outcome lies, when it is not
) STRICT, WITHOUT ROWID;

CREATE INDEX calls_open ON calls (started_at) WHERE state = 'open';

-- The roots the person opened to Metnos. Paths are bytes: a name need not be UTF-8.
CREATE TABLE territory (
    path     BLOB PRIMARY KEY,
    added_at TEXT NOT NULL,
    by       TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Which birth tests passed, and in which environment.
CREATE TABLE birth (
    executor TEXT NOT NULL,
    version  TEXT NOT NULL,
    digest   TEXT NOT NULL,
    host     TEXT NOT NULL,
    kernel   TEXT NOT NULL,
    bwrap    TEXT NOT NULL,
    passed   INTEGER NOT NULL CHECK (passed IN (0, 1)),
    at       TEXT NOT NULL,
    PRIMARY KEY (executor, version, digest, host, kernel, bwrap)
) STRICT, WITHOUT ROWID;

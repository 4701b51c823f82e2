-- What was asked, and everything that happened until it was answered: enough to decide it all again.
CREATE TABLE turns (
    id           TEXT PRIMARY KEY,
    caller       TEXT NOT NULL,
    conversation TEXT NOT NULL,
    request      TEXT NOT NULL,
    began_at     TEXT NOT NULL,
    ended_at     TEXT,
    status       TEXT,
    -- The step whose list was the answer.
    shown        INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX turns_by_conversation ON turns (conversation, id);

CREATE TABLE turn_entries (
    turn  TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    n     INTEGER NOT NULL,
    entry TEXT NOT NULL,
    PRIMARY KEY (turn, n)
) STRICT, WITHOUT ROWID;

-- What nothing could do, so that somebody can propose to build it.
CREATE TABLE gaps (
    turn    TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE,
    request TEXT NOT NULL,
    words   TEXT NOT NULL,
    at      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

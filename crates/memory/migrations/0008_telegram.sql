-- What came over Telegram and what goes back, written down before anything of it happens: a cut at any moment
-- neither repeats an effect nor loses an answer.
CREATE TABLE telegram_state (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE telegram_updates (
    update_id INTEGER PRIMARY KEY,
    -- The turn it belongs to; its own has this id before it begins.
    turn      TEXT NOT NULL,
    state     TEXT NOT NULL CHECK (state IN ('new', 'waits', 'done')),
    chat      INTEGER NOT NULL,
    sender    INTEGER NOT NULL,
    -- The update itself, until it was handled.
    body      TEXT NOT NULL,
    -- The question that was shown for it last.
    shown     TEXT,
    at        TEXT NOT NULL
) STRICT;

CREATE INDEX telegram_updates_open ON telegram_updates (state, update_id) WHERE state <> 'done';

CREATE TABLE telegram_outbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    chat       INTEGER NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('message', 'document', 'edit')),
    -- What is sent, until it was.
    body       TEXT NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0,
    -- In milliseconds since 1970: not tried before.
    not_before INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'given_up')),
    message_id INTEGER,
    at         TEXT NOT NULL
) STRICT;

CREATE INDEX telegram_outbox_waiting ON telegram_outbox (chat, id) WHERE state = 'waiting';

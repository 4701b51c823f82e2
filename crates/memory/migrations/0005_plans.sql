-- Plans that did what was asked, kept so that the same request need not be planned again. Everything here can
-- be read, and forgotten without loss: what is forgotten is planned again.
CREATE TABLE plans (
    id          INTEGER PRIMARY KEY,
    person      TEXT NOT NULL,
    -- exact: one request and its plan; shape: a plan with holes for the values of a request.
    kind        TEXT NOT NULL CHECK (kind IN ('exact', 'shape')),
    key         TEXT NOT NULL,
    -- The request it was learned from.
    request     TEXT NOT NULL,
    language    TEXT NOT NULL,
    -- Who made the plan.
    source      TEXT NOT NULL,
    -- The digest of the rules, words and catalog it was made with.
    made        TEXT NOT NULL,
    -- The digest of the manifest of each of its executors, as JSON.
    tools       TEXT NOT NULL,
    body        TEXT NOT NULL,
    uses        INTEGER NOT NULL DEFAULT 0,
    -- In a row.
    failures    INTEGER NOT NULL DEFAULT 0,
    starred     INTEGER NOT NULL DEFAULT 0,
    -- In days of use, as are the others.
    retired_day INTEGER,
    retired_why TEXT,
    last_day    INTEGER NOT NULL,
    last_turn   TEXT NOT NULL,
    last_at     TEXT NOT NULL,
    UNIQUE (person, kind, key)
) STRICT;

CREATE INDEX plans_by_turn ON plans (last_turn);

-- Days on which something was asked: what sleeps does not age.
CREATE TABLE use_days (
    day TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Which stage gave the plan of a turn, and how long each phase took. No decision looks at it.
ALTER TABLE turns ADD COLUMN stage TEXT;
ALTER TABLE turns ADD COLUMN phases TEXT;

CREATE INDEX turns_open ON turns (caller) WHERE ended_at IS NULL;

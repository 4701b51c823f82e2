-- Every question to a model and what it used, so that a day's use can be bounded and shown.
CREATE TABLE model_calls (
    id         INTEGER PRIMARY KEY,
    -- The turn it was asked for, if there was one. A turn that is forgotten leaves its cost.
    turn       TEXT,
    role       TEXT NOT NULL,
    model      TEXT NOT NULL,
    tokens_in  INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    ms         INTEGER NOT NULL,
    -- In millionths.
    cost       INTEGER NOT NULL,
    -- `answered`, or the word for why not.
    outcome    TEXT NOT NULL,
    -- Milliseconds since 1970.
    at         INTEGER NOT NULL
) STRICT;

CREATE INDEX model_calls_by_time ON model_calls (at);
CREATE INDEX model_calls_by_turn ON model_calls (turn);

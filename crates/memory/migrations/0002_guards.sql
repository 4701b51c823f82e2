-- What persons decided: levels, grants, rules, approvals. Each body is signed by the instance, so that
-- a row somebody wrote by hand counts for nothing.
CREATE TABLE decisions (
    kind      TEXT NOT NULL CHECK (kind IN ('level', 'grant', 'rule', 'approval', 'habit')),
    id        TEXT NOT NULL,
    body      TEXT NOT NULL,
    signature BLOB NOT NULL,
    at        TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX calls_by_executor ON calls (executor) WHERE state = 'done';

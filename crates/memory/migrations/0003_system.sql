-- One more kind of decision: which commands may run. A check cannot be changed in place, so the table
-- is made again with what it holds.
CREATE TABLE decisions_new (
    kind      TEXT NOT NULL CHECK (kind IN ('level', 'grant', 'rule', 'approval', 'habit', 'signature')),
    id        TEXT NOT NULL,
    body      TEXT NOT NULL,
    signature BLOB NOT NULL,
    at        TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

INSERT INTO decisions_new SELECT kind, id, body, signature, at FROM decisions;
DROP TABLE decisions;
ALTER TABLE decisions_new RENAME TO decisions;

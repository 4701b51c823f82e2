-- Five more kinds of decisions: who somebody is, which sender of a channel they are, what lets them in, the
-- codes strangers are told, and the requests that other programs may fire. A check cannot be changed in place,
-- so the table is made again with what it holds.
CREATE TABLE decisions_new (
    kind      TEXT NOT NULL CHECK (kind IN ('level', 'grant', 'rule', 'approval', 'habit', 'signature',
                                            'person', 'sender', 'token', 'code', 'hook')),
    id        TEXT NOT NULL,
    body      TEXT NOT NULL,
    signature BLOB NOT NULL,
    at        TEXT NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

INSERT INTO decisions_new SELECT kind, id, body, signature, at FROM decisions;
DROP TABLE decisions;
ALTER TABLE decisions_new RENAME TO decisions;

-- Who was erased: never their id, which may be their name, only a digest of it. It keeps the id from being given
-- to somebody else, and tells an erasure that was cut from one that ended.
CREATE TABLE gone (
    mark     TEXT PRIMARY KEY,
    begun_at TEXT NOT NULL,
    ended_at TEXT
) STRICT, WITHOUT ROWID;

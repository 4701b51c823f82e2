//! Every statement of this crate, by table. The tables are in `migrations/`.

pub(super) const CHECK: &str = "PRAGMA integrity_check(1)";
/// A change that is taken back: only whether it can be made is of interest.
pub(super) const CAN_WRITE: &str = "BEGIN IMMEDIATE; CREATE TABLE doctor_was_here (n INTEGER); ROLLBACK";
pub(super) const COPY: &str = "VACUUM INTO ?1";

pub(super) const COUNTER_RAISE: &str = "INSERT INTO counters (key, value) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)
    RETURNING value";
pub(super) const COUNTER_GET: &str = "SELECT value FROM counters WHERE key = ?1";

pub(super) const CALL_GET: &str =
    "SELECT call_id, request_hash, executor, started_at, ended_at, state, outcome,
    outcome_blob FROM calls WHERE call_id = ?1";
pub(super) const CALLS_OPEN: &str =
    "SELECT call_id, request_hash, executor, started_at, ended_at, state, outcome,
    outcome_blob FROM calls WHERE state = 'open' ORDER BY started_at, call_id";
pub(super) const CALL_BEGIN: &str = "INSERT INTO calls (call_id, request_hash, executor, started_at, state)
    VALUES (?1, ?2, ?3, ?4, 'open')";
pub(super) const CALL_END: &str =
    "UPDATE calls SET state = ?2, ended_at = ?3, outcome = ?4, outcome_blob = ?5
    WHERE call_id = ?1 AND state = 'open'";
pub(super) const CALLS_FORGET: &str = "DELETE FROM calls WHERE state <> 'open' AND started_at < ?1";

pub(super) const ROOT_ADD: &str = "INSERT INTO territory (path, added_at, by) VALUES (?1, ?2, ?3)
    ON CONFLICT (path) DO NOTHING";
pub(super) const ROOT_REMOVE: &str = "DELETE FROM territory WHERE path = ?1";
pub(super) const ROOTS: &str = "SELECT path, added_at, by FROM territory ORDER BY path";

pub(super) const BIRTH_SET: &str =
    "INSERT INTO birth (executor, version, digest, host, kernel, bwrap, passed, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (executor, version, digest, host, kernel, bwrap)
    DO UPDATE SET passed = excluded.passed, at = excluded.at";
pub(super) const BIRTH_GET: &str = "SELECT passed FROM birth
    WHERE executor = ?1 AND version = ?2 AND digest = ?3 AND host = ?4 AND kernel = ?5 AND bwrap = ?6";

pub(super) const CALLS_COUNT: &str = "SELECT count(*) FROM calls WHERE executor = ?1 AND state = 'done'";
pub(super) const CALL_RELEASE: &str = "DELETE FROM calls WHERE call_id = ?1 AND state = 'open'";

pub(super) const DECISION_PUT: &str = "INSERT INTO decisions (kind, id, body, signature, at)
    VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body, signature = excluded.signature,
    at = excluded.at";
pub(super) const DECISION_SWAP: &str = "UPDATE decisions SET body = ?4, signature = ?5, at = ?6
    WHERE kind = ?1 AND id = ?2 AND body = ?3";
pub(super) const DECISIONS: &str = "SELECT id, body, signature FROM decisions WHERE kind = ?1 ORDER BY id";
pub(super) const DECISIONS_FROM: &str =
    "SELECT id, body, signature FROM decisions WHERE kind = ?1 AND id >= ?2 ORDER BY id";
pub(super) const DECISION: &str = "SELECT id, body, signature FROM decisions WHERE kind = ?1 AND id = ?2";
pub(super) const DECISION_NEW: &str = "INSERT INTO decisions (kind, id, body, signature, at)
    VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (kind, id) DO NOTHING";
pub(super) const DECISION_DROP: &str = "DELETE FROM decisions WHERE kind = ?1 AND id = ?2 AND body = ?3";
pub(super) const DECISION_REMOVE: &str = "DELETE FROM decisions WHERE id = ?1";

pub(super) const TURN_BEGIN: &str = "INSERT INTO turns (id, caller, came_by, conversation, request, began_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
pub(super) const TURN_LOG: &str = "INSERT INTO turn_entries (turn, n, entry) VALUES (?1, ?2, ?3)";
pub(super) const TURN_END: &str = "UPDATE turns SET status = ?2, shown = ?3, ended_at = ?4 WHERE id = ?1";
pub(super) const TURN_CLOSE: &str =
    "UPDATE turns SET status = ?2, shown = ?3, ended_at = ?4, stage = ?5, phases = ?6 WHERE id = ?1";
pub(super) const TURN: &str = "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns WHERE id = ?1";
pub(super) const TURNS_IN: &str =
    "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns
    WHERE conversation = ?1 ORDER BY id DESC LIMIT ?2";
pub(super) const TURNS_IN_BEFORE: &str =
    "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns
    WHERE conversation = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3";
pub(super) const TURNS_OF: &str =
    "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns
    WHERE (?1 IS NULL OR caller GLOB ?1) AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3";
pub(super) const TURNS_LIKE: &str =
    "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns
    WHERE (?1 IS NULL OR caller GLOB ?1) AND (?2 IS NULL OR id < ?2)
    AND (?3 IS NULL OR coalesce(status, 'running') = ?3) ORDER BY id DESC LIMIT ?4";
pub(super) const TURNS_A_DAY: &str = "SELECT substr(began_at, 1, 10), count(*),
    sum(coalesce(status, '') IN ('done', 'partly')) FROM turns WHERE id >= ?1 GROUP BY 1 ORDER BY 1";
pub(super) const TURN_PHASES: &str = "SELECT substr(began_at, 1, 10), phases FROM turns
    WHERE id >= ?1 AND phases IS NOT NULL ORDER BY id DESC LIMIT ?2";
pub(super) const TURN_REOPEN: &str = "UPDATE turns SET status = NULL, ended_at = NULL WHERE id = ?1";
pub(super) const TURN_INTERRUPT: &str =
    "UPDATE turns SET status = 'interrupted', ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL";
pub(super) const TURNS_OPEN: &str =
    "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns
    WHERE ended_at IS NULL AND (?1 IS NULL OR caller = ?1) ORDER BY id";
pub(super) const TURNS_COUNT: &str = "SELECT count(*) FROM turns WHERE id NOT LIKE '00%'";
/// The moment of a turn stays in the id of its copy; another end makes it another id.
pub(super) const TURNS_COPY: &str = "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?1)
    INSERT INTO turns (id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases)
    SELECT substr(id, 1, 20) || printf('%06d', copy.n), caller, conversation, request, began_at, ended_at, status,
        shown, stage, phases FROM turns, copy";
pub(super) const TURN_ENTRIES_COPY: &str =
    "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < ?1)
    INSERT INTO turn_entries (turn, n, entry)
    SELECT substr(turn, 1, 20) || printf('%06d', copy.n), turn_entries.n, entry FROM turn_entries, copy";
pub(super) const TURN_ENTRIES: &str = "SELECT entry FROM turn_entries WHERE turn = ?1 ORDER BY n";
pub(super) const GAP: &str = "INSERT INTO gaps (turn, request, words, at) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (turn) DO NOTHING";
pub(super) const GAPS: &str = "SELECT request, words, at FROM gaps ORDER BY turn DESC LIMIT ?1";

pub(super) const GAPS_BEFORE: &str = "SELECT turn, request, words, at FROM gaps
    WHERE (?1 IS NULL OR turn < ?1) ORDER BY turn DESC LIMIT ?2";

pub(super) const DAY_ADD: &str = "INSERT INTO use_days (day) VALUES (?1) ON CONFLICT (day) DO NOTHING";
pub(super) const DAY_LIST: &str = "SELECT day FROM use_days ORDER BY day";
pub(super) const DAYS: &str = "SELECT count(*) FROM use_days";
pub(super) const PLAN_RECALL: &str =
    "SELECT id, person, kind, key, request, language, source, made, tools, body, uses, failures,
    starred, retired_day, retired_why, last_day, last_turn, last_at FROM plans
    WHERE person = ?1 AND kind = ?2 AND key IN (?3, ?4) ORDER BY key = ?3 DESC LIMIT 1";
pub(super) const PLAN_ADD: &str =
    "INSERT INTO plans (person, kind, key, request, language, source, made, tools, body, uses,
    last_day, last_turn, last_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1, ?10, ?11, ?12)";
pub(super) const PLAN_USED: &str = "UPDATE plans SET uses = uses + 1, failures = 0, last_turn = ?2,
    last_day = ?3, last_at = ?4 WHERE id = ?1 AND retired_day IS NULL";
pub(super) const PLAN_FAILED: &str =
    "UPDATE plans SET failures = failures + 1 WHERE id = ?1 AND retired_day IS NULL RETURNING failures";
pub(super) const PLAN_UNDONE: &str = "UPDATE plans SET uses = 0, failures = failures + 1 WHERE id = ?1 AND retired_day IS NULL RETURNING failures";
pub(super) const PLAN_RETIRE: &str =
    "UPDATE plans SET retired_day = ?2, retired_why = ?3, starred = 0 WHERE id = ?1";
pub(super) const PLAN_STAR: &str =
    "UPDATE plans SET starred = 1, failures = 0, retired_day = NULL, retired_why = NULL WHERE id = ?1";
pub(super) const PLAN_FORGET: &str = "DELETE FROM plans WHERE id = ?1";
pub(super) const PLANS_FORGET: &str = "DELETE FROM plans WHERE person = ?1";
pub(super) const PLANS_AGE: &str = "DELETE FROM plans WHERE starred = 0 AND last_day < ?1";
pub(super) const PLAN: &str =
    "SELECT id, person, kind, key, request, language, source, made, tools, body, uses, failures,
    starred, retired_day, retired_why, last_day, last_turn, last_at FROM plans WHERE id = ?1";
pub(super) const PLANS: &str =
    "SELECT id, person, kind, key, request, language, source, made, tools, body, uses, failures,
    starred, retired_day, retired_why, last_day, last_turn, last_at FROM plans WHERE person = ?1 ORDER BY id";
pub(super) const PLANS_BEFORE: &str =
    "SELECT id, person, kind, key, request, language, source, made, tools, body, uses, failures,
    starred, retired_day, retired_why, last_day, last_turn, last_at FROM plans
    WHERE person = ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3";
pub(super) const PLANS_OF_TURN: &str = "SELECT id, person, kind, key, request, language, source, made, tools, body, uses, failures,
    starred, retired_day, retired_why, last_day, last_turn, last_at FROM plans WHERE last_turn = ?1 ORDER BY kind, id";
pub(super) const MODEL_NOTE: &str =
    "INSERT INTO model_calls (turn, role, model, tokens_in, tokens_out, ms, cost, outcome, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
pub(super) const MODEL_CALLS: &str = "SELECT turn, role, model, tokens_in, tokens_out, ms, cost, outcome
    FROM model_calls WHERE turn = ?1 ORDER BY id";
pub(super) const MODEL_CALLS_SINCE: &str =
    "SELECT turn, role, model, tokens_in, tokens_out, ms, cost, outcome, id, at
    FROM model_calls WHERE at >= ?1 AND (?2 IS NULL OR id < ?2) ORDER BY id DESC LIMIT ?3";
pub(super) const MODEL_USE: &str = "SELECT coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(ms), 0),
    coalesce(sum(cost), 0) FROM model_calls WHERE (?1 IS NULL OR turn = ?1) AND at >= ?2";

// A turn that waits for an answer has no end yet, or says that it waits.
pub(super) const TURNS_FORGET: &str = "DELETE FROM turns WHERE id IN (SELECT id FROM turns
    WHERE began_at < ?1 AND ended_at IS NOT NULL AND coalesce(status, '') <> 'waits'
    AND id <> (SELECT max(id) FROM turns) ORDER BY id LIMIT ?2)";

// A person's own: `?1` is the person, callers are `person/channel`.
pub(super) const PERSON_TURNS: &str =
    "SELECT id, caller, conversation, request, began_at, ended_at, status, shown, stage, phases, came_by FROM turns
    WHERE caller = ?1 OR substr(caller, 1, length(?1) + 1) = ?1 || '/' ORDER BY id";
pub(super) const PERSON_GAPS: &str = "SELECT gaps.turn, gaps.request, gaps.words, gaps.at FROM gaps
    JOIN turns ON turns.id = gaps.turn
    WHERE turns.caller = ?1 OR substr(turns.caller, 1, length(?1) + 1) = ?1 || '/' ORDER BY gaps.turn";
pub(super) const CALLS_OF_TURN: &str =
    "SELECT call_id, executor, started_at, ended_at, state, outcome FROM calls
    WHERE call_id > ?1 || '-' AND call_id < ?1 || '.' ORDER BY call_id";
pub(super) const CALLS_OF_TURN_FORGET: &str =
    "DELETE FROM calls WHERE call_id > ?1 || '-' AND call_id < ?1 || '.' AND state <> 'open'";
pub(super) const CALL_FORGET: &str = "DELETE FROM calls WHERE call_id = ?1 AND state <> 'open'";
pub(super) const TURN_FORGET: &str = "DELETE FROM turns WHERE id = ?1";
// What models cost the house stays counted; for whom it was is let go of.
pub(super) const MODEL_UNLINK: &str = "UPDATE model_calls SET turn = NULL WHERE turn = ?1";
pub(super) const DECISIONS_ALL: &str = "SELECT kind, id, body FROM decisions ORDER BY kind, id";
pub(super) const DECISION_FORGET: &str = "DELETE FROM decisions WHERE kind = ?1 AND id = ?2";

// What came from a person's own senders (`?2`, numbers as JSON) or began a turn of theirs, wherever it was said.
pub(super) const PERSON_UPDATES: &str =
    "SELECT update_id, turn, state, chat, sender, body, at FROM telegram_updates
    WHERE sender IN (SELECT value FROM json_each(?2)) OR turn IN (SELECT id FROM turns
        WHERE caller = ?1 OR substr(caller, 1, length(?1) + 1) = ?1 || '/') ORDER BY update_id";
pub(super) const PERSON_UPDATES_FORGET: &str = "DELETE FROM telegram_updates
    WHERE sender IN (SELECT value FROM json_each(?2)) OR turn IN (SELECT id FROM turns
        WHERE caller = ?1 OR substr(caller, 1, length(?1) + 1) = ?1 || '/')";
// A private chat has the number of its person. What was sent is no JSON any more.
pub(super) const PERSON_OUTBOX: &str = "SELECT id, chat, kind, body, state, at FROM telegram_outbox
    WHERE chat IN (SELECT value FROM json_each(?2)) OR reader IN (SELECT value FROM json_each(?2))
    OR CASE WHEN json_valid(body) THEN json_extract(body, '$.sender.from') = ?1 ELSE 0 END ORDER BY id";
pub(super) const PERSON_OUTBOX_FORGET: &str = "DELETE FROM telegram_outbox
    WHERE chat IN (SELECT value FROM json_each(?2)) OR reader IN (SELECT value FROM json_each(?2))
    OR CASE WHEN json_valid(body) THEN json_extract(body, '$.sender.from') = ?1 ELSE 0 END";
// The card of a question names it, in whatever chat it waits to be shown.
pub(super) const OUTBOX_NAMING_FORGET: &str = "DELETE FROM telegram_outbox WHERE instr(body, ?1) > 0";

pub(super) const GONE_BEGIN: &str = "INSERT INTO gone (mark, begun_at) VALUES (?1, ?2)
    ON CONFLICT (mark) DO UPDATE SET ended_at = NULL";
pub(super) const GONE_END: &str = "UPDATE gone SET ended_at = ?2 WHERE mark = ?1";
pub(super) const GONE: &str = "SELECT ended_at IS NOT NULL FROM gone WHERE mark = ?1";
pub(super) const REWRITE: &str = "VACUUM";
pub(super) const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

pub(super) const TELEGRAM_GET: &str = "SELECT value FROM telegram_state WHERE key = ?1";
pub(super) const TELEGRAM_SET: &str = "INSERT INTO telegram_state (key, value) VALUES (?1, ?2)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value";
pub(super) const TELEGRAM_RESET: &str = "DELETE FROM telegram_state";
pub(super) const TELEGRAM_UPDATES_RESET: &str = "DELETE FROM telegram_updates";
pub(super) const TELEGRAM_OUTBOX_RESET: &str =
    "UPDATE telegram_outbox SET state = 'given_up', body = '' WHERE state = 'waiting'";
pub(super) const TELEGRAM_TAKE: &str =
    "INSERT INTO telegram_updates (update_id, turn, state, chat, sender, body, at)
    VALUES (?1, ?2, 'new', ?3, ?4, ?5, ?6) ON CONFLICT (update_id) DO NOTHING";
pub(super) const TELEGRAM_OPEN: &str =
    "SELECT update_id, turn, chat, sender, body, shown, again FROM telegram_updates
    WHERE state = ?1 AND state <> 'done' ORDER BY update_id";
pub(super) const TELEGRAM_NEW: &str =
    "SELECT update_id, turn, chat, sender, body, shown, again FROM telegram_updates
    WHERE update_id = ?1 AND state = 'new'";
pub(super) const TELEGRAM_OPEN_PLACES: &str =
    "SELECT DISTINCT chat, sender FROM telegram_updates WHERE state <> 'done' ORDER BY chat, sender";
pub(super) const TELEGRAM_UPDATES_CLOSE: &str =
    "UPDATE telegram_updates SET state = 'done', shown = NULL, body = '' WHERE state <> 'done'";
pub(super) const TELEGRAM_OUTBOX_CLOSE: &str =
    "UPDATE telegram_outbox SET state = 'given_up', body = ?1 WHERE state = 'waiting'";
pub(super) const TELEGRAM_TURN: &str = "UPDATE telegram_updates SET turn = ?2 WHERE update_id = ?1";
pub(super) const TELEGRAM_DECIDES: &str =
    "UPDATE telegram_updates SET turn = ?2, shown = ?3 WHERE update_id = ?1 AND state = 'new'";
pub(super) const TELEGRAM_UPDATES_MOVE: &str = "UPDATE telegram_updates SET chat = ?2 WHERE chat = ?1";
pub(super) const TELEGRAM_OUTBOX_MOVE: &str =
    "UPDATE telegram_outbox SET chat = ?2 WHERE chat = ?1 AND state = 'waiting'";
pub(super) const TELEGRAM_AGAIN: &str =
    "UPDATE telegram_updates SET turn = ?2, again = 1 WHERE update_id = ?1 AND state = 'new' AND again = 0";
pub(super) const TELEGRAM_SETTLE: &str = "UPDATE telegram_updates SET state = ?4, shown = ?5,
    body = CASE ?4 WHEN 'new' THEN body ELSE '' END
    WHERE update_id = ?1 AND state = ?2 AND shown IS ?3";
pub(super) const TELEGRAM_POST: &str =
    "INSERT INTO telegram_outbox (chat, kind, body, not_before, state, at, reader)
    VALUES (?1, ?2, ?3, 0, 'waiting', ?4, ?5)";
pub(super) const TELEGRAM_DUE: &str = "SELECT id, chat, kind, body, tries, at, reader, doubts
    FROM telegram_outbox
    WHERE id IN (SELECT min(id) FROM telegram_outbox WHERE state = 'waiting' GROUP BY chat)
    AND not_before <= ?1 ORDER BY id LIMIT ?2";
pub(super) const TELEGRAM_SENT: &str =
    "UPDATE telegram_outbox SET state = 'sent', message_id = ?2, body = '' WHERE id = ?1";
pub(super) const TELEGRAM_GIVEN_UP: &str =
    "UPDATE telegram_outbox SET state = 'given_up', body = ?2 WHERE id = ?1";
pub(super) const TELEGRAM_FATE: &str = "SELECT state, body FROM telegram_outbox WHERE id = ?1";
pub(super) const TELEGRAM_LATER: &str =
    "UPDATE telegram_outbox SET tries = tries + 1, not_before = ?2, doubts = ?3 WHERE id = ?1";
pub(super) const TELEGRAM_SENDING: &str = "UPDATE telegram_outbox SET doubts = doubts + 1 WHERE id = ?1";
pub(super) const TELEGRAM_WAITING: &str = "SELECT count(*) FROM telegram_outbox WHERE state = 'waiting'";
pub(super) const TELEGRAM_UPDATES_FORGET: &str =
    "DELETE FROM telegram_updates WHERE state = 'done' AND at < ?1";
pub(super) const TELEGRAM_OUTBOX_FORGET: &str =
    "DELETE FROM telegram_outbox WHERE state <> 'waiting' AND at < ?1";

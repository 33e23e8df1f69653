-- name: spend_book
INSERT INTO spend (conv, seat, usd, booked_ts) VALUES (?, ?, ?, ?);

-- name: spend_settle
UPDATE spend SET usd = ?, settled = 1 WHERE spend = ?;

-- name: spend_since
SELECT coalesce(sum(usd), 0), count(*) FROM spend WHERE booked_ts > ?;

-- name: spend_of_conversation
SELECT coalesce(sum(usd), 0) FROM spend WHERE booked_ts > ? AND conv = ?;

-- name: spend_trim
DELETE FROM spend WHERE booked_ts < ?;

-- name: access_insert
INSERT INTO access_log (at, principal, role, action, user_id, conversation_id, ids_json) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: access_newest
SELECT access, at, principal, role, action, user_id, conversation_id, ids_json
FROM access_log ORDER BY access DESC LIMIT ?;

-- name: access_of_user
SELECT access, at, principal, role, action, user_id, conversation_id, ids_json
FROM access_log WHERE user_id = ? ORDER BY access DESC LIMIT ?;

-- name: own_modes
SELECT conversation_id, user_id, mode FROM conversations WHERE mode IS NOT NULL;

-- name: aliases
SELECT user_id, alias, conversation_id FROM aliases;

-- name: alias_of
SELECT conversation_id FROM aliases WHERE user_id = ? AND alias = ?;

-- name: alias_insert
INSERT INTO aliases (user_id, alias, conversation_id, created_ts) VALUES (?, ?, ?, ?);

-- name: egress_set
-- Flag LOCAL is kept in step.
UPDATE messages SET egress = ?, flags = ? WHERE id = ?;

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

-- name: holders
-- Derived ids only, one probe of messages_by_node for each; tombstones hold their place too.
SELECT c.conversation_id, m.message_id, m.deleted, m.id IS c.leaf, c.last_recorded_ts
FROM json_each(?) AS wanted
CROSS JOIN messages AS m ON m.message_id = wanted.value AND length(m.message_id) = 25
CROSS JOIN conversations AS c ON c.conv = m.conv
WHERE c.user_id = ?;

-- name: holders_in
SELECT c.conversation_id, m.message_id, m.deleted, m.id IS c.leaf, c.last_recorded_ts
FROM conversations AS c
CROSS JOIN json_each(?) AS wanted
CROSS JOIN messages AS m ON m.conv = c.conv AND m.message_id = wanted.value
WHERE c.user_id = ? AND c.conversation_id = ?;

-- name: egress_set
-- Flag LOCAL is kept in step.
UPDATE messages SET egress = ?, flags = ? WHERE id = ?;

-- name: learned_all
SELECT used_as, user_id, model, window, was, samples_json, updated_ts FROM learned_models ORDER BY updated_ts;

-- name: learned_of_user
SELECT used_as, user_id, model, window, was, samples_json, updated_ts FROM learned_models
WHERE user_id = ? ORDER BY updated_ts;

-- name: learned_set
INSERT INTO learned_models (used_as, user_id, model, window, was, samples_json, updated_ts) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (used_as, user_id, model) DO UPDATE
SET window = excluded.window, was = excluded.was, samples_json = excluded.samples_json, updated_ts = excluded.updated_ts;

-- name: learned_trim
-- A caller may name any model: what was told longest ago goes.
DELETE FROM learned_models WHERE (used_as, user_id, model) IN (
    SELECT used_as, user_id, model FROM learned_models ORDER BY updated_ts DESC LIMIT -1 OFFSET ?
);

-- name: learned_forget
DELETE FROM learned_models WHERE user_id = ?;

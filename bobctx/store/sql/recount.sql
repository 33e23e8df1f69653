-- name: stale_scopes
-- Only at a start with another counter: reads the structure of every message once.
SELECT DISTINCT c.conversation_id, c.user_id
FROM messages AS m JOIN conversations AS c ON c.conv = m.conv
WHERE m.deleted = 0 AND m.counter_id <> ? ORDER BY c.conv;

-- name: stale_rows
SELECT id FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0 AND counter_id <> ? ORDER BY id;

-- name: row_counted
UPDATE messages SET tokens = ?, counter_id = ? WHERE id = ? AND sha256 = ? AND deleted = 0;

-- name: tokens_total
SELECT coalesce(sum(tokens), 0) FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0;

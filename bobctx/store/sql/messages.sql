-- name: conversation
SELECT conv, leaf, revision, shape_revision, chain_revision, next_seq, next_branch, backend, mode, paused,
       last_edit_ts, messages, tokens
FROM conversations WHERE user_id = ? AND conversation_id = ?;

-- name: conversation_insert
INSERT INTO conversations (user_id, conversation_id, created_ts) VALUES (?, ?, ?);

-- name: conversation_update
UPDATE conversations
SET leaf = ?, revision = revision + 1, shape_revision = ?, chain_revision = ?, next_seq = ?, next_branch = ?,
    backend = ?, last_edit_ts = ?, last_recorded_ts = ?, messages = ?, tokens = ?
WHERE conv = ?;

-- name: conversation_mode
UPDATE conversations SET mode = ?, paused = ?, revision = revision + 1 WHERE conv = ?;

-- name: conversation_touch
-- A change of compactions, claims or pins, for caches.
UPDATE conversations SET revision = revision + 1, chain_revision = chain_revision + 1 WHERE conv = ?;

-- name: conversations_of_user
-- Counters, so that a listing never counts messages. For a cloud reader local messages move nothing, not even the order.
SELECT c.conversation_id, c.user_id, c.messages, c.tokens,
       (SELECT m.message_id FROM messages AS m WHERE m.id = c.leaf), c.last_recorded_ts,
       (SELECT count(*) FROM compactions AS k WHERE k.conv = c.conv AND k.retired = 0 AND k.status = 'shadow_ok'),
       (SELECT count(*) FROM claims AS l WHERE l.conv = c.conv AND l.active = 1), c.mode, c.paused
FROM conversations AS c
JOIN (SELECT v.conv, CASE WHEN :local THEN v.last_recorded_ts ELSE (
    SELECT m.first_seen_ts FROM messages AS m
    WHERE m.id >= v.conv << :bits AND m.id < (v.conv + 1) << :bits AND m.deleted = 0 AND m.egress <> 'local'
    ORDER BY m.id DESC LIMIT 1
) END AS newest FROM conversations AS v WHERE v.user_id = :user) AS seen ON seen.conv = c.conv
WHERE c.messages > 0 AND seen.newest IS NOT NULL
ORDER BY seen.newest DESC, c.conv DESC LIMIT :limit;

-- name: scopes
SELECT conversation_id, user_id FROM conversations WHERE messages > 0 ORDER BY conv;

-- name: message_by_name
SELECT id, seq, branch, deleted, sha256, flags, egress, tokens, indexed, message_id
FROM messages WHERE conv = ? AND message_id = ?;

-- name: message_by_row
SELECT id, seq, branch, deleted, sha256, flags, egress, tokens, indexed, message_id FROM messages WHERE id = ?;

-- name: message_insert
INSERT INTO messages (id, conv, seq, branch, flags, tokens, role, message_id, sha256, calls, results, indexed, egress,
                      injected, parent, parents_json, speaker, created_at, first_seen_ts, counter_id)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: message_edit
UPDATE messages
SET flags = ?, tokens = ?, role = ?, sha256 = ?, calls = ?, results = ?, indexed = ?, egress = ?, injected = ?,
    speaker = ?, created_at = coalesce(?, created_at), counter_id = ?, edited_ts = ?
WHERE id = ?;

-- name: fate
-- Of a stored message, a deleted one too: its row stays as a tombstone.
SELECT message_id, seq, role, deleted, created_at, first_seen_ts, edited_ts, tokens, injected FROM messages WHERE id = ?;

-- name: body_insert
INSERT INTO bodies (id, exact, body_json, content) VALUES (?, ?, ?, ?);

-- name: body_edit
UPDATE bodies SET exact = ?, body_json = ?, content = ? WHERE id = ?;

-- name: body
SELECT exact, body_json, content FROM bodies WHERE id = ?;

-- name: names_parents
SELECT 1 FROM messages WHERE id BETWEEN ? AND ? AND parents_json IS NOT NULL LIMIT 1;

-- name: branch_insert
INSERT INTO branches (conv, branch, parent_branch, fork, tip) VALUES (?, ?, ?, ?, ?);

-- name: branch_tip
UPDATE branches SET tip = ? WHERE conv = ? AND branch = ?;

-- name: branch
SELECT parent_branch, fork, tip FROM branches WHERE conv = ? AND branch = ?;

-- name: branches
SELECT branch, parent_branch, fork FROM branches WHERE conv = ?;

-- name: spine_rows
-- Clustered by id: one range, in spine order. Flag 128 is the preamble.
SELECT message_id, seq, role, sha256, tokens, flags, calls, results
FROM messages WHERE id > ? AND id <= ? AND deleted = 0 AND flags & 128 = 0 ORDER BY id;

-- name: spine_rows_of_branches
-- Where a conversation has forks: the caller keeps the rows of the path.
SELECT branch, seq, message_id, seq, role, sha256, tokens, flags, calls, results
FROM messages WHERE id > ? AND id <= ? AND deleted = 0 AND flags & 128 = 0 ORDER BY id;

-- name: path_rows
-- Tombstones too, which have no hash; the caller keeps the rows of the path.
SELECT id, branch, message_id, sha256 FROM messages WHERE id > ? AND id <= ? AND flags & 128 = 0 ORDER BY id;

-- name: newest_rows
-- The end of a branch without its spine; the caller keeps the rows of the path.
SELECT id, branch FROM messages WHERE id > ? AND id <= ? AND deleted = 0 AND flags & 128 = 0 ORDER BY id DESC;

-- name: loaded_range
SELECT m.id, m.message_id, m.seq, m.role, m.sha256, m.tokens, m.egress, m.injected, m.speaker, m.created_at,
       b.exact, b.body_json, b.content
FROM messages AS m JOIN bodies AS b ON b.id = m.id
WHERE m.id BETWEEN ? AND ? AND m.deleted = 0 ORDER BY m.id;

-- name: stored_by_names
SELECT m.message_id, m.id, m.sha256, m.deleted
FROM json_each(?) AS wanted JOIN messages AS m ON m.conv = ? AND m.message_id = wanted.value;

-- name: stored_by_name
SELECT message_id, id, sha256, deleted FROM messages WHERE message_id = ? AND conv = ?;

-- name: live_seqs
SELECT seq, branch FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0 ORDER BY id;

-- name: meta
SELECT value FROM meta WHERE key = ?;

-- name: meta_drop
DELETE FROM meta WHERE key = ?;

-- name: meta_set
INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value;

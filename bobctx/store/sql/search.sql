-- name: fts_add
INSERT INTO messages_fts (rowid, words) VALUES (?, ?);

-- name: fts_remove
-- A contentless index forgets a row only when it is given the words again.
INSERT INTO messages_fts (messages_fts, rowid, words) VALUES ('delete', ?, ?);

-- name: fts_match
-- A range of rows is a scope: the index seeks to it and reads no other conversation's rows.
SELECT rowid FROM messages_fts WHERE messages_fts MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?;

-- name: fts_match_cloud
SELECT m.id FROM messages_fts CROSS JOIN messages AS m ON m.id = messages_fts.rowid AND m.egress <> 'local'
WHERE messages_fts MATCH ? AND messages_fts.rowid BETWEEN ? AND ? ORDER BY messages_fts.rowid DESC LIMIT ?;

-- name: substring_add
INSERT INTO messages_substring (rowid, names) VALUES (?, ?);

-- name: substring_remove
INSERT INTO messages_substring (messages_substring, rowid, names) VALUES ('delete', ?, ?);

-- name: substring_match
SELECT rowid FROM messages_substring
WHERE messages_substring MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?;

-- name: substring_match_cloud
SELECT m.id FROM messages_substring
CROSS JOIN messages AS m ON m.id = messages_substring.rowid AND m.egress <> 'local'
WHERE messages_substring MATCH ? AND messages_substring.rowid BETWEEN ? AND ?
ORDER BY messages_substring.rowid DESC LIMIT ?;

-- name: cloud_totals
-- What a cloud backend may be given: what it may not must not show in any score.
SELECT count(*), coalesce(sum(tokens), 0) FROM messages
WHERE id BETWEEN ? AND ? AND deleted = 0 AND egress <> 'local';

-- name: queue_add
INSERT OR IGNORE INTO substring_queue (id) VALUES (?);

-- name: queue_take
SELECT id FROM substring_queue ORDER BY id LIMIT ?;

-- name: queue_has
SELECT 1 FROM substring_queue WHERE id = ?;

-- name: queue_remove
DELETE FROM substring_queue WHERE id = ?;

-- name: queue_length
SELECT count(*) FROM substring_queue;

-- name: lengths
SELECT m.id, m.tokens FROM json_each(?) AS wanted JOIN messages AS m ON m.id = wanted.value WHERE m.deleted = 0;

-- name: fts_merge
-- Step by step towards one segment, in which deleted words no longer stand; writes go on between.
INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ?);

-- name: fts_optimize
INSERT INTO messages_fts (messages_fts) VALUES ('optimize');

-- name: substring_merge
INSERT INTO messages_substring (messages_substring, rank) VALUES ('merge', ?);

-- name: substring_optimize
INSERT INTO messages_substring (messages_substring) VALUES ('optimize');

-- name: claims_optimize
INSERT INTO claims_fts (claims_fts) VALUES ('optimize');

-- name: fts_clear
INSERT INTO messages_fts (messages_fts) VALUES ('delete-all');

-- name: substring_clear
INSERT INTO messages_substring (messages_substring) VALUES ('delete-all');

-- name: claims_clear
INSERT INTO claims_fts (claims_fts) VALUES ('delete-all');

-- name: rows_indexed
SELECT id FROM messages WHERE indexed = 1 AND deleted = 0 ORDER BY id;

-- name: repeat_find
SELECT body_sha256, answer FROM repeats WHERE name_sha256 = ? AND kept_ts > ?;

-- name: repeat_keep
INSERT OR REPLACE INTO repeats (name_sha256, user_id, conversation_id, body_sha256, answer, kept_ts)
VALUES (?, ?, ?, ?, ?, ?);

-- name: repeats_trim
-- The oldest few rows, by their number: those past their time, and those beyond the most that is kept.
DELETE FROM repeats WHERE repeat IN (SELECT repeat FROM repeats ORDER BY repeat LIMIT ?)
AND (kept_ts <= ? OR repeat <= (SELECT max(repeat) FROM repeats) - ?);

-- name: repeats_drop
DELETE FROM repeats WHERE user_id = ? AND conversation_id = ?;

-- name: rows_of_conversation
SELECT id, seq, branch, deleted, sha256, flags, egress, tokens, indexed, message_id
FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0 ORDER BY id;

-- name: rows_of_speaker
SELECT id, seq, branch, deleted, sha256, flags, egress, tokens, indexed, message_id
FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0 AND speaker = ? ORDER BY id;

-- name: rows_older
SELECT id, seq, branch, deleted, sha256, flags, egress, tokens, indexed, message_id
FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0 AND coalesce(created_at, first_seen_ts) < ? ORDER BY id;

-- name: tombstone
-- Flag 128: whether a later system message still belongs to the preamble.
UPDATE messages
SET deleted = 1, flags = flags & 128, tokens = 0, sha256 = '', calls = NULL, results = NULL, indexed = 0,
    injected = 0, speaker = NULL, created_at = NULL, counter_id = ''
WHERE id = ?;

-- name: body_delete
DELETE FROM bodies WHERE id = ?;

-- name: regions
SELECT compaction, compaction_id, first, last, region_count, reply_key, claims_json FROM compactions WHERE conv = ?;

-- name: region_rows
SELECT id, branch FROM messages WHERE id BETWEEN ? AND ? AND deleted = 0 AND flags & 128 = 0 ORDER BY id;

-- name: compaction_delete
DELETE FROM compactions WHERE compaction = ?;

-- name: prompts
SELECT reply, reply_key, message_seqs, alias_json FROM replies WHERE conv = ?;

-- name: reply_delete
DELETE FROM replies WHERE reply = ?;

-- name: runs_delete
DELETE FROM runs WHERE conv = ?;

-- name: pins_of_claim_delete
DELETE FROM pins WHERE conv = ? AND claim_id = ?;

-- name: pins_delete_all
DELETE FROM pins WHERE conv = ?;

-- name: conversations_with_id
SELECT conversation_id FROM conversations WHERE user_id = ? ORDER BY conv;

-- name: conversation_forget
-- A conversation without messages keeps its tombstones and nothing else that was said about it.
UPDATE conversations SET backend = NULL, mode = NULL, paused = 0 WHERE conv = ?;

-- name: body_holds
SELECT 1 FROM bodies WHERE instr(body_json, ?) > 0 LIMIT 1;

-- name: retention_set
INSERT INTO retention (user_id, max_age_s) VALUES (?, ?)
ON CONFLICT (user_id) DO UPDATE SET max_age_s = excluded.max_age_s;

-- name: retention_drop
DELETE FROM retention WHERE user_id = ?;

-- name: retention_all
SELECT user_id, max_age_s FROM retention ORDER BY user_id;

-- name: export_messages
SELECT message_id, seq, role, speaker, content, body_json, content_sha256, parents_json, created_at, first_seen_ts,
       tokens_est, counter_id, egress, injected, deleted
FROM conv_messages WHERE id > ? AND id <= ? ORDER BY id LIMIT ?;

-- name: export_claims
SELECT alias, claim_id, compaction_id, type, importance, text, cites_json, supersedes, superseded_by, active, salience,
       egress
FROM claims WHERE conv = ? ORDER BY claim;

-- name: export_replies
SELECT reply_key, ask, seat, provider, host, prompt_version, raw, usage_json, cost_usd, elapsed_ms, error, status,
       created_ts
FROM replies WHERE conv = ? ORDER BY reply;

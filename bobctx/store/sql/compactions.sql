-- name: compactions_live
-- Which rows there are; a row never changes, so those known already are not read again.
SELECT compaction, chain_sha256, status FROM compactions
WHERE conv = ? AND retired = 0 AND status <> 'shadow_rejected' ORDER BY compaction;

-- name: compaction_row
SELECT compaction, compaction_id, reply_key, region_first_id, region_last_id, region_count, input_sha256, prior_sha256,
       prev_chain_sha256, chain_sha256, status, backend, prompt_version, validator_version, attempts, claims_json,
       narrative_json, validation_json, tokens_in_est, tokens_out_est, elapsed_ms, error, created_ts
FROM compactions WHERE compaction = ?;

-- name: compactions_of_scope
SELECT compaction, compaction_id, reply_key, region_first_id, region_last_id, region_count, input_sha256, prior_sha256,
       prev_chain_sha256, chain_sha256, status, backend, prompt_version, validator_version, attempts, claims_json,
       narrative_json, validation_json, tokens_in_est, tokens_out_est, elapsed_ms, error, created_ts
FROM compactions WHERE conv = ? AND retired = 0 AND (? OR status <> 'shadow_rejected') ORDER BY compaction;

-- name: compaction_forget
DELETE FROM compactions WHERE conv = ? AND compaction_id = ?;

-- name: compaction_insert
INSERT INTO compactions (conv, compaction_id, reply_key, region_first_id, region_last_id, region_count, input_sha256,
                         prior_sha256, prev_chain_sha256, chain_sha256, status, backend, prompt_version,
                         validator_version, attempts, claims_json, narrative_json, validation_json, tokens_in_est,
                         tokens_out_est, elapsed_ms, error, created_ts, first, last)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: compaction_retire
UPDATE compactions SET retired = 1 WHERE conv = ? AND compaction_id = ?;

-- name: compaction_exists
SELECT 1 FROM compactions WHERE conv = ? LIMIT 1;

-- name: claims_held
SELECT claim, alias, claim_id, compaction_id, type, importance, text, cites_json, supersedes, superseded_by, active,
       salience, egress, newest_seq
FROM claims WHERE conv = ?;

-- name: claim_insert
INSERT INTO claims (conv, alias, claim_id, compaction_id, type, importance, text, cites_json, supersedes,
                    superseded_by, active, salience, egress, newest_seq)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: claim_delete
DELETE FROM claims WHERE claim = ?;

-- name: claim_index
INSERT INTO claims_fts (rowid, scope, words) VALUES (?, ?, ?);

-- name: claim_unindex
INSERT INTO claims_fts (claims_fts, rowid, scope, words) VALUES ('delete', ?, ?, ?);

-- name: pins
SELECT pin_id, text, pinned_by, claim_id, created_ts FROM pins WHERE conv = ? ORDER BY created_ts, pin_id;

-- name: pin_insert
INSERT INTO pins (conv, pin_id, text, pinned_by, claim_id, created_ts) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (conv, pin_id) DO UPDATE
SET text = excluded.text, pinned_by = excluded.pinned_by, claim_id = excluded.claim_id;

-- name: pin_delete
DELETE FROM pins WHERE conv = ? AND pin_id = ?;

-- name: reply_insert
-- An answered reply is never overwritten; a failed one may be.
INSERT INTO replies (conv, reply_key, region_hashes, region_sha256, message_seqs, prior_sha256, ask, reasons_sha256,
                     alias_json, seat, provider, host, prompt_version, raw, usage_json, cost_usd, elapsed_ms, error,
                     status, created_ts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (conv, reply_key) DO UPDATE
SET alias_json = excluded.alias_json, provider = excluded.provider, host = excluded.host, raw = excluded.raw,
    usage_json = excluded.usage_json, cost_usd = excluded.cost_usd, elapsed_ms = excluded.elapsed_ms,
    error = excluded.error, status = excluded.status, created_ts = excluded.created_ts,
    message_seqs = excluded.message_seqs
WHERE replies.status = 'failed';

-- name: replies_by_key
SELECT reply_key, region_hashes, prior_sha256, ask, reasons_sha256, alias_json, seat, provider, host, prompt_version,
       raw, usage_json, cost_usd, elapsed_ms, status, error, created_ts
FROM replies WHERE conv = ? AND reply_key IN (SELECT value FROM json_each(?));

-- name: replies_by_region
SELECT reply_key, region_hashes, prior_sha256, ask, reasons_sha256, alias_json, seat, provider, host, prompt_version,
       raw, usage_json, cost_usd, elapsed_ms, status, error, created_ts
FROM replies WHERE conv = ? AND region_sha256 = ? AND prompt_version = ? AND status = 'answered'
ORDER BY created_ts DESC, reply DESC;

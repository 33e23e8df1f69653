-- name: run_insert
INSERT OR REPLACE INTO runs (conv, trace_id, kind, data_json, created_ts) VALUES (?, ?, ?, ?, ?);

-- name: run_get
SELECT data_json FROM runs WHERE conv = ? AND trace_id = ?;

-- name: runs_newest
SELECT trace_id, kind, data_json, created_ts FROM runs WHERE conv = ? ORDER BY run DESC LIMIT ?;

-- name: runs_trim
-- The newest rows of a conversation are kept; the oldest go.
DELETE FROM runs WHERE conv = ? AND run <= (
    SELECT run FROM runs WHERE conv = ? ORDER BY run DESC LIMIT 1 OFFSET ?
);

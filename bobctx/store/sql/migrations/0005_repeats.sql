-- First answers of calls that carry an `Idempotency-Key`, so that a restart does not forget them.

-- name_sha256 stands for principal, method, path, scope and key. An answer may hold text: it goes with its conversation.
CREATE TABLE repeats (
    repeat INTEGER PRIMARY KEY,
    name_sha256 BLOB NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    body_sha256 TEXT NOT NULL,
    answer BLOB NOT NULL,
    kept_ts REAL NOT NULL
);

CREATE INDEX repeats_of_conversation ON repeats (user_id, conversation_id);

-- The whole present schema at once; a test holds it against the migrations (design, section 3).
-- messages.id = conv << 32 | seq: the table is clustered by conversation and arrival, a range of
-- ids is a scope, and along one branch the order of ids is the order of the spine.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY NOT NULL
) WITHOUT ROWID;

CREATE TABLE conversations (
    conv INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    next_seq INTEGER NOT NULL DEFAULT 1,
    next_branch INTEGER NOT NULL DEFAULT 0,
    leaf INTEGER,
    revision INTEGER NOT NULL DEFAULT 0,
    shape_revision INTEGER NOT NULL DEFAULT 0,
    chain_revision INTEGER NOT NULL DEFAULT 0,
    messages INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    backend TEXT,
    mode TEXT,
    paused INTEGER NOT NULL DEFAULT 0,
    last_edit_ts REAL NOT NULL DEFAULT 0,
    last_recorded_ts REAL NOT NULL DEFAULT 0,
    created_ts REAL NOT NULL DEFAULT 0,
    UNIQUE (user_id, conversation_id)
);

CREATE TABLE branches (
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    branch INTEGER NOT NULL,
    parent_branch INTEGER,
    fork INTEGER,
    tip INTEGER NOT NULL,
    PRIMARY KEY (conv, branch)
) WITHOUT ROWID;

CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    seq INTEGER NOT NULL,
    branch INTEGER NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0,
    flags INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    role TEXT NOT NULL,
    message_id TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    calls TEXT,
    results TEXT,
    indexed INTEGER NOT NULL DEFAULT 1,
    egress TEXT NOT NULL,
    injected INTEGER NOT NULL DEFAULT 0,
    parent INTEGER,
    parents_json TEXT,
    speaker TEXT,
    created_at REAL,
    first_seen_ts REAL NOT NULL,
    edited_ts REAL,
    counter_id TEXT NOT NULL
);

CREATE UNIQUE INDEX messages_by_name ON messages (conv, message_id);
CREATE INDEX messages_by_node ON messages (message_id) WHERE length(message_id) = 25;

-- Texts stand apart so that reading the structure of a conversation never touches them.
-- content is null where it is the body's own string.
CREATE TABLE bodies (
    id INTEGER PRIMARY KEY REFERENCES messages (id),
    exact INTEGER NOT NULL DEFAULT 0,
    body_json TEXT NOT NULL,
    content TEXT
);

CREATE VIEW conv_messages AS
SELECT m.id, c.conversation_id, c.user_id, m.message_id, m.seq, m.role, m.speaker,
       coalesce(b.content, json_extract(b.body_json, '$.content')) AS content,
       b.body_json, m.sha256 AS content_sha256,
       coalesce(m.parents_json, CASE WHEN p.message_id IS NULL THEN '[]' ELSE json_array(p.message_id) END)
           AS parents_json,
       m.created_at, m.first_seen_ts, m.tokens AS tokens_est, m.counter_id, m.egress, m.injected, m.deleted,
       m.branch
FROM messages AS m
JOIN conversations AS c ON c.conv = m.conv
LEFT JOIN bodies AS b ON b.id = m.id
LEFT JOIN messages AS p ON p.id = m.parent;

CREATE TABLE replies (
    reply INTEGER PRIMARY KEY,
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    reply_key TEXT NOT NULL,
    region_hashes TEXT NOT NULL,
    region_sha256 TEXT NOT NULL,
    message_seqs TEXT NOT NULL,
    prior_sha256 TEXT NOT NULL,
    ask TEXT NOT NULL,
    reasons_sha256 TEXT NOT NULL,
    alias_json TEXT NOT NULL,
    seat TEXT NOT NULL,
    provider TEXT NOT NULL,
    host TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    raw TEXT NOT NULL,
    usage_json TEXT NOT NULL,
    cost_usd REAL,
    elapsed_ms INTEGER NOT NULL,
    error TEXT,
    status TEXT NOT NULL,
    created_ts REAL NOT NULL,
    UNIQUE (conv, reply_key)
);

CREATE INDEX replies_by_region ON replies (conv, region_sha256);

CREATE TABLE compactions (
    compaction INTEGER PRIMARY KEY,
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    compaction_id TEXT NOT NULL,
    retired INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL,
    reply_key TEXT,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    region_first_id TEXT NOT NULL,
    region_last_id TEXT NOT NULL,
    region_count INTEGER NOT NULL,
    input_sha256 TEXT NOT NULL,
    prior_sha256 TEXT NOT NULL,
    prev_chain_sha256 TEXT NOT NULL,
    chain_sha256 TEXT NOT NULL,
    backend TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    validator_version TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    claims_json TEXT NOT NULL,
    narrative_json TEXT NOT NULL,
    validation_json TEXT NOT NULL,
    tokens_in_est INTEGER NOT NULL,
    tokens_out_est INTEGER NOT NULL,
    elapsed_ms INTEGER NOT NULL,
    error TEXT,
    created_ts REAL NOT NULL,
    UNIQUE (conv, compaction_id)
);

CREATE INDEX compactions_live ON compactions (conv, compaction) WHERE retired = 0;

-- Active spine only, derived from its chain in the transaction that changes either.
CREATE TABLE claims (
    claim INTEGER PRIMARY KEY,
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    alias TEXT NOT NULL,
    claim_id TEXT NOT NULL,
    compaction_id TEXT NOT NULL,
    type TEXT NOT NULL,
    importance INTEGER NOT NULL,
    text TEXT NOT NULL,
    cites_json TEXT NOT NULL,
    supersedes TEXT,
    superseded_by TEXT,
    active INTEGER NOT NULL,
    salience REAL NOT NULL,
    egress TEXT NOT NULL,
    newest_seq INTEGER NOT NULL,
    UNIQUE (conv, alias)
);

CREATE INDEX claims_by_id ON claims (conv, claim_id);

CREATE TABLE pins (
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    pin_id TEXT NOT NULL,
    text TEXT NOT NULL,
    pinned_by TEXT NOT NULL,
    claim_id TEXT,
    created_ts REAL NOT NULL,
    PRIMARY KEY (conv, pin_id)
) WITHOUT ROWID;

CREATE TABLE runs (
    run INTEGER PRIMARY KEY,
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    trace_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    data_json TEXT NOT NULL,
    created_ts REAL NOT NULL,
    UNIQUE (conv, trace_id)
);

CREATE TABLE retention (
    user_id TEXT PRIMARY KEY,
    max_age_s REAL NOT NULL
) WITHOUT ROWID;

-- Full text over messages, keyed by messages.id; contentless: what it was given is made again
-- from the body when a row leaves it. The substring index keeps no positions: what it finds is
-- looked up in the text.
CREATE VIRTUAL TABLE messages_fts USING fts5 (words, content = '', tokenize = 'ascii');

CREATE VIRTUAL TABLE messages_substring USING fts5 (names, content = '', detail = none, tokenize = 'trigram');

-- Rows that messages_substring has not seen yet (`index_lag`).
CREATE TABLE substring_queue (
    id INTEGER PRIMARY KEY
);

-- What seats cost, booked before the call.
CREATE TABLE spend (
    spend INTEGER PRIMARY KEY,
    conv INTEGER REFERENCES conversations (conv),
    seat TEXT NOT NULL,
    usd REAL NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    booked_ts REAL NOT NULL
);

CREATE INDEX spend_by_time ON spend (booked_ts);

-- Who read originals: ids only, never changed.
CREATE TABLE access_log (
    access INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    principal TEXT NOT NULL,
    role TEXT NOT NULL,
    action TEXT NOT NULL,
    user_id TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    ids_json TEXT NOT NULL
);

CREATE INDEX access_log_by_user ON access_log (user_id, access);

CREATE TRIGGER access_log_keeps BEFORE UPDATE ON access_log
BEGIN
    SELECT RAISE(ABORT, 'the access log is append-only');
END;

CREATE TRIGGER access_log_stays BEFORE DELETE ON access_log
BEGIN
    SELECT RAISE(ABORT, 'the access log is append-only');
END;

-- Further names of a conversation. They outlive its text, so that a history sent again under one meets its tombstones.
CREATE TABLE aliases (
    user_id TEXT NOT NULL,
    alias TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    created_ts REAL NOT NULL,
    PRIMARY KEY (user_id, alias)
) WITHOUT ROWID;

-- scope holds one term for a conversation and one for its user, with the claim's state in it, and one for its type:
-- a query names them, so that it finds no other scope's rows.
CREATE VIRTUAL TABLE claims_fts USING fts5 (scope, words, content = '', tokenize = 'ascii');

CREATE TABLE claim_facts (
    claim INTEGER PRIMARY KEY REFERENCES claims (claim) ON DELETE CASCADE,
    sources INTEGER NOT NULL,
    literal INTEGER NOT NULL,
    valid_from REAL NOT NULL,
    speaker TEXT,
    words INTEGER NOT NULL,
    scope_terms TEXT NOT NULL,
    terms TEXT NOT NULL,
    evidence_json TEXT NOT NULL
);

CREATE TABLE claim_values (
    subject TEXT NOT NULL,
    claim INTEGER NOT NULL REFERENCES claims (claim) ON DELETE CASCADE,
    value TEXT NOT NULL,
    PRIMARY KEY (subject, claim)
) WITHOUT ROWID;

CREATE INDEX claim_values_by_claim ON claim_values (claim);

CREATE TABLE claim_totals (
    conv INTEGER PRIMARY KEY REFERENCES conversations (conv),
    claims INTEGER NOT NULL,
    words INTEGER NOT NULL,
    local_claims INTEGER NOT NULL,
    local_words INTEGER NOT NULL,
    newest REAL NOT NULL
);

CREATE TABLE resolutions (
    user_id TEXT NOT NULL,
    conflict_id TEXT NOT NULL,
    conv INTEGER NOT NULL REFERENCES conversations (conv),
    keep TEXT,
    lost_json TEXT NOT NULL,
    principal TEXT NOT NULL,
    created_ts REAL NOT NULL,
    PRIMARY KEY (user_id, conflict_id)
) WITHOUT ROWID;

CREATE INDEX resolutions_by_conv ON resolutions (conv);

CREATE INDEX runs_by_trace ON runs (trace_id);

CREATE INDEX runs_of_conversation ON runs (conv, run);

-- conv is null where a context was made from all conversations of a user.
CREATE TABLE contexts (
    context INTEGER PRIMARY KEY,
    context_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    conv INTEGER REFERENCES conversations (conv),
    task_sha256 TEXT NOT NULL,
    items INTEGER NOT NULL,
    candidates INTEGER NOT NULL,
    used INTEGER NOT NULL,
    degraded INTEGER NOT NULL,
    data_json TEXT NOT NULL,
    created_ts REAL NOT NULL
);

CREATE INDEX contexts_of_user ON contexts (user_id, context);

CREATE INDEX contexts_by_conv ON contexts (conv);

-- Never changed: of several votes of one caller on one claim for one task the newest counts.
CREATE TABLE feedback (
    feedback INTEGER PRIMARY KEY,
    feedback_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    conv INTEGER REFERENCES conversations (conv),
    context_id TEXT NOT NULL,
    claim_id TEXT,
    principal TEXT NOT NULL,
    task_sha256 TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason_code TEXT,
    mutation TEXT,
    body_sha256 TEXT NOT NULL,
    created_ts REAL NOT NULL,
    UNIQUE (user_id, mutation)
);

CREATE INDEX feedback_by_claim ON feedback (conv, claim_id);

-- By claim, so that it goes with its claim. Little-endian 32-bit floats of length 1.
CREATE TABLE claim_vectors (
    claim INTEGER NOT NULL REFERENCES claims (claim) ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (claim, model)
) WITHOUT ROWID;

-- What providers have said about their models: numbers, never text.
-- user_id is empty for what counts for all. was: the window that the stated one lowered, so that another setting is
-- tried again.
CREATE TABLE learned_models (
    used_as TEXT NOT NULL,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    window INTEGER,
    was INTEGER,
    samples_json TEXT NOT NULL,
    updated_ts REAL NOT NULL,
    PRIMARY KEY (user_id, used_as, model)
) WITHOUT ROWID;

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

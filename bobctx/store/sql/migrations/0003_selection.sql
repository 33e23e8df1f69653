-- What choosing claims for a task needs: their sources and words, disputed values, contexts, votes.
-- Claims are derived: what is missing beside those that are there is made when the file is first used.

DROP TABLE claims_fts;

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
    words INTEGER NOT NULL
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

DROP TABLE feedback;

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

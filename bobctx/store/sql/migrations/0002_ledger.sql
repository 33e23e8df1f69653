-- Spend, who read originals, further names of conversations (design, sections 3, 5 and 9).

CREATE TABLE spend (
    spend INTEGER PRIMARY KEY,
    conv INTEGER REFERENCES conversations (conv),
    seat TEXT NOT NULL,
    usd REAL NOT NULL,
    settled INTEGER NOT NULL DEFAULT 0,
    booked_ts REAL NOT NULL
);

CREATE INDEX spend_by_time ON spend (booked_ts);

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

CREATE TABLE aliases (
    user_id TEXT NOT NULL,
    alias TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    created_ts REAL NOT NULL,
    PRIMARY KEY (user_id, alias)
) WITHOUT ROWID;

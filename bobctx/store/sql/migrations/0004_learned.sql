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

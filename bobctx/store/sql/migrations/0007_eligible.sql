-- What is filtered before a shortlist is cut: how new the newest claim is, and what of the totals is local.
-- Totals are sums over claims: they are made again here. Traces are trimmed by conversation with every new one.
DROP TABLE claim_totals;

CREATE TABLE claim_totals (
    conv INTEGER PRIMARY KEY REFERENCES conversations (conv),
    claims INTEGER NOT NULL,
    words INTEGER NOT NULL,
    local_claims INTEGER NOT NULL,
    local_words INTEGER NOT NULL,
    newest REAL NOT NULL
);

INSERT INTO claim_totals (conv, claims, words, local_claims, local_words, newest)
SELECT c.conv, count(*), sum(f.words), sum(c.egress = 'local'), sum(iif(c.egress = 'local', f.words, 0)),
       max(f.valid_from)
FROM claims AS c JOIN claim_facts AS f ON f.claim = c.claim WHERE c.active = 1 GROUP BY c.conv;

CREATE INDEX runs_of_conversation ON runs (conv, run);

-- name: claim_facts_insert
INSERT INTO claim_facts (claim, sources, literal, valid_from, speaker, words, scope_terms, terms, evidence_json)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: claim_facts_terms
SELECT scope_terms, terms FROM claim_facts WHERE claim = ?;

-- name: claim_value_insert
INSERT OR REPLACE INTO claim_values (subject, claim, value) VALUES (?, ?, ?);

-- name: claims_without_facts
SELECT 1 FROM claims AS c LEFT JOIN claim_facts AS f ON f.claim = c.claim WHERE f.claim IS NULL LIMIT 1;

-- name: claim_facts_clear
DELETE FROM claim_facts;

-- name: claim_values_clear
DELETE FROM claim_values;

-- name: claims_to_describe
SELECT c.claim, c.conv, v.user_id, c.claim_id, c.type, c.text, c.cites_json, c.active, c.egress,
       (SELECT k.claims_json FROM compactions AS k WHERE k.conv = c.conv AND k.compaction_id = c.compaction_id)
FROM claims AS c JOIN conversations AS v ON v.conv = c.conv ORDER BY c.claim;

-- name: claim_totals_set
-- Statistics of a scope are sums over its conversations.
INSERT OR REPLACE INTO claim_totals (conv, claims, words, local_claims, local_words, newest)
SELECT ?, count(*), coalesce(sum(f.words), 0), coalesce(sum(c.egress = 'local'), 0),
       coalesce(sum(iif(c.egress = 'local', f.words, 0)), 0), coalesce(max(f.valid_from), 0)
FROM claims AS c JOIN claim_facts AS f ON f.claim = c.claim WHERE c.conv = ? AND c.active = 1;

-- name: conversations_with_claims
SELECT DISTINCT conv FROM claims;

-- name: cited_messages
SELECT m.seq, m.message_id, m.role, coalesce(m.created_at, m.first_seen_ts), m.speaker
FROM json_each(?) AS wanted JOIN messages AS m ON m.id = wanted.value ORDER BY m.id;

-- name: owner
SELECT user_id FROM conversations WHERE conv = ?;

-- name: totals_of_conversation
SELECT claims, words, local_claims, local_words FROM claim_totals WHERE conv = ?;

-- name: totals_of_user
SELECT coalesce(sum(t.claims), 0), coalesce(sum(t.words), 0),
       coalesce(sum(t.local_claims), 0), coalesce(sum(t.local_words), 0)
FROM conversations AS v JOIN claim_totals AS t ON t.conv = v.conv WHERE v.user_id = ?;

-- name: claims_match
SELECT rowid FROM claims_fts WHERE claims_fts MATCH ? ORDER BY rowid DESC LIMIT ?;

-- name: claims_count
-- Bounded: beyond so many a word is common, however many more there are.
SELECT count(*) FROM (SELECT 1 FROM claims_fts WHERE claims_fts MATCH ? LIMIT ?);

-- name: claims_hydrated
-- The scope is asked for again: whatever named a row, only rows of this scope come back.
SELECT c.claim, c.claim_id, c.alias, v.conversation_id, c.conv, c.type, c.importance, c.text, c.active,
       c.superseded_by, c.egress, c.salience, c.cites_json, f.sources, f.literal, f.valid_from, f.speaker, f.terms,
       f.evidence_json,
       EXISTS (SELECT 1 FROM pins AS p WHERE p.conv = c.conv AND p.claim_id = c.claim_id),
       EXISTS (SELECT 1 FROM compactions AS k WHERE k.conv = c.conv AND k.compaction_id = c.compaction_id
               AND k.prompt_version = ? AND k.validator_version = ?)
FROM json_each(?) AS wanted
JOIN claims AS c ON c.claim = wanted.value
JOIN claim_facts AS f ON f.claim = c.claim
JOIN conversations AS v ON v.conv = c.conv
WHERE v.user_id = ? AND (? IS NULL OR v.conversation_id = ?);

-- name: claims_named
SELECT c.claim FROM json_each(?) AS wanted
JOIN conversations AS v ON v.user_id = ? AND (? IS NULL OR v.conversation_id = ?)
JOIN claims AS c ON c.conv = v.conv AND c.claim_id = wanted.value
WHERE c.active = 1 AND (? OR c.egress <> 'local');

-- name: claims_excluded
SELECT c.claim_id, c.alias, c.superseded_by, v.conversation_id
FROM json_each(?) AS wanted
JOIN claims AS c ON c.claim = wanted.value
JOIN conversations AS v ON v.conv = c.conv
WHERE v.user_id = ? AND (? IS NULL OR v.conversation_id = ?) ORDER BY c.claim;

-- name: claim_outcomes
-- One vote for each caller, claim and task: the newest.
SELECT claim_id, outcome FROM (
    SELECT f.claim_id, f.outcome, max(f.feedback)
    FROM json_each(?) AS wanted
    JOIN feedback AS f ON f.conv = wanted.value ->> 0 AND f.claim_id = wanted.value ->> 1
    GROUP BY f.conv, f.claim_id, f.principal, f.task_sha256
);

-- name: rival_values
-- The active claims of the subjects that some claims have values of: the newest so many of each, and those claims.
-- CROSS JOIN fixes the order: from a subject to its claims, never over all claims of a scope.
WITH wanted AS (SELECT value AS claim FROM json_each(:rows)),
subjects AS (
    SELECT DISTINCT mine.subject FROM wanted CROSS JOIN claim_values AS mine ON mine.claim = wanted.claim
),
reached AS (
    SELECT subjects.subject, coalesce((
        SELECT x.claim FROM claim_values AS x
        CROSS JOIN claims AS y ON y.claim = x.claim
        CROSS JOIN conversations AS w ON w.conv = y.conv
        WHERE x.subject = subjects.subject AND y.active = 1 AND w.user_id = :user
              AND (:conversation IS NULL OR w.conversation_id = :conversation) AND (:local OR y.egress <> 'local')
        ORDER BY x.claim DESC LIMIT 1 OFFSET :limit
    ), 0) AS after
    FROM subjects
),
sides AS (
    SELECT reached.subject, theirs.claim, theirs.value
    FROM reached
    CROSS JOIN claim_values AS theirs ON theirs.subject = reached.subject AND theirs.claim > reached.after
    UNION
    SELECT mine.subject, mine.claim, mine.value
    FROM wanted CROSS JOIN claim_values AS mine ON mine.claim = wanted.claim
)
SELECT sides.subject, sides.claim, c.claim_id, sides.value, f.valid_from
FROM sides
CROSS JOIN claims AS c ON c.claim = sides.claim
CROSS JOIN claim_facts AS f ON f.claim = c.claim
CROSS JOIN conversations AS v ON v.conv = c.conv
WHERE c.active = 1 AND v.user_id = :user
      AND (:conversation IS NULL OR v.conversation_id = :conversation) AND (:local OR c.egress <> 'local');

-- name: claims_not_yet
-- Active claims of a later time, with their words.
SELECT c.claim, f.words
FROM conversations AS v
CROSS JOIN claim_totals AS t ON t.conv = v.conv AND t.newest > :now
CROSS JOIN claims AS c ON c.conv = v.conv AND c.active = 1 AND (:local OR c.egress <> 'local')
CROSS JOIN claim_facts AS f ON f.claim = c.claim AND f.valid_from > :now
WHERE v.user_id = :user AND (:conversation IS NULL OR v.conversation_id = :conversation);

-- name: compactions_untrusted
SELECT k.compaction_id
FROM conversations AS v CROSS JOIN compactions AS k ON k.conv = v.conv AND k.retired = 0
WHERE v.user_id = :user AND (:conversation IS NULL OR v.conversation_id = :conversation)
      AND (k.prompt_version <> :prompt OR k.validator_version <> :validator);

-- name: claims_untrusted
SELECT c.claim, f.words
FROM conversations AS v
CROSS JOIN claims AS c ON c.conv = v.conv AND c.active = 1 AND (:local OR c.egress <> 'local')
CROSS JOIN claim_facts AS f ON f.claim = c.claim
WHERE v.user_id = :user AND (:conversation IS NULL OR v.conversation_id = :conversation)
      AND c.compaction_id IN (SELECT value FROM json_each(:compactions));

-- name: claims_lost
SELECT c.claim, f.words
FROM json_each(:lost) AS wanted
CROSS JOIN conversations AS v ON v.user_id = :user
CROSS JOIN claims AS c ON c.conv = v.conv AND c.claim_id = wanted.value AND c.active = 1
CROSS JOIN claim_facts AS f ON f.claim = c.claim
WHERE (:conversation IS NULL OR v.conversation_id = :conversation) AND (:local OR c.egress <> 'local');

-- name: disputed_subjects
-- Subjects with more than one value among the active claims of a scope.
SELECT s.subject, s.claim, c.claim_id, s.value, f.valid_from
FROM conversations AS v
JOIN claims AS c ON c.conv = v.conv AND c.active = 1
JOIN claim_values AS s ON s.claim = c.claim
JOIN claim_facts AS f ON f.claim = c.claim
WHERE v.user_id = ? AND (? IS NULL OR v.conversation_id = ?);

-- name: resolutions_of_user
SELECT r.conflict_id, r.keep, r.lost_json, v.conversation_id, r.created_ts
FROM resolutions AS r JOIN conversations AS v ON v.conv = r.conv
WHERE r.user_id = ? ORDER BY r.conflict_id;

-- name: resolution_insert
INSERT OR REPLACE INTO resolutions (user_id, conflict_id, conv, keep, lost_json, principal, created_ts)
VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: claims_that_say_the_same
-- Of some claims of a user those that give a subject the value that another claim gives it.
SELECT DISTINCT c.claim_id
FROM json_each(?) AS wanted
CROSS JOIN conversations AS v ON v.user_id = ?
CROSS JOIN claims AS c ON c.conv = v.conv AND c.claim_id = wanted.value
CROSS JOIN claim_values AS theirs ON theirs.claim = c.claim
CROSS JOIN conversations AS w ON w.user_id = v.user_id
CROSS JOIN claims AS k ON k.conv = w.conv AND k.claim_id = ?
CROSS JOIN claim_values AS kept
    ON kept.claim = k.claim AND kept.subject = theirs.subject AND kept.value = theirs.value
WHERE theirs.subject = ?;

-- name: resolution_touch
-- Prompts of the conversations that hold a losing claim change.
UPDATE conversations SET revision = revision + 1, chain_revision = chain_revision + 1
WHERE user_id = ? AND EXISTS (
    SELECT 1 FROM json_each(?) AS l JOIN claims AS c ON c.conv = conversations.conv AND c.claim_id = l.value
);

-- name: overruled_of
-- Claims of one conversation that an operator decided against.
SELECT DISTINCT l.value FROM resolutions AS r, json_each(r.lost_json) AS l
WHERE r.user_id = ? AND EXISTS (SELECT 1 FROM claims AS c WHERE c.conv = ? AND c.claim_id = l.value);

-- name: conv_of_claim
SELECT c.conv FROM claims AS c JOIN conversations AS v ON v.conv = c.conv
WHERE v.user_id = ? AND c.claim_id = ? LIMIT 1;

-- name: resolutions_kept
SELECT conflict_id, conv, keep, lost_json FROM resolutions WHERE user_id = ?;

-- name: resolution_lost
SELECT lost_json FROM resolutions WHERE user_id = ? AND conflict_id = ?;

-- name: resolution_anchor
UPDATE resolutions SET conv = ? WHERE user_id = ? AND conflict_id = ?;

-- name: resolution_change
UPDATE resolutions SET keep = ?, lost_json = ? WHERE user_id = ? AND conflict_id = ?;

-- name: resolution_delete
DELETE FROM resolutions WHERE user_id = ? AND conflict_id = ?;

-- name: context_insert
INSERT INTO contexts (context_id, user_id, conv, task_sha256, items, candidates, used, degraded, data_json, created_ts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: newest_edit
SELECT max(last_edit_ts) FROM conversations WHERE user_id = ? AND (? IS NULL OR conversation_id = ?);

-- name: context_get
SELECT v.conversation_id, x.conv, x.task_sha256, x.data_json, x.created_ts
FROM contexts AS x LEFT JOIN conversations AS v ON v.conv = x.conv WHERE x.context_id = ? AND x.user_id = ?;

-- name: contexts_trim
-- The newest contexts of a user are kept; the oldest go.
DELETE FROM contexts WHERE user_id = ? AND context <= (
    SELECT context FROM contexts WHERE user_id = ? ORDER BY context DESC LIMIT 1 OFFSET ?
);

-- name: contexts_delete
-- What was made from all conversations of the user may name claims of this one.
DELETE FROM contexts WHERE conv = ? OR (conv IS NULL AND user_id = (SELECT user_id FROM conversations WHERE conv = ?));

-- name: contexts_export
SELECT data_json FROM contexts WHERE conv = ? ORDER BY context;

-- name: contexts_of_user_export
SELECT data_json FROM contexts WHERE user_id = ? AND conv IS NULL ORDER BY context;

-- name: run_of_user
SELECT v.conversation_id, r.conv, r.data_json, r.created_ts
FROM runs AS r JOIN conversations AS v ON v.conv = r.conv WHERE r.trace_id = ? AND v.user_id = ?;

-- name: feedback_insert
INSERT INTO feedback (feedback_id, user_id, conv, context_id, claim_id, principal, task_sha256, outcome, reason_code,
                      mutation, body_sha256, created_ts)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: feedback_by_mutation
SELECT feedback_id, context_id, claim_id, outcome, body_sha256, created_ts FROM feedback
WHERE user_id = ? AND mutation = ?;

-- name: feedback_delete
DELETE FROM feedback WHERE conv = ? AND claim_id = ?;

-- name: feedback_delete_all
DELETE FROM feedback
WHERE conv = ? OR (conv IS NULL AND user_id = (SELECT user_id FROM conversations WHERE conv = ?));

-- name: export_feedback
SELECT feedback_id, context_id, claim_id, principal, task_sha256, outcome, reason_code, created_ts
FROM feedback WHERE conv = ? ORDER BY feedback;

-- name: overview_contexts
SELECT count(*), sum(x.items > 0), avg(x.items), avg(x.candidates), avg(x.used), sum(x.degraded)
FROM contexts AS x LEFT JOIN conversations AS v ON v.conv = x.conv
WHERE x.user_id = ? AND (? IS NULL OR v.conversation_id = ?);

-- name: overview_runs
SELECT count(*), sum(coalesce(r.data_json ->> '$.decision.claims_shown', 0) > 0)
FROM conversations AS v JOIN runs AS r ON r.conv = v.conv
WHERE v.user_id = ? AND (? IS NULL OR v.conversation_id = ?) AND r.kind = 'assemble';

-- name: overview_feedback
SELECT f.outcome, count(*) FROM feedback AS f LEFT JOIN conversations AS v ON v.conv = f.conv
WHERE f.user_id = ? AND (? IS NULL OR v.conversation_id = ?) GROUP BY f.outcome;

-- name: overview_claims
SELECT count(*), coalesce(sum(c.active), 0) FROM conversations AS v JOIN claims AS c ON c.conv = v.conv
WHERE v.user_id = ? AND (? IS NULL OR v.conversation_id = ?);

-- name: overview_replies
SELECT sum(r.usage_json ->> '$.prompt_tokens'), sum(r.usage_json ->> '$.completion_tokens'), sum(r.cost_usd)
FROM conversations AS v JOIN replies AS r ON r.conv = v.conv
WHERE v.user_id = ? AND (? IS NULL OR v.conversation_id = ?);

-- name: vectors_of_scope
SELECT c.claim, c.claim_id, x.vector
FROM conversations AS v
JOIN claims AS c ON c.conv = v.conv AND c.active = 1
JOIN claim_vectors AS x ON x.claim = c.claim AND x.model = :model
WHERE v.user_id = :user AND (:conversation IS NULL OR v.conversation_id = :conversation)
      AND (:local OR c.egress <> 'local')
      AND (:kinds IS NULL OR c.type IN (SELECT value FROM json_each(:kinds)));

-- name: claims_without_vector
SELECT c.claim, c.claim_id, c.text
FROM conversations AS v JOIN claims AS c ON c.conv = v.conv AND c.active = 1
WHERE v.user_id = :user AND (:conversation IS NULL OR v.conversation_id = :conversation)
      AND (:local OR c.egress <> 'local')
      AND (:kinds IS NULL OR c.type IN (SELECT value FROM json_each(:kinds)))
      AND NOT EXISTS (SELECT 1 FROM claim_vectors AS x WHERE x.claim = c.claim AND x.model = :model)
ORDER BY c.claim DESC LIMIT :limit;

-- name: vector_insert
-- Only where the claim is still the one that was read.
INSERT OR REPLACE INTO claim_vectors (claim, model, vector)
SELECT c.claim, ?, ? FROM claims AS c WHERE c.claim = ? AND c.claim_id = ?;

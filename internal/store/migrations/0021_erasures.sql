-- Forgetting (ADR 23): the erasures of people. The reference of the applicant is readable
-- until the erasure is completed, and then ''. A completed erasure is never changed.
--
-- refs are the replacements and trees the numbers of the key trees from which the person's
-- keys were removed, separated by spaces. started_leaf and leaf are the entries in the
-- journal of the beginning and of the end, -1 if there is none.
CREATE TABLE erasures (
  tenant_id        TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment      TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id               TEXT   NOT NULL,
  state            TEXT   NOT NULL CHECK (state IN ('running', 'completed')),
  applicant_ref    TEXT   NOT NULL,
  decision_id      TEXT   NOT NULL,
  reason           TEXT   NOT NULL,
  actor            TEXT   NOT NULL,
  created_micros   BIGINT NOT NULL,
  erased_micros    BIGINT NOT NULL,
  decisions        BIGINT NOT NULL,
  features         BIGINT NOT NULL,
  runs             BIGINT NOT NULL,
  answers          BIGINT NOT NULL,
  alert_refs       BIGINT NOT NULL,
  links            BIGINT NOT NULL,
  refs             TEXT   NOT NULL,
  trees            TEXT   NOT NULL,
  started_leaf     BIGINT NOT NULL,
  leaf             BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX erasures_page ON erasures (tenant_id, environment, created_micros, id);
CREATE UNIQUE INDEX erasures_open ON erasures (tenant_id, environment, applicant_ref, decision_id)
  WHERE state <> 'completed';

-- What is held about a person is found without a scan.
CREATE INDEX agent_runs_decision ON agent_runs (tenant_id, environment, decision_id) WHERE decision_id <> '';
CREATE INDEX fraud_alert_evidence_ref ON fraud_alert_evidence (tenant_id, environment, part, ref);
CREATE INDEX idempotency_keys_subject ON idempotency_keys (tenant_id, environment, subject)
  WHERE subject <> '' AND length(body) > 0;

-- The key must stay the youngest index (see 0001).

-- +postgres
ALTER TABLE agent_runs DROP CONSTRAINT agent_runs_pkey;
ALTER TABLE agent_runs ADD PRIMARY KEY (tenant_id, environment, id);
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey;
ALTER TABLE idempotency_keys ADD PRIMARY KEY (tenant_id, environment, route, name);

-- How often keys of the scope's people were removed from the tenant's key trees. A
-- transaction that stores what it sealed compares this number with the one that its key
-- tree had. (SQLite has one process, which counts in memory.)
ALTER TABLE journal_heads ADD COLUMN key_changes BIGINT NOT NULL DEFAULT 0;
-- +end

-- A decision, its features and a run are never changed, with two exceptions: a readable
-- document is sealed once, and a document is emptied. When a person is erased, the
-- reference is replaced in the statement that empties the documents.

-- +sqlite
DROP TRIGGER decisions_unchanged;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF tenant_id, environment, id, created_micros, status,
  grade, policy_key, policy_id, policy_version, endpoint, engine_version, hash, actor ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER decisions_reference_replaced BEFORE UPDATE OF applicant_ref ON decisions
WHEN NEW.applicant_ref <> OLD.applicant_ref AND NOT (OLD.applicant_ref <> ''
  AND substr(NEW.applicant_ref, 1, 7) = 'erased:' AND length(NEW.response) = 0 AND length(NEW.facts) = 0)
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
DROP TRIGGER decisions_sealed_once;
CREATE TRIGGER decisions_sealed_once BEFORE UPDATE OF response, facts ON decisions
WHEN NOT (
  (NEW.response = OLD.response OR length(NEW.response) = 0
  OR length(OLD.response) > 0 AND substr(OLD.response, 1, 1) <> x'E1' AND substr(NEW.response, 1, 1) = x'E1')
  AND (NEW.facts = OLD.facts OR length(NEW.facts) = 0
  OR length(OLD.facts) > 0 AND substr(OLD.facts, 1, 1) <> x'E1' AND substr(NEW.facts, 1, 1) = x'E1'))
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;

DROP TRIGGER decision_features_unchanged;
CREATE TRIGGER decision_features_unchanged BEFORE UPDATE ON decision_features
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.decision_id <> OLD.decision_id
  OR NEW.as_of <> OLD.as_of OR NEW.hash <> OLD.hash OR NOT (
  (NEW.vector = OLD.vector OR length(NEW.vector) = 0
  OR length(OLD.vector) > 0 AND substr(OLD.vector, 1, 1) <> x'E1' AND substr(NEW.vector, 1, 1) = x'E1')
  AND (NEW.source = OLD.source OR length(NEW.source) = 0
  OR length(OLD.source) > 0 AND substr(OLD.source, 1, 1) <> x'E1' AND substr(NEW.source, 1, 1) = x'E1'))
BEGIN SELECT RAISE(ABORT, 'a feature vector is never changed'); END;

DROP TRIGGER agent_runs_unchanged;
CREATE TRIGGER agent_runs_unchanged BEFORE UPDATE ON agent_runs
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.id <> OLD.id
  OR NEW.agent <> OLD.agent OR NEW.created_micros <> OLD.created_micros OR NEW.actor <> OLD.actor
  OR NEW.decision_id <> OLD.decision_id OR NEW.outcome <> OLD.outcome OR NEW.hash <> OLD.hash
  OR NEW.subject_ref <> OLD.subject_ref AND NOT (OLD.subject_ref <> ''
  AND substr(NEW.subject_ref, 1, 7) = 'erased:' AND length(NEW.request) = 0 AND length(NEW.response) = 0)
  OR NOT (
  (NEW.request = OLD.request OR length(NEW.request) = 0
  OR length(OLD.request) > 0 AND substr(OLD.request, 1, 1) <> x'E1' AND substr(NEW.request, 1, 1) = x'E1')
  AND (NEW.response = OLD.response OR length(NEW.response) = 0
  OR length(OLD.response) > 0 AND substr(OLD.response, 1, 1) <> x'E1' AND substr(NEW.response, 1, 1) = x'E1'))
BEGIN SELECT RAISE(ABORT, 'a run is never changed'); END;

DROP TRIGGER fraud_alert_evidence_unchanged;
CREATE TRIGGER fraud_alert_evidence_unchanged BEFORE UPDATE ON fraud_alert_evidence
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.alert_id <> OLD.alert_id
  OR NEW.part <> OLD.part OR NEW.position <> OLD.position OR NEW.seen_micros <> OLD.seen_micros
  OR OLD.part <> 'applicant' OR substr(NEW.ref, 1, 5) <> 'hmac:'
BEGIN SELECT RAISE(ABORT, 'evidence is only added to'); END;

CREATE TRIGGER erasures_unchanged BEFORE UPDATE ON erasures
WHEN OLD.state = 'completed'
BEGIN SELECT RAISE(ABORT, 'a completed erasure is never changed'); END;
CREATE TRIGGER erasures_kept BEFORE DELETE ON erasures
BEGIN SELECT RAISE(ABORT, 'erasures are only added to'); END;
-- +end

-- +postgres
DROP TRIGGER decisions_unchanged ON decisions;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF tenant_id, environment, id, created_micros, status,
  grade, policy_key, policy_id, policy_version, endpoint, engine_version, hash, actor ON decisions
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decisions_reference_replaced BEFORE UPDATE OF applicant_ref ON decisions
  FOR EACH ROW WHEN (NEW.applicant_ref <> OLD.applicant_ref AND NOT (OLD.applicant_ref <> ''
  AND substr(NEW.applicant_ref, 1, 7) = 'erased:' AND length(NEW.response) = 0 AND length(NEW.facts) = 0))
  EXECUTE FUNCTION verdict_refuse();
DROP TRIGGER decisions_sealed_once ON decisions;
CREATE TRIGGER decisions_sealed_once BEFORE UPDATE OF response, facts ON decisions
  FOR EACH ROW WHEN (NOT (
  (NEW.response = OLD.response OR length(NEW.response) = 0
  OR length(OLD.response) > 0 AND substr(OLD.response, 1, 1) <> '\xE1' AND substr(NEW.response, 1, 1) = '\xE1')
  AND (NEW.facts = OLD.facts OR length(NEW.facts) = 0
  OR length(OLD.facts) > 0 AND substr(OLD.facts, 1, 1) <> '\xE1' AND substr(NEW.facts, 1, 1) = '\xE1')))
  EXECUTE FUNCTION verdict_refuse();

DROP TRIGGER decision_features_unchanged ON decision_features;
CREATE TRIGGER decision_features_unchanged BEFORE UPDATE ON decision_features
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment
  OR NEW.decision_id <> OLD.decision_id
  OR NEW.as_of <> OLD.as_of OR NEW.hash <> OLD.hash OR NOT (
  (NEW.vector = OLD.vector OR length(NEW.vector) = 0
  OR length(OLD.vector) > 0 AND substr(OLD.vector, 1, 1) <> '\xE1' AND substr(NEW.vector, 1, 1) = '\xE1')
  AND (NEW.source = OLD.source OR length(NEW.source) = 0
  OR length(OLD.source) > 0 AND substr(OLD.source, 1, 1) <> '\xE1' AND substr(NEW.source, 1, 1) = '\xE1')))
  EXECUTE FUNCTION verdict_refuse();

DROP TRIGGER agent_runs_unchanged ON agent_runs;
CREATE TRIGGER agent_runs_unchanged BEFORE UPDATE ON agent_runs
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.id <> OLD.id
  OR NEW.agent <> OLD.agent OR NEW.created_micros <> OLD.created_micros OR NEW.actor <> OLD.actor
  OR NEW.decision_id <> OLD.decision_id OR NEW.outcome <> OLD.outcome OR NEW.hash <> OLD.hash
  OR NEW.subject_ref <> OLD.subject_ref AND NOT (OLD.subject_ref <> ''
  AND substr(NEW.subject_ref, 1, 7) = 'erased:' AND length(NEW.request) = 0 AND length(NEW.response) = 0)
  OR NOT (
  (NEW.request = OLD.request OR length(NEW.request) = 0
  OR length(OLD.request) > 0 AND substr(OLD.request, 1, 1) <> '\xE1' AND substr(NEW.request, 1, 1) = '\xE1')
  AND (NEW.response = OLD.response OR length(NEW.response) = 0
  OR length(OLD.response) > 0 AND substr(OLD.response, 1, 1) <> '\xE1' AND substr(NEW.response, 1, 1) = '\xE1')))
  EXECUTE FUNCTION verdict_refuse();

DROP TRIGGER fraud_alert_evidence_unchanged ON fraud_alert_evidence;
CREATE TRIGGER fraud_alert_evidence_unchanged BEFORE UPDATE ON fraud_alert_evidence
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment
  OR NEW.alert_id <> OLD.alert_id
  OR NEW.part <> OLD.part OR NEW.position <> OLD.position OR NEW.seen_micros <> OLD.seen_micros
  OR OLD.part <> 'applicant' OR substr(NEW.ref, 1, 5) <> 'hmac:')
  EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER fraud_alert_evidence_not_deleted BEFORE DELETE ON fraud_alert_evidence
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();

CREATE TRIGGER erasures_unchanged BEFORE UPDATE ON erasures
  FOR EACH ROW WHEN (OLD.state = 'completed')
  EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER erasures_not_deleted BEFORE DELETE ON erasures
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER erasures_kept BEFORE TRUNCATE ON erasures
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();
ALTER TABLE erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON erasures USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

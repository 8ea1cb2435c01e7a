-- The documents of decisions, their features and the agents' runs are stored encrypted
-- (ADR 23). A sealed document begins with the byte E1, a readable one never does. Documents
-- that were stored readable are replaced by their ciphertexts once; they are never changed
-- otherwise.

-- +sqlite
DROP TRIGGER decisions_unchanged;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF tenant_id, environment, id, created_micros, applicant_ref, status,
  grade, policy_key, policy_id, policy_version, endpoint, engine_version, hash, actor ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER decisions_sealed_once BEFORE UPDATE OF response, facts ON decisions
WHEN substr(OLD.response, 1, 1) = x'E1' OR substr(OLD.facts, 1, 1) = x'E1'
  OR substr(NEW.response, 1, 1) <> x'E1' OR substr(NEW.facts, 1, 1) <> x'E1'
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;

DROP TRIGGER decision_features_unchanged;
CREATE TRIGGER decision_features_unchanged BEFORE UPDATE ON decision_features
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.decision_id <> OLD.decision_id
  OR NEW.as_of <> OLD.as_of OR NEW.hash <> OLD.hash
  OR substr(OLD.vector, 1, 1) = x'E1' OR substr(OLD.source, 1, 1) = x'E1'
  OR substr(NEW.vector, 1, 1) <> x'E1' OR substr(NEW.source, 1, 1) <> x'E1'
BEGIN SELECT RAISE(ABORT, 'a feature vector is never changed'); END;

DROP TRIGGER agent_runs_unchanged;
CREATE TRIGGER agent_runs_unchanged BEFORE UPDATE ON agent_runs
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.id <> OLD.id
  OR NEW.agent <> OLD.agent OR NEW.created_micros <> OLD.created_micros OR NEW.actor <> OLD.actor
  OR NEW.subject_ref <> OLD.subject_ref OR NEW.decision_id <> OLD.decision_id OR NEW.outcome <> OLD.outcome
  OR NEW.hash <> OLD.hash
  OR substr(OLD.request, 1, 1) = x'E1' OR substr(OLD.response, 1, 1) = x'E1'
  OR substr(NEW.request, 1, 1) <> x'E1' OR substr(NEW.response, 1, 1) <> x'E1'
BEGIN SELECT RAISE(ABORT, 'a run is never changed'); END;
-- +end

-- +postgres
DROP TRIGGER decisions_unchanged ON decisions;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF tenant_id, environment, id, created_micros, applicant_ref, status,
  grade, policy_key, policy_id, policy_version, endpoint, engine_version, hash, actor ON decisions
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decisions_sealed_once BEFORE UPDATE OF response, facts ON decisions
  FOR EACH ROW WHEN (substr(OLD.response, 1, 1) = '\xE1' OR substr(OLD.facts, 1, 1) = '\xE1'
    OR substr(NEW.response, 1, 1) <> '\xE1' OR substr(NEW.facts, 1, 1) <> '\xE1')
  EXECUTE FUNCTION verdict_refuse();

DROP TRIGGER decision_features_unchanged ON decision_features;
CREATE TRIGGER decision_features_unchanged BEFORE UPDATE ON decision_features
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment
    OR NEW.decision_id <> OLD.decision_id OR NEW.as_of <> OLD.as_of OR NEW.hash <> OLD.hash
    OR substr(OLD.vector, 1, 1) = '\xE1' OR substr(OLD.source, 1, 1) = '\xE1'
    OR substr(NEW.vector, 1, 1) <> '\xE1' OR substr(NEW.source, 1, 1) <> '\xE1')
  EXECUTE FUNCTION verdict_refuse();

DROP TRIGGER agent_runs_unchanged ON agent_runs;
CREATE TRIGGER agent_runs_unchanged BEFORE UPDATE ON agent_runs
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.id <> OLD.id
    OR NEW.agent <> OLD.agent OR NEW.created_micros <> OLD.created_micros OR NEW.actor <> OLD.actor
    OR NEW.subject_ref <> OLD.subject_ref OR NEW.decision_id <> OLD.decision_id OR NEW.outcome <> OLD.outcome
    OR NEW.hash <> OLD.hash
    OR substr(OLD.request, 1, 1) = '\xE1' OR substr(OLD.response, 1, 1) = '\xE1'
    OR substr(NEW.request, 1, 1) <> '\xE1' OR substr(NEW.response, 1, 1) <> '\xE1')
  EXECUTE FUNCTION verdict_refuse();
-- +end

-- The decision or the run that an answer is about. If the body is empty, the answer is the
-- stored answer of that object. It is '' for other answers, which have a body.
ALTER TABLE idempotency_keys ADD COLUMN subject TEXT NOT NULL DEFAULT '';

-- The people of a decision other than the primary applicant (ADR 30), by the lender's
-- references. facts holds the facts about the person, encrypted with the person's key.
-- Decisions from before, and people without a reference, have no row: their facts are in
-- the column facts of the decision.
CREATE TABLE decision_people (
  tenant_id   TEXT  NOT NULL CHECK (tenant_id <> ''),
  environment TEXT  NOT NULL CHECK (environment IN ('sandbox', 'live')),
  decision_id TEXT  NOT NULL CHECK (decision_id <> ''),
  role        TEXT  NOT NULL CHECK (role <> ''),
  person_ref  TEXT  NOT NULL CHECK (person_ref <> ''),
  facts       BYTEA NOT NULL,
  PRIMARY KEY (tenant_id, environment, decision_id, role)
);
CREATE INDEX decision_people_ref ON decision_people (tenant_id, environment, person_ref, decision_id);

-- How many documents of people in these roles an erasure has emptied.
ALTER TABLE erasures ADD COLUMN co_applicants BIGINT NOT NULL DEFAULT 0;
ALTER TABLE erasures ADD COLUMN guarantors BIGINT NOT NULL DEFAULT 0;

-- As in 0021: a readable document is sealed once, and a document is emptied. When the
-- person is erased, the reference is replaced in the statement that empties the document.

-- +sqlite
CREATE TRIGGER decision_people_unchanged BEFORE UPDATE ON decision_people
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.decision_id <> OLD.decision_id
  OR NEW.role <> OLD.role
  OR NEW.person_ref <> OLD.person_ref AND NOT (substr(NEW.person_ref, 1, 7) = 'erased:' AND length(NEW.facts) = 0)
  OR NOT (NEW.facts = OLD.facts OR length(NEW.facts) = 0
  OR length(OLD.facts) > 0 AND substr(OLD.facts, 1, 1) <> x'E1' AND substr(NEW.facts, 1, 1) = x'E1')
BEGIN SELECT RAISE(ABORT, 'the people of a decision are never changed'); END;
CREATE TRIGGER decision_people_kept BEFORE DELETE ON decision_people
BEGIN SELECT RAISE(ABORT, 'the people of decisions are only added to'); END;
-- +end

-- +postgres
CREATE TRIGGER decision_people_unchanged BEFORE UPDATE ON decision_people
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment
  OR NEW.decision_id <> OLD.decision_id OR NEW.role <> OLD.role
  OR NEW.person_ref <> OLD.person_ref AND NOT (substr(NEW.person_ref, 1, 7) = 'erased:' AND length(NEW.facts) = 0)
  OR NOT (NEW.facts = OLD.facts OR length(NEW.facts) = 0
  OR length(OLD.facts) > 0 AND substr(OLD.facts, 1, 1) <> '\xE1' AND substr(NEW.facts, 1, 1) = '\xE1'))
  EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decision_people_not_deleted BEFORE DELETE ON decision_people
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decision_people_kept BEFORE TRUNCATE ON decision_people
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();
ALTER TABLE decision_people ENABLE ROW LEVEL SECURITY;
ALTER TABLE decision_people FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON decision_people USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

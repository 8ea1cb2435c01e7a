-- What an agent did: the steps it took, what it recommended and what it was
-- asked, so that a run can be read again and repeated. A run is never changed.

CREATE TABLE agent_runs (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id             TEXT   NOT NULL,
  agent          TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  actor          TEXT   NOT NULL,
  subject_ref    TEXT   NOT NULL,
  decision_id    TEXT   NOT NULL,
  outcome        TEXT   NOT NULL,
  hash           TEXT   NOT NULL,
  request        BYTEA  NOT NULL,
  response       BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX agent_runs_page ON agent_runs (tenant_id, environment, created_micros, id);
CREATE INDEX agent_runs_agent ON agent_runs (tenant_id, environment, agent, created_micros, id);

-- +sqlite
CREATE TRIGGER agent_runs_unchanged BEFORE UPDATE ON agent_runs
BEGIN SELECT RAISE(ABORT, 'a run is never changed'); END;
-- +end

-- +postgres
CREATE TRIGGER agent_runs_unchanged BEFORE UPDATE ON agent_runs
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
ALTER TABLE agent_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON agent_runs USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

-- How a tenant collects in one environment. Every version is kept, so that a
-- run can be repeated under the strategy it was made with.

CREATE TABLE collections_strategies (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  version        BIGINT NOT NULL CHECK (version > 0),
  document       BYTEA  NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, version)
);

-- +sqlite
CREATE TRIGGER collections_strategies_unchanged BEFORE UPDATE ON collections_strategies
BEGIN SELECT RAISE(ABORT, 'a version of a strategy is never changed'); END;
-- +end

-- +postgres
CREATE TRIGGER collections_strategies_unchanged BEFORE UPDATE ON collections_strategies
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
ALTER TABLE collections_strategies ENABLE ROW LEVEL SECURITY;
ALTER TABLE collections_strategies FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON collections_strategies USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

-- People look for the runs about one borrower, and for those that were held.
CREATE INDEX agent_runs_subject ON agent_runs (tenant_id, environment, subject_ref, created_micros, id);
CREATE INDEX agent_runs_outcome ON agent_runs (tenant_id, environment, outcome, created_micros, id);

-- The key must stay the youngest index (see 0001).

-- +postgres
ALTER TABLE agent_runs DROP CONSTRAINT agent_runs_pkey;
ALTER TABLE agent_runs ADD PRIMARY KEY (tenant_id, environment, id);
-- +end

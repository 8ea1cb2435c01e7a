-- The feature vector of a decision, and the canonical history it was made of,
-- so that a feature can say later which records made it.

CREATE TABLE decision_features (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  decision_id TEXT   NOT NULL,
  as_of       TEXT   NOT NULL,
  hash        TEXT   NOT NULL,
  vector      BYTEA  NOT NULL,
  source      BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, decision_id)
);

-- +sqlite
CREATE TRIGGER decision_features_unchanged BEFORE UPDATE ON decision_features
BEGIN SELECT RAISE(ABORT, 'a feature vector is never changed'); END;
-- +end

-- +postgres
CREATE TRIGGER decision_features_unchanged BEFORE UPDATE ON decision_features
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
ALTER TABLE decision_features ENABLE ROW LEVEL SECURITY;
ALTER TABLE decision_features FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON decision_features USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

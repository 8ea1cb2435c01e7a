-- The filters of the list of decisions that people have saved under a name. A filter has no text that somebody searched
-- for, so it names no applicant.
CREATE TABLE saved_filters (
  tenant_id    TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment  TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  user_id      TEXT   NOT NULL,
  name         TEXT   NOT NULL,
  query        TEXT   NOT NULL,
  saved_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, user_id, name)
);

-- +postgres
ALTER TABLE saved_filters ENABLE ROW LEVEL SECURITY;
ALTER TABLE saved_filters FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON saved_filters USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

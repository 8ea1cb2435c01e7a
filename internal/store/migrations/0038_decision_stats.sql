-- Counts of decisions and of the requests for them, by hour and by day in India, for the overview of the console. They
-- are collected in memory and added every few seconds, so that no decision waits for them. The kind comes before the
-- time, because each kind is read for a range of time.
CREATE TABLE decision_stats (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  span        TEXT   NOT NULL CHECK (span IN ('hour', 'day')),
  kind        TEXT   NOT NULL,
  at          TEXT   NOT NULL,
  name        TEXT   NOT NULL,
  count       BIGINT NOT NULL,
  total       BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, span, kind, at, name)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX decision_stats_age ON decision_stats (span, at);

-- +postgres
ALTER TABLE decision_stats ENABLE ROW LEVEL SECURITY;
ALTER TABLE decision_stats FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON decision_stats USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

-- Loans that the lender has reported, and recent requests (ADR 26).
--
-- document holds the product, the outstanding amount, the instalment and the days past due,
-- encrypted with the person's key. decision_id names the decision on which the loan was
-- made; it is empty if there is none. closed_micros is when the loan was reported as
-- closed, 0 if it is not. The rows of a person are deleted when the person is erased.
CREATE TABLE exposures (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id             TEXT   NOT NULL CHECK (id <> ''),
  applicant_ref  TEXT   NOT NULL CHECK (applicant_ref <> ''),
  decision_id    TEXT   NOT NULL,
  document       BYTEA  NOT NULL,
  created_micros BIGINT NOT NULL,
  created_by     TEXT   NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  closed_micros  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX exposures_page ON exposures (tenant_id, environment, created_micros, id);
CREATE INDEX exposures_applicant ON exposures (tenant_id, environment, applicant_ref, created_micros, id);
CREATE INDEX exposures_open ON exposures (tenant_id, environment, applicant_ref, id) WHERE closed_micros = 0;
CREATE UNIQUE INDEX exposures_decision ON exposures (tenant_id, environment, decision_id) WHERE decision_id <> '';

-- How many exposures an erasure has deleted.
ALTER TABLE erasures ADD COLUMN exposures BIGINT NOT NULL DEFAULT 0;

-- The requests of the last minutes that were decided under a policy which counts the
-- lender's own decisions. request_key is a keyed hash of the person and the request, by
-- which a repetition is recognised. Rows are deleted when they are older.
CREATE TABLE recent_requests (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  request_key    TEXT   NOT NULL CHECK (request_key <> ''),
  decision_id    TEXT   NOT NULL CHECK (decision_id <> ''),
  created_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, request_key, decision_id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX recent_requests_age ON recent_requests (created_micros, tenant_id, environment, request_key, decision_id);

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['exposures', 'recent_requests'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$
      CREATE POLICY wall ON %I USING (
        (tenant_id = current_setting('verdict.tenant', true)
          AND environment = current_setting('verdict.environment', true))
        OR verdict_is_system())$policy$, t);
  END LOOP;
END $wall$;
-- +end

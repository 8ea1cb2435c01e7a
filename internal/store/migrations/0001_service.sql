-- One text for both databases. A section between "-- +postgres" or "-- +sqlite"
-- and "-- +end" is run on that database alone.
--
-- Times are microseconds since 1970, 0 meaning never; texts that are not there
-- are ''. BYTEA is PostgreSQL's name for bytes; SQLite takes any name and keeps
-- blobs as they are. Tenant and environment lead every key of tenant data.

CREATE TABLE tenants (
  id             TEXT   NOT NULL PRIMARY KEY CHECK (id <> ''),
  org_name       TEXT   NOT NULL,
  plan           TEXT   NOT NULL,
  created_micros BIGINT NOT NULL
);

CREATE TABLE users (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  id             TEXT   NOT NULL,
  email          TEXT   NOT NULL CHECK (email = lower(email)),
  password_hash  TEXT   NOT NULL,
  role           TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX users_email ON users (email);

CREATE TABLE api_keys (
  tenant_id        TEXT   NOT NULL REFERENCES tenants (id),
  environment      TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id               TEXT   NOT NULL,
  name             TEXT   NOT NULL,
  prefix           TEXT   NOT NULL,
  hash             TEXT   NOT NULL,
  role             TEXT   NOT NULL,
  scopes           TEXT   NOT NULL,
  created_by       TEXT   NOT NULL,
  created_micros   BIGINT NOT NULL,
  expires_micros   BIGINT NOT NULL,
  revoked_micros   BIGINT NOT NULL,
  last_used_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE UNIQUE INDEX api_keys_hash ON api_keys (hash);

-- One row for each policy_key and each scorecard name. Whoever adds or
-- activates a version writes this row first, and so waits for whoever else does.
CREATE TABLE series (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  kind           TEXT   NOT NULL CHECK (kind IN ('policy', 'scorecard')),
  name           TEXT   NOT NULL,
  last_version   BIGINT NOT NULL,
  active_id      TEXT   NOT NULL,
  changes        BIGINT NOT NULL,
  changed_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, kind, name)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX series_changed ON series (changed_micros);

CREATE TABLE rule_sets (
  tenant_id        TEXT   NOT NULL REFERENCES tenants (id),
  environment      TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id               TEXT   NOT NULL,
  policy_key       TEXT   NOT NULL,
  version          BIGINT NOT NULL,
  name             TEXT   NOT NULL,
  status           TEXT   NOT NULL CHECK (status IN ('draft', 'active', 'retired')),
  document         BYTEA  NOT NULL,
  checksum         TEXT   NOT NULL,
  base             TEXT   NOT NULL,
  notes            TEXT   NOT NULL,
  created_micros   BIGINT NOT NULL,
  created_by       TEXT   NOT NULL,
  activated_micros BIGINT NOT NULL,
  activated_by     TEXT   NOT NULL,
  retired_micros   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE UNIQUE INDEX rule_sets_one_active ON rule_sets (tenant_id, environment, policy_key) WHERE status = 'active';
CREATE UNIQUE INDEX rule_sets_version ON rule_sets (tenant_id, environment, policy_key, version);
CREATE INDEX rule_sets_page ON rule_sets (tenant_id, environment, created_micros, id);

CREATE TABLE scorecards (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id             TEXT   NOT NULL,
  name           TEXT   NOT NULL,
  version        BIGINT NOT NULL,
  document       BYTEA  NOT NULL,
  checksum       TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  created_by     TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE UNIQUE INDEX scorecards_version ON scorecards (tenant_id, environment, name, version);
CREATE INDEX scorecards_page ON scorecards (tenant_id, environment, created_micros, id);

-- The tables below grow with every request, and name no tenant by foreign key:
-- the check would lock the tenant's row once for each decision.
CREATE TABLE decisions (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id             TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  applicant_ref  TEXT   NOT NULL,
  status         TEXT   NOT NULL,
  grade          TEXT   NOT NULL,
  policy_key     TEXT   NOT NULL,
  policy_id      TEXT   NOT NULL,
  policy_version BIGINT NOT NULL,
  endpoint       TEXT   NOT NULL,
  engine_version TEXT   NOT NULL,
  hash           TEXT   NOT NULL,
  response       BYTEA  NOT NULL,
  facts          BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX decisions_page ON decisions (tenant_id, environment, created_micros, id);
CREATE INDEX decisions_status ON decisions (tenant_id, environment, status, created_micros, id);
CREATE INDEX decisions_applicant ON decisions (tenant_id, environment, applicant_ref, created_micros, id) WHERE applicant_ref <> '';

-- Until a new table was first analysed, PostgreSQL's planner holds all of these
-- indexes for equally good at finding one id, and takes the youngest. That must
-- be the key: by the others it would walk through the tenant's decisions.

-- +postgres
ALTER TABLE decisions DROP CONSTRAINT decisions_pkey;
ALTER TABLE decisions ADD PRIMARY KEY (tenant_id, environment, id);
-- +end

-- What is billed in a period, the one row a quota is checked against.
CREATE TABLE usage_totals (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  period      TEXT   NOT NULL,
  used        BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, period)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- The same by day and endpoint, and what is metered without being billed.
CREATE TABLE usage_counters (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  period      TEXT   NOT NULL,
  day         TEXT   NOT NULL,
  endpoint    TEXT   NOT NULL,
  billable    BIGINT NOT NULL CHECK (billable IN (0, 1)),
  units       BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, period, day, endpoint, billable)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

CREATE TABLE audit_log (
  tenant_id       TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment     TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id              TEXT   NOT NULL,
  created_micros  BIGINT NOT NULL,
  actor           TEXT   NOT NULL,
  action          TEXT   NOT NULL,
  object          TEXT   NOT NULL,
  before_checksum TEXT   NOT NULL,
  after_checksum  TEXT   NOT NULL,
  note            TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, created_micros, id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX audit_log_object ON audit_log (tenant_id, environment, object, created_micros, id);

-- What a person made of a decision. The decision itself stays as it was.
CREATE TABLE decision_reviews (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id             TEXT   NOT NULL,
  decision_id    TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  actor          TEXT   NOT NULL,
  outcome        TEXT   NOT NULL,
  reason_code    TEXT   NOT NULL,
  note           TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, decision_id, created_micros, id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- How often a rule ran in a day, how often it hit and how often it could not
-- be evaluated.
CREATE TABLE rule_stats (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  rule_set_id TEXT   NOT NULL,
  rule_id     TEXT   NOT NULL,
  day         TEXT   NOT NULL,
  evaluated   BIGINT NOT NULL,
  hit         BIGINT NOT NULL,
  unknown     BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, rule_set_id, rule_id, day)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- The answers of requests that must be done once. A row is inserted in the
-- transaction of what it answers for, so it is there if and only if that is.
CREATE TABLE idempotency_keys (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  route          TEXT   NOT NULL,
  name           TEXT   NOT NULL,
  request_hash   TEXT   NOT NULL,
  status         BIGINT NOT NULL,
  header         TEXT   NOT NULL,
  body           BYTEA  NOT NULL,
  created_micros BIGINT NOT NULL,
  expires_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, route, name)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_micros);

-- What was decided and what was done stays as it was written.

-- +sqlite
CREATE TRIGGER decisions_unchanged BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
CREATE TRIGGER decision_reviews_unchanged BEFORE UPDATE ON decision_reviews
BEGIN SELECT RAISE(ABORT, 'reviews are only added to'); END;
CREATE TRIGGER decision_reviews_kept BEFORE DELETE ON decision_reviews
BEGIN SELECT RAISE(ABORT, 'reviews are only added to'); END;
-- +end

-- +postgres
CREATE FUNCTION verdict_refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '% is only added to', TG_TABLE_NAME; END $$;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE ON decisions
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER audit_log_kept BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decision_reviews_unchanged BEFORE UPDATE OR DELETE ON decision_reviews
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decision_reviews_kept BEFORE TRUNCATE ON decision_reviews
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();
-- +end

-- The second wall: PostgreSQL itself shows a transaction nothing but the rows
-- of the tenant and environment that the transaction has announced. FORCE is
-- what makes it hold for the tables' owner, which the service normally is.

-- +postgres
CREATE FUNCTION verdict_is_system() RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT current_setting('verdict.role', true) IS NOT DISTINCT FROM 'system' $$;

DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['api_keys', 'series', 'rule_sets', 'scorecards', 'decisions',
                           'usage_totals', 'usage_counters', 'audit_log', 'decision_reviews', 'rule_stats',
                           'idempotency_keys'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$
      CREATE POLICY wall ON %I USING (
        (tenant_id = current_setting('verdict.tenant', true)
          AND environment = current_setting('verdict.environment', true))
        OR verdict_is_system())$policy$, t);
  END LOOP;
END $wall$;

ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON tenants USING (id = current_setting('verdict.tenant', true) OR verdict_is_system());
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON users USING (tenant_id = current_setting('verdict.tenant', true) OR verdict_is_system());
-- +end

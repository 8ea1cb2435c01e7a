-- What the documents of an offer state about the lender (ADR 31). Every version is kept,
-- so that the documents of a decision can be made again with the version it was made under.
CREATE TABLE lender_profiles (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  version        BIGINT NOT NULL CHECK (version > 0),
  document       BYTEA  NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  leaf           BIGINT NOT NULL, -- the number of the entry in the journal
  salt           BYTEA  NOT NULL, -- of the hash of the document, which is part of that entry
  PRIMARY KEY (tenant_id, environment, version)
);

-- +sqlite
CREATE TRIGGER lender_profiles_unchanged BEFORE UPDATE ON lender_profiles
BEGIN SELECT RAISE(ABORT, 'a version of a lender profile is never changed'); END;
-- +end

-- +postgres
CREATE TRIGGER lender_profiles_unchanged BEFORE UPDATE ON lender_profiles
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
ALTER TABLE lender_profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE lender_profiles FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON lender_profiles USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

-- Single sign-on and the second factor of password accounts (ADR 34).

-- The connection with which a session began, '' for a password.
ALTER TABLE sessions ADD COLUMN connection TEXT NOT NULL DEFAULT '';

-- When the tenant began to require a second factor of everybody with a password, 0 if it does not.
ALTER TABLE tenants ADD COLUMN second_factor_micros BIGINT NOT NULL DEFAULT 0;

-- Who somebody is at an identity provider. A person has at most one identity.
CREATE TABLE user_identities (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  user_id        TEXT   NOT NULL,
  connection     TEXT   NOT NULL,
  issuer         TEXT   NOT NULL,
  subject        TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);
CREATE UNIQUE INDEX user_identities_subject ON user_identities (tenant_id, issuer, subject);

-- The second factor of a person. confirmed_micros is 0 until the person has typed a code; last_step is the time step of
-- the last code that was accepted; recovery holds the hashes of the unused recovery codes, separated by spaces.
CREATE TABLE second_factors (
  tenant_id        TEXT   NOT NULL REFERENCES tenants (id),
  user_id          TEXT   NOT NULL,
  secret           TEXT   NOT NULL,
  recovery         TEXT   NOT NULL,
  last_step        BIGINT NOT NULL,
  created_micros   BIGINT NOT NULL,
  confirmed_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, user_id)
);

-- +postgres
ALTER TABLE user_identities ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_identities FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON user_identities
  USING (tenant_id = current_setting('verdict.tenant', true) OR verdict_is_system());
ALTER TABLE second_factors ENABLE ROW LEVEL SECURITY;
ALTER TABLE second_factors FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON second_factors
  USING (tenant_id = current_setting('verdict.tenant', true) OR verdict_is_system());
-- +end

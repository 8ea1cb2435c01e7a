-- The people of a tenant and how they come in. None of this belongs to one
-- environment: whoever is signed in looks at both.

-- When a person was shut out, 0 for those who are not.
ALTER TABLE users ADD COLUMN disabled_micros BIGINT NOT NULL DEFAULT 0;

-- Who is signed in. A session that ends is removed; the audit log remembers it.
CREATE TABLE sessions (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  id             TEXT   NOT NULL,
  user_id        TEXT   NOT NULL,
  hash           TEXT   NOT NULL,
  address        TEXT   NOT NULL,
  agent          TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  seen_micros    BIGINT NOT NULL,
  expires_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_user ON sessions (tenant_id, user_id, created_micros, id);
CREATE INDEX sessions_expiry ON sessions (expires_micros);
CREATE INDEX sessions_seen ON sessions (seen_micros);

-- Who may become one of a tenant's people. One that was accepted, withdrawn or
-- replaced is removed.
CREATE TABLE invitations (
  tenant_id      TEXT   NOT NULL REFERENCES tenants (id),
  id             TEXT   NOT NULL,
  email          TEXT   NOT NULL CHECK (email = lower(email)),
  role           TEXT   NOT NULL,
  hash           TEXT   NOT NULL,
  invited_by     TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  expires_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX invitations_hash ON invitations (hash);
CREATE UNIQUE INDEX invitations_email ON invitations (tenant_id, email);
CREATE INDEX invitations_expiry ON invitations (expires_micros);

-- +postgres
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON sessions USING (tenant_id = current_setting('verdict.tenant', true) OR verdict_is_system());
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
ALTER TABLE invitations FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON invitations USING (tenant_id = current_setting('verdict.tenant', true) OR verdict_is_system());
-- +end

-- The working copies of policies that people are editing (ADR 12). A person has at most one for each version. A step is
-- never changed, except that typing into one field amends its own step. parent is the step that it was made from, and
-- left_step the step that was current at that time if it was another one, 0 otherwise.
CREATE TABLE policy_edits (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  user_id        TEXT   NOT NULL,
  rule_set_id    TEXT   NOT NULL,
  policy_key     TEXT   NOT NULL,
  current_step   BIGINT NOT NULL,
  last_step      BIGINT NOT NULL,
  began_micros   BIGINT NOT NULL,
  changed_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, user_id, rule_set_id)
);
CREATE INDEX policy_edits_key ON policy_edits (tenant_id, environment, policy_key, changed_micros);
CREATE INDEX policy_edits_changed ON policy_edits (changed_micros);

CREATE TABLE policy_edit_steps (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  user_id     TEXT   NOT NULL,
  rule_set_id TEXT   NOT NULL,
  step        BIGINT NOT NULL CHECK (step > 0),
  parent      BIGINT NOT NULL,
  left_step   BIGINT NOT NULL,
  changes     BIGINT NOT NULL, -- 1 if the document differs from the parent's
  act         TEXT   NOT NULL,
  state       BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, user_id, rule_set_id, step)
);

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['policy_edits', 'policy_edit_steps'] LOOP
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

-- Who may activate, from when and by whose doing; tenants that nobody uses; drafts
-- that are put away.

-- may_activate_micros is from when on a person may activate in live, 0 for at
-- once; made_by is who made them somebody who may. stopped_micros is when they
-- last ceased to be one, and stopped_by by whose doing.
ALTER TABLE users ADD COLUMN may_activate_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN made_by TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN stopped_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN stopped_by TEXT NOT NULL DEFAULT '';

-- safe_id is the rule set of the series that stops lending and was there from the
-- beginning. Every environment was given one as its second version.
ALTER TABLE series ADD COLUMN safe_id TEXT NOT NULL DEFAULT '';

-- When a draft was put away that something refers to, 0 for those that were not.
ALTER TABLE rule_sets ADD COLUMN archived_micros BIGINT NOT NULL DEFAULT 0;
CREATE INDEX rule_sets_drafts ON rule_sets (tenant_id, environment, id) WHERE status = 'draft' AND archived_micros = 0;

-- seen_micros is when the first authenticated request came, 0 while none has;
-- closing_micros is when it was decided to remove a tenant that has none. Tenants
-- from before this migration count as seen.
ALTER TABLE tenants ADD COLUMN seen_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tenants ADD COLUMN closing_micros BIGINT NOT NULL DEFAULT 0;

-- +postgres
SELECT set_config('verdict.role', 'system', true);
-- +end

UPDATE tenants SET seen_micros = CASE WHEN created_micros > 0 THEN created_micros ELSE 1 END;
UPDATE series SET safe_id = coalesce((SELECT r.id FROM rule_sets r
    WHERE r.tenant_id = series.tenant_id AND r.environment = series.environment AND r.policy_key = series.name
      AND r.created_by = 'system' AND r.version = 2 AND r.name = 'SAFE_MODE'), '')
  WHERE kind = 'policy';

-- +postgres
SELECT set_config('verdict.role', '', true);
-- +end

CREATE INDEX tenants_unseen ON tenants (created_micros, id) WHERE seen_micros = 0;

-- Codes with which somebody may sign up where not everybody may. One that was used
-- is removed.
CREATE TABLE signup_codes (
  hash           TEXT   NOT NULL PRIMARY KEY,
  created_micros BIGINT NOT NULL,
  expires_micros BIGINT NOT NULL
);

-- The audit log of a tenant goes with the tenant, and never before.

-- +sqlite
DROP TRIGGER audit_log_kept;
CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log
WHEN EXISTS (SELECT 1 FROM tenants WHERE id = OLD.tenant_id)
BEGIN SELECT RAISE(ABORT, 'the audit log is only added to'); END;
-- +end

-- +postgres
CREATE FUNCTION verdict_keep_log() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF NOT verdict_is_system() OR EXISTS (SELECT 1 FROM tenants WHERE id = OLD.tenant_id) THEN
    RAISE EXCEPTION '% is only added to', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;
DROP TRIGGER audit_log_unchanged ON audit_log;
CREATE TRIGGER audit_log_unchanged BEFORE UPDATE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER audit_log_removed BEFORE DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION verdict_keep_log();
ALTER TABLE signup_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE signup_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON signup_codes USING (verdict_is_system());
-- +end

-- Erasures that wait, legal holds, and how long documents are stored (ADR 23).
--
-- An erasure is deferred while something requires the data: basis lists what, separated by
-- spaces. deferred_until_micros is when it ends, 0 if that is not known, and next_micros is
-- when to look again. A deferred erasure can be withdrawn; it then never changes, and names
-- nobody.
ALTER TABLE erasures ADD COLUMN basis TEXT NOT NULL DEFAULT '';
ALTER TABLE erasures ADD COLUMN deferred_until_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE erasures ADD COLUMN next_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE erasures ADD COLUMN withdrawn_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE erasures ADD COLUMN withdrawn_by TEXT NOT NULL DEFAULT '';

-- SQLite cannot replace a check, so the new one is written into the schema.

-- +sqlite
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'CHECK (state IN (''running'', ''completed''))',
    'CHECK (state IN (''deferred'', ''running'', ''completed'', ''withdrawn''))')
  WHERE type = 'table' AND name = 'erasures';
PRAGMA writable_schema = RESET;
-- +end

-- +postgres
ALTER TABLE erasures DROP CONSTRAINT erasures_state_check;
ALTER TABLE erasures ADD CONSTRAINT erasures_state_check
  CHECK (state IN ('deferred', 'running', 'completed', 'withdrawn'));
-- +end

DROP INDEX erasures_open;
CREATE UNIQUE INDEX erasures_open ON erasures (tenant_id, environment, applicant_ref, decision_id)
  WHERE state IN ('deferred', 'running');
CREATE INDEX erasures_due ON erasures (next_micros) WHERE state = 'deferred';

-- Legal holds: as long as one is in force, nothing about the person is erased.
-- until_micros is when the hold ends by itself, 0 for never. released_micros is when
-- somebody ended it, 0 if nobody did. A hold is never changed otherwise, except that the
-- reference is replaced by a keyed hash when the person is erased.
CREATE TABLE legal_holds (
  tenant_id       TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment     TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id              TEXT   NOT NULL CHECK (id <> ''),
  applicant_ref   TEXT   NOT NULL,
  decision_id     TEXT   NOT NULL,
  reason          TEXT   NOT NULL,
  actor           TEXT   NOT NULL,
  created_micros  BIGINT NOT NULL,
  until_micros    BIGINT NOT NULL,
  released_micros BIGINT NOT NULL,
  released_by     TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX legal_holds_page ON legal_holds (tenant_id, environment, created_micros, id);
CREATE INDEX legal_holds_not_released ON legal_holds (tenant_id, environment, until_micros) WHERE released_micros = 0;
CREATE INDEX legal_holds_person ON legal_holds (tenant_id, environment, applicant_ref, decision_id);

-- How long documents are stored. Every version is kept.
CREATE TABLE retention_settings (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  version        BIGINT NOT NULL CHECK (version > 0),
  document       BYTEA  NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  leaf           BIGINT NOT NULL,
  salt           BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, version)
);

-- How far each zone was emptied. Documents of the zone that were stored before
-- before_micros may be empty; leaf is the entry in the journal that says so, of the time
-- entry_micros. All of them up to after_id were looked at. emptied counts them, and applied_micros is when the work was
-- last done to its end.
CREATE TABLE retention_progress (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  zone           TEXT   NOT NULL CHECK (zone <> ''),
  before_micros  BIGINT NOT NULL,
  after_id       TEXT   NOT NULL,
  leaf           BIGINT NOT NULL,
  entry_micros   BIGINT NOT NULL,
  emptied        BIGINT NOT NULL,
  applied_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, zone)
);

-- +sqlite
DROP TRIGGER erasures_unchanged;
CREATE TRIGGER erasures_unchanged BEFORE UPDATE ON erasures
WHEN OLD.state IN ('completed', 'withdrawn') OR OLD.state = 'deferred' AND NEW.state <> 'deferred' AND NEW.basis <> ''
BEGIN SELECT RAISE(ABORT, 'an erasure that has ended is never changed'); END;
CREATE TRIGGER legal_holds_unchanged BEFORE UPDATE ON legal_holds
WHEN NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.id <> OLD.id
  OR NEW.decision_id <> OLD.decision_id OR NEW.reason <> OLD.reason OR NEW.actor <> OLD.actor
  OR NEW.created_micros <> OLD.created_micros OR NEW.until_micros <> OLD.until_micros
  OR OLD.released_micros <> 0 AND (NEW.released_micros <> OLD.released_micros OR NEW.released_by <> OLD.released_by)
  OR NEW.applicant_ref <> OLD.applicant_ref AND substr(NEW.applicant_ref, 1, 5) <> 'hmac:'
BEGIN SELECT RAISE(ABORT, 'a legal hold is only released'); END;
CREATE TRIGGER legal_holds_kept BEFORE DELETE ON legal_holds
BEGIN SELECT RAISE(ABORT, 'legal holds are only added to'); END;
CREATE TRIGGER retention_settings_unchanged BEFORE UPDATE ON retention_settings
BEGIN SELECT RAISE(ABORT, 'a version of the retention periods is never changed'); END;
-- +end

-- The condition about basis stops nodes of an earlier version, which do not know that an
-- erasure can wait: they would carry it out.

-- +postgres
DROP TRIGGER erasures_unchanged ON erasures;
CREATE TRIGGER erasures_unchanged BEFORE UPDATE ON erasures
  FOR EACH ROW WHEN (OLD.state IN ('completed', 'withdrawn')
  OR OLD.state = 'deferred' AND NEW.state <> 'deferred' AND NEW.basis <> '')
  EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER legal_holds_unchanged BEFORE UPDATE ON legal_holds
  FOR EACH ROW WHEN (NEW.tenant_id <> OLD.tenant_id OR NEW.environment <> OLD.environment OR NEW.id <> OLD.id
  OR NEW.decision_id <> OLD.decision_id OR NEW.reason <> OLD.reason OR NEW.actor <> OLD.actor
  OR NEW.created_micros <> OLD.created_micros OR NEW.until_micros <> OLD.until_micros
  OR OLD.released_micros <> 0 AND (NEW.released_micros <> OLD.released_micros OR NEW.released_by <> OLD.released_by)
  OR NEW.applicant_ref <> OLD.applicant_ref AND substr(NEW.applicant_ref, 1, 5) <> 'hmac:')
  EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER legal_holds_not_deleted BEFORE DELETE ON legal_holds
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER legal_holds_kept BEFORE TRUNCATE ON legal_holds
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER retention_settings_unchanged BEFORE UPDATE ON retention_settings
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['legal_holds', 'retention_settings', 'retention_progress'] LOOP
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

-- What applicants share, who they are, and what was made of it. Keys of
-- entities are keyed hashes; the accounts and addresses themselves are not here.
--
-- Whoever writes to these tables first waits for whoever else does in the same
-- scope (dialect.go), so a count and the row it is about are of one moment.

-- A tenant's thresholds in one environment. accounts are what the document
-- leaves out: the keys of the accounts on its allow list.
CREATE TABLE fraud_configs (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  name           TEXT   NOT NULL CHECK (name = 'fraud'),
  version        BIGINT NOT NULL CHECK (version > 0),
  document       BYTEA  NOT NULL,
  accounts       BYTEA  NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, name)
);

-- How often what nodes remember was changed: small, because it is asked often.
CREATE TABLE fraud_changes (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  name        TEXT   NOT NULL CHECK (name = 'fraud'),
  changes     BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, name)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

CREATE TABLE fraud_pincode_risks (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  pincode        TEXT   NOT NULL,
  risk           TEXT   NOT NULL,
  score          BIGINT NOT NULL,
  reason         TEXT   NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  expires_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, pincode)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- Everything that was ever seen with an applicant. blocked_micros is when it was
-- put on the block list, muted_micros until when no alert about it is wanted.
CREATE TABLE fraud_entities (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  kind           TEXT   NOT NULL,
  entity_key     TEXT   NOT NULL,
  display        TEXT   NOT NULL,
  first_micros   BIGINT NOT NULL,
  last_micros    BIGINT NOT NULL,
  blocked_micros BIGINT NOT NULL,
  blocked_by     TEXT   NOT NULL,
  blocked_alert  TEXT   NOT NULL,
  muted_micros   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, kind, entity_key)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX fraud_entities_blocked ON fraud_entities (tenant_id, environment, blocked_micros, kind, entity_key) WHERE blocked_micros > 0;

-- Who was seen with what: one row however often. member is an applicant, or for
-- the kind agent_pincode the pincode of an agent's applicant. The key finds all
-- of a member's; the index counts the latest of an entity's without the rows.
CREATE TABLE fraud_links (
  tenant_id       TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment     TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  member          TEXT   NOT NULL,
  kind            TEXT   NOT NULL,
  entity_key      TEXT   NOT NULL,
  first_micros    BIGINT NOT NULL,
  previous_micros BIGINT NOT NULL,
  last_micros     BIGINT NOT NULL,
  decision_id     TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, member, kind, entity_key)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX fraud_links_recent ON fraud_links (tenant_id, environment, kind, entity_key, last_micros, member);

-- How many applicants a pincode had by the end of an hour, since the beginning:
-- what lies between two hours is one number less another, however far apart.
CREATE TABLE fraud_pincode_hours (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  entity_key  TEXT   NOT NULL,
  hour        BIGINT NOT NULL,
  applicants  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, entity_key, hour)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

CREATE TABLE fraud_alerts (
  tenant_id           TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment         TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id                  TEXT   NOT NULL,
  type                TEXT   NOT NULL,
  severity            BIGINT NOT NULL CHECK (severity BETWEEN 0 AND 3),
  status              TEXT   NOT NULL CHECK (status IN ('open', 'acknowledged', 'closed')),
  kind                TEXT   NOT NULL,
  entity_key          TEXT   NOT NULL,
  display             TEXT   NOT NULL,
  value               BIGINT NOT NULL,
  threshold           BIGINT NOT NULL,
  window_hours        BIGINT NOT NULL,
  applicants          BIGINT NOT NULL,
  decisions           BIGINT NOT NULL,
  first_micros        BIGINT NOT NULL,
  last_micros         BIGINT NOT NULL,
  acknowledged_micros BIGINT NOT NULL,
  acknowledged_by     TEXT   NOT NULL,
  closed_micros       BIGINT NOT NULL,
  closed_by           TEXT   NOT NULL,
  resolution          TEXT   NOT NULL,
  note                TEXT   NOT NULL,
  previous_id         TEXT   NOT NULL,
  created_micros      BIGINT NOT NULL,
  updated_micros      BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE UNIQUE INDEX fraud_alerts_one_open ON fraud_alerts (tenant_id, environment, type, kind, entity_key) WHERE status <> 'closed';
CREATE INDEX fraud_alerts_entity ON fraud_alerts (tenant_id, environment, type, kind, entity_key, created_micros, id);
CREATE INDEX fraud_alerts_status ON fraud_alerts (tenant_id, environment, status, created_micros, id);
CREATE INDEX fraud_alerts_page ON fraud_alerts (tenant_id, environment, created_micros, id);

-- Whom and what an alert is about, numbered in the order it came in.
CREATE TABLE fraud_alert_evidence (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  alert_id    TEXT   NOT NULL,
  part        TEXT   NOT NULL CHECK (part IN ('applicant', 'decision')),
  ref         TEXT   NOT NULL,
  position    BIGINT NOT NULL,
  seen_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, alert_id, part, ref)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE UNIQUE INDEX fraud_alert_evidence_order ON fraud_alert_evidence (tenant_id, environment, alert_id, position, part);

-- What was done about an alert, by whom and when.
CREATE TABLE fraud_alert_events (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  alert_id       TEXT   NOT NULL,
  position       BIGINT NOT NULL,
  created_micros BIGINT NOT NULL,
  actor          TEXT   NOT NULL,
  from_status    TEXT   NOT NULL,
  to_status      TEXT   NOT NULL,
  resolution     TEXT   NOT NULL,
  note           TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, alert_id, position)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- Evidence and history stay as they were written.

-- +sqlite
CREATE TRIGGER fraud_alert_evidence_unchanged BEFORE UPDATE ON fraud_alert_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is only added to'); END;
CREATE TRIGGER fraud_alert_evidence_kept BEFORE DELETE ON fraud_alert_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is only added to'); END;
CREATE TRIGGER fraud_alert_events_unchanged BEFORE UPDATE ON fraud_alert_events
BEGIN SELECT RAISE(ABORT, 'the history of an alert is only added to'); END;
CREATE TRIGGER fraud_alert_events_kept BEFORE DELETE ON fraud_alert_events
BEGIN SELECT RAISE(ABORT, 'the history of an alert is only added to'); END;
-- +end

-- +postgres
CREATE TRIGGER fraud_alert_evidence_unchanged BEFORE UPDATE OR DELETE ON fraud_alert_evidence
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER fraud_alert_evidence_kept BEFORE TRUNCATE ON fraud_alert_evidence
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER fraud_alert_events_unchanged BEFORE UPDATE OR DELETE ON fraud_alert_events
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER fraud_alert_events_kept BEFORE TRUNCATE ON fraud_alert_events
  FOR EACH STATEMENT EXECUTE FUNCTION verdict_refuse();

DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['fraud_configs', 'fraud_changes', 'fraud_pincode_risks', 'fraud_entities', 'fraud_links',
                           'fraud_pincode_hours', 'fraud_alerts', 'fraud_alert_evidence', 'fraud_alert_events'] LOOP
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

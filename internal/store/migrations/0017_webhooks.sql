-- Webhooks (ADR 24): addresses to which the events of a scope are sent.
--
-- types lists the types of events that are sent, separated by spaces; '' means all.
-- handled is the sequence number up to which every event was sent, skipped or moved to
-- webhook_retries. failures counts how often it failed since the last success, and
-- failing_micros is the time of the first failure. Nothing is sent before next_micros.
-- wake_micros is when the next retry is due, 0 if there is none. One node at a time sends
-- for a tenant: lease_owner, until lease_micros. version changes with the settings.
CREATE TABLE webhooks (
  tenant_id             TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment           TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id                    TEXT   NOT NULL CHECK (id <> ''),
  url                   TEXT   NOT NULL,
  types                 TEXT   NOT NULL,
  description           TEXT   NOT NULL,
  secret                TEXT   NOT NULL,
  previous_secret       TEXT   NOT NULL,
  previous_until_micros BIGINT NOT NULL,
  state                 TEXT   NOT NULL CHECK (state IN ('enabled', 'paused', 'disabled')),
  reason                TEXT   NOT NULL,
  created_micros        BIGINT NOT NULL,
  version               BIGINT NOT NULL,
  handled               BIGINT NOT NULL CHECK (handled >= 0),
  failures              BIGINT NOT NULL,
  failing_micros        BIGINT NOT NULL,
  next_micros           BIGINT NOT NULL,
  wake_micros           BIGINT NOT NULL,
  lease_owner           TEXT   NOT NULL,
  lease_micros          BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX webhooks_due ON webhooks (next_micros) WHERE state = 'enabled';

-- Events that could not be delivered yet, and later events of the same objects, which
-- wait for them.
CREATE TABLE webhook_retries (
  tenant_id    TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment  TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  webhook_id   TEXT   NOT NULL,
  sequence     BIGINT NOT NULL,
  object       TEXT   NOT NULL,
  attempts     BIGINT NOT NULL,
  first_micros BIGINT NOT NULL,
  next_micros  BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, webhook_id, sequence)
);

-- Ranges of events that somebody has asked to be sent again. next is the first event of
-- the range that was not sent again yet.
CREATE TABLE webhook_ranges (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  webhook_id  TEXT   NOT NULL,
  id          TEXT   NOT NULL,
  next        BIGINT NOT NULL,
  last        BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, webhook_id, id)
);

-- The log of attempts. status is that of the HTTP response, 0 if there was none. sequence
-- is 0 for a test event.
CREATE TABLE webhook_deliveries (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  webhook_id     TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  id             TEXT   NOT NULL,
  sequence       BIGINT NOT NULL,
  event_id       TEXT   NOT NULL,
  type           TEXT   NOT NULL,
  attempt        BIGINT NOT NULL,
  outcome        TEXT   NOT NULL CHECK (outcome IN ('delivered', 'failed', 'given_up')),
  status         BIGINT NOT NULL,
  problem        TEXT   NOT NULL,
  took_micros    BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, webhook_id, created_micros, id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (tenant_id, environment, webhook_id, created_micros, id)
  WHERE outcome <> 'delivered';
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_micros);

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['webhooks', 'webhook_retries', 'webhook_ranges', 'webhook_deliveries'] LOOP
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

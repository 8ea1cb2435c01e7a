-- Rings: people tied by an account, a device, a mobile number or an e-mail
-- address. Membership is kept, so that an application reads its own entities and
-- rings and searches nothing. Somebody without a row is alone.
--
-- What was observed before this migration is not grouped here: the next
-- application that shares something with it brings those people in.

-- ring_id is the ring in which an entity last tied people, tied_micros when it
-- last did. An entry of the block list may end, and says why it is there.
ALTER TABLE fraud_entities ADD COLUMN blocked_until_micros BIGINT NOT NULL DEFAULT 0;
ALTER TABLE fraud_entities ADD COLUMN blocked_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE fraud_entities ADD COLUMN ring_id TEXT NOT NULL DEFAULT '';
ALTER TABLE fraud_entities ADD COLUMN tied_micros BIGINT NOT NULL DEFAULT 0;
CREATE INDEX fraud_entities_ring ON fraud_entities (tenant_id, environment, ring_id, kind, entity_key) WHERE ring_id <> '';

-- merged_into is the alert about the ring that took this alert's ring in.
ALTER TABLE fraud_alerts ADD COLUMN merged_into TEXT NOT NULL DEFAULT '';

-- people and links are how many rows of fraud_ring_people and fraud_entities
-- have the ring's id.
CREATE TABLE fraud_rings (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id             TEXT   NOT NULL CHECK (id <> ''),
  people         BIGINT NOT NULL CHECK (people BETWEEN 2 AND 200),
  links          BIGINT NOT NULL CHECK (links >= 0),
  truncated      BIGINT NOT NULL CHECK (truncated IN (0, 1)),
  muted_micros   BIGINT NOT NULL,
  created_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- seen_micros and decision_id are when and by which decision the person was seen
-- with what brought them in.
CREATE TABLE fraud_ring_people (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  person      TEXT   NOT NULL,
  ring_id     TEXT   NOT NULL,
  seen_micros BIGINT NOT NULL,
  decision_id TEXT   NOT NULL,
  PRIMARY KEY (tenant_id, environment, person)
)
-- +sqlite
WITHOUT ROWID
-- +end
;
CREATE INDEX fraud_ring_people_ring ON fraud_ring_people (tenant_id, environment, ring_id, seen_micros, person);

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['fraud_rings', 'fraud_ring_people'] LOOP
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

-- The log of a scope (ADR 23): the Merkle tree over the leaves of its journal.
--
-- A tile contains up to 256 consecutive hashes of a level of the tree. It is replaced by
-- a longer one until it is full.
CREATE TABLE log_tiles (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  level       BIGINT NOT NULL CHECK (level >= 0),
  number      BIGINT NOT NULL CHECK (number >= 0),
  hashes      BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, level, number)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- The last signed checkpoint of a log: its size, its root, and the signed text. A log
-- that had to be reopened has another generation. stopped says why no node may sign the
-- log any more; it is empty otherwise.
CREATE TABLE log_checkpoints (
  tenant_id     TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment   TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  generation    BIGINT NOT NULL CHECK (generation > 0),
  size          BIGINT NOT NULL CHECK (size > 0),
  root          BYTEA  NOT NULL,
  note          TEXT   NOT NULL,
  signed_micros BIGINT NOT NULL,
  stopped       TEXT   NOT NULL DEFAULT '',
  PRIMARY KEY (tenant_id, environment, generation)
);

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['log_tiles', 'log_checkpoints'] LOOP
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

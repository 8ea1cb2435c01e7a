-- Reopened logs and cosignatures (ADR 23).
--
-- A log that was reopened has a tree of its own, so the generation is part of the key of a tile. opening is the first
-- leaf of a reopened log: what was signed before, and why it was reopened. The first log of a scope has none.
-- The columns have the same order on both databases, so that a backup of one can be restored into the other.

-- +sqlite
CREATE TABLE log_tiles_by_generation (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  level       BIGINT NOT NULL CHECK (level >= 0),
  number      BIGINT NOT NULL CHECK (number >= 0),
  hashes      BYTEA  NOT NULL,
  generation  BIGINT NOT NULL CHECK (generation > 0),
  PRIMARY KEY (tenant_id, environment, generation, level, number)
) WITHOUT ROWID;
INSERT INTO log_tiles_by_generation (tenant_id, environment, level, number, hashes, generation)
  SELECT tenant_id, environment, level, number, hashes, 1 FROM log_tiles;
DROP TABLE log_tiles;
ALTER TABLE log_tiles_by_generation RENAME TO log_tiles;
-- +end

-- +postgres
ALTER TABLE log_tiles ADD COLUMN generation BIGINT NOT NULL DEFAULT 1 CHECK (generation > 0);
ALTER TABLE log_tiles ALTER COLUMN generation DROP DEFAULT;
ALTER TABLE log_tiles DROP CONSTRAINT log_tiles_pkey;
ALTER TABLE log_tiles ADD PRIMARY KEY (tenant_id, environment, generation, level, number);
-- +end

ALTER TABLE log_checkpoints ADD COLUMN opening TEXT NOT NULL DEFAULT '';

-- The checkpoints that witnesses have signed. note is the text that the log signed, with the signatures of witnesses.
CREATE TABLE log_cosigned (
  tenant_id     TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment   TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  generation    BIGINT NOT NULL CHECK (generation > 0),
  size          BIGINT NOT NULL CHECK (size > 0),
  root          BYTEA  NOT NULL,
  note          TEXT   NOT NULL,
  stored_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, generation, size)
);

-- +postgres
ALTER TABLE log_cosigned ENABLE ROW LEVEL SECURITY;
ALTER TABLE log_cosigned FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON log_cosigned USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

-- Lists of values, in which conditions look fields up (ADR 25).
--
-- A version of a list is its row with the directory, which names the chunks that have the
-- entries. A change writes new chunks, and then the row. Chunks are never changed, and
-- are deleted when no directory names them.
CREATE TABLE lists (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  name           TEXT   NOT NULL CHECK (name <> ''),
  id             TEXT   NOT NULL CHECK (id <> ''),
  type           TEXT   NOT NULL CHECK (type IN ('text', 'number', 'hashed')),
  version        BIGINT NOT NULL CHECK (version > 0),
  entries        BIGINT NOT NULL CHECK (entries >= 0),
  bytes          BIGINT NOT NULL CHECK (bytes >= 0),
  directory      BYTEA  NOT NULL,
  created_micros BIGINT NOT NULL,
  created_by     TEXT   NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  leaf           BIGINT NOT NULL, -- the number of the journal entry of the last change
  salt           BYTEA  NOT NULL, -- of the hash of the row, which is part of that entry
  PRIMARY KEY (tenant_id, environment, name)
);

-- The highest version of any list that was deleted. A new list begins above it, so that no
-- two lists have the same name and version, by which decisions name them.
CREATE TABLE deleted_lists (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  highest        BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment)
);

-- keys holds keyed hashes of the values of the entries, and when they expire; values the
-- values themselves, encrypted.
CREATE TABLE list_chunks (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  list_id        TEXT   NOT NULL CHECK (list_id <> ''),
  id             BIGINT NOT NULL CHECK (id > 0),
  created_micros BIGINT NOT NULL,
  keys           BYTEA  NOT NULL,
  entry_values   BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, list_id, id)
);
CREATE INDEX list_chunks_age ON list_chunks (created_micros, tenant_id, environment, list_id, id);

-- The lists that each rule set names.
CREATE TABLE rule_set_lists (
  tenant_id   TEXT NOT NULL CHECK (tenant_id <> ''),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
  list        TEXT NOT NULL,
  rule_set_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, environment, list, rule_set_id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['lists', 'deleted_lists', 'list_chunks', 'rule_set_lists'] LOOP
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

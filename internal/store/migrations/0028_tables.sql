-- Tables in which rows are looked up by fields of an application (ADR 28).
--
-- A version of a table is its row and the document with its rows. A replacement writes
-- both in one transaction, and deletes the document before.
CREATE TABLE lookup_tables (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  name           TEXT   NOT NULL CHECK (name <> ''),
  id             TEXT   NOT NULL CHECK (id <> ''),
  version        BIGINT NOT NULL CHECK (version > 0),
  rows_count     BIGINT NOT NULL CHECK (rows_count >= 0),
  bytes          BIGINT NOT NULL CHECK (bytes >= 0),
  definition     TEXT   NOT NULL,
  created_micros BIGINT NOT NULL,
  created_by     TEXT   NOT NULL,
  updated_micros BIGINT NOT NULL,
  updated_by     TEXT   NOT NULL,
  leaf           BIGINT NOT NULL, -- the number of the journal entry of the last change
  salt           BYTEA  NOT NULL, -- of the hash of the row and the document, which is part of that entry
  PRIMARY KEY (tenant_id, environment, name)
);

-- The highest version of any table that was deleted. A new table begins above it, so that no
-- two tables have the same name and version, by which decisions name them.
CREATE TABLE deleted_lookup_tables (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  highest     BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment)
);

-- document holds the rows, encrypted.
CREATE TABLE lookup_table_documents (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  table_id    TEXT   NOT NULL CHECK (table_id <> ''),
  version     BIGINT NOT NULL CHECK (version > 0),
  document    BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, table_id, version)
);

-- The tables that each rule set names.
CREATE TABLE rule_set_tables (
  tenant_id   TEXT NOT NULL CHECK (tenant_id <> ''),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
  table_name  TEXT NOT NULL,
  rule_set_id TEXT NOT NULL,
  PRIMARY KEY (tenant_id, environment, table_name, rule_set_id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['lookup_tables', 'deleted_lookup_tables', 'lookup_table_documents', 'rule_set_tables'] LOOP
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

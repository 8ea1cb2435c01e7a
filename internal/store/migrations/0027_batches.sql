-- Batches: jobs with many applications, each of which is decided as if it had been sent alone (ADR 27).
--
-- The applications are stored in chunks, so that many nodes can work on one batch. counts says how many rows had
-- which outcome.
CREATE TABLE batches (
  tenant_id       TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment     TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id              TEXT   NOT NULL CHECK (id <> ''),
  status          TEXT   NOT NULL
    CHECK (status IN ('receiving', 'queued', 'running', 'cancelling', 'completed', 'cancelled', 'failed')),
  endpoint        TEXT   NOT NULL,
  strict          BIGINT NOT NULL CHECK (strict IN (0, 1)),
  row_count       BIGINT NOT NULL,
  rows_done       BIGINT NOT NULL,
  chunk_count     BIGINT NOT NULL,
  chunks_done     BIGINT NOT NULL,
  error_code      TEXT   NOT NULL,
  error_detail    TEXT   NOT NULL,
  request_id      TEXT   NOT NULL,
  created_by      TEXT   NOT NULL,
  created_micros  BIGINT NOT NULL,
  started_micros  BIGINT NOT NULL,
  finished_micros BIGINT NOT NULL,
  purged          BIGINT NOT NULL CHECK (purged IN (0, 1)),
  counts          BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX batches_page ON batches (tenant_id, environment, created_micros, id);
CREATE INDEX batches_status ON batches (tenant_id, environment, status, created_micros, id);
CREATE INDEX batches_unfinished ON batches (created_micros, id) WHERE finished_micros = 0;
CREATE INDEX batches_unpurged ON batches (finished_micros, id) WHERE finished_micros > 0 AND purged = 0;

-- input holds the rows, compressed and encrypted. It is emptied when the chunk is done. result then holds the outcome
-- of each row.
CREATE TABLE batch_chunks (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  batch_id    TEXT   NOT NULL CHECK (batch_id <> ''),
  number      BIGINT NOT NULL CHECK (number > 0),
  first_row   BIGINT NOT NULL,
  row_count   BIGINT NOT NULL,
  done        BIGINT NOT NULL CHECK (done IN (0, 1)),
  result      BYTEA  NOT NULL,
  input       BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, batch_id, number)
);
CREATE INDEX batch_chunks_pending ON batch_chunks (tenant_id, environment, batch_id, number) WHERE done = 0;

-- The people who were erased while a batch was unfinished, by a keyed hash of their reference. Their rows are not
-- decided.
CREATE TABLE batch_exclusions (
  tenant_id   TEXT NOT NULL CHECK (tenant_id <> ''),
  environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'live')),
  batch_id    TEXT NOT NULL CHECK (batch_id <> ''),
  person      TEXT NOT NULL CHECK (person <> ''),
  PRIMARY KEY (tenant_id, environment, batch_id, person)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- Both documents of a chunk are compressed already.

-- +postgres
ALTER TABLE batch_chunks ALTER input SET STORAGE EXTERNAL;
ALTER TABLE batch_chunks ALTER result SET STORAGE EXTERNAL;

DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['batches', 'batch_chunks', 'batch_exclusions'] LOOP
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

-- Policies run over past applications. A backtest's input is kept in pieces, so
-- that many nodes can work on one and what it said of each row can be told
-- again; what each piece gave is kept until all are there to be put together.

CREATE TABLE backtests (
  tenant_id       TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment     TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id              TEXT   NOT NULL,
  status          TEXT   NOT NULL CHECK (status IN ('receiving', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
  source          TEXT   NOT NULL,
  rule_set_id     TEXT   NOT NULL,
  challenger_id   TEXT   NOT NULL,
  setup           BYTEA  NOT NULL,
  request         BYTEA  NOT NULL,
  row_count       BIGINT NOT NULL,
  rows_done       BIGINT NOT NULL,
  chunk_count     BIGINT NOT NULL,
  chunks_done     BIGINT NOT NULL,
  report          BYTEA  NOT NULL,
  error_code      TEXT   NOT NULL,
  error_detail    TEXT   NOT NULL,
  created_by      TEXT   NOT NULL,
  created_micros  BIGINT NOT NULL,
  started_micros  BIGINT NOT NULL,
  finished_micros BIGINT NOT NULL,
  purged          BIGINT NOT NULL CHECK (purged IN (0, 1)),
  PRIMARY KEY (tenant_id, environment, id)
);
CREATE INDEX backtests_page ON backtests (tenant_id, environment, created_micros, id);
CREATE INDEX backtests_status ON backtests (tenant_id, environment, status, created_micros, id);

-- The two questions that are asked of all tenants at once, and often.
CREATE INDEX backtests_unfinished ON backtests (created_micros, id) WHERE finished_micros = 0;
CREATE INDEX backtests_unpurged ON backtests (finished_micros, id) WHERE finished_micros > 0 AND purged = 0;

-- What is small comes first: SQLite reads a row from its beginning.
CREATE TABLE backtest_chunks (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  backtest_id TEXT   NOT NULL,
  number      BIGINT NOT NULL,
  first_row   BIGINT NOT NULL,
  row_count   BIGINT NOT NULL,
  done        BIGINT NOT NULL CHECK (done IN (0, 1)),
  result      BYTEA  NOT NULL,
  input       BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, backtest_id, number)
);
CREATE INDEX backtest_chunks_pending ON backtest_chunks (tenant_id, environment, backtest_id, number) WHERE done = 0;

-- The input is compressed already.

-- +postgres
ALTER TABLE backtest_chunks ALTER input SET STORAGE EXTERNAL;

DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['backtests', 'backtest_chunks'] LOOP
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

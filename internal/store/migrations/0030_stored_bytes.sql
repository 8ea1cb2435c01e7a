-- How many bytes each environment has stored that are not billed by their size (ADR 15).
--
-- The counter is changed in the transaction that stores or deletes the bytes. The sizes that are added here are those
-- which stored_bytes.go adds: an exposure and the key of an answer count as a fixed number of bytes.
CREATE TABLE stored_bytes (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  bytes       BIGINT NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (tenant_id, environment)
);

-- +postgres
SELECT set_config('verdict.role', 'system', true);
-- +end

INSERT INTO stored_bytes (tenant_id, environment, bytes)
SELECT tenant_id, environment, sum(size) FROM (
  SELECT tenant_id, environment, length(input) + length(result) AS size FROM batch_chunks
  UNION ALL SELECT tenant_id, environment, length(input) + length(result) FROM backtest_chunks
  UNION ALL SELECT tenant_id, environment, length(keys) + length(entry_values) FROM list_chunks
  UNION ALL SELECT tenant_id, environment, length(document) FROM rule_sets
  UNION ALL SELECT tenant_id, environment, length(document) FROM scorecards
  UNION ALL SELECT tenant_id, environment, length(document) FROM collections_strategies
  UNION ALL SELECT tenant_id, environment, length(document) FROM lender_profiles
  UNION ALL SELECT tenant_id, environment, 1024 FROM exposures
  UNION ALL SELECT tenant_id, environment, length(body) + 512 FROM idempotency_keys WHERE subject = ''
) AS stored GROUP BY tenant_id, environment;

-- +postgres
SELECT set_config('verdict.role', '', true);
-- +end

-- +postgres
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['stored_bytes'] LOOP
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

-- A keyed hash of the request with an Idempotency-Key that has begun an erasure, '' if there was none. If the node stops
-- before it has stored the answer, a repetition of the request finds the erasure by it.
ALTER TABLE erasures ADD COLUMN request_key TEXT NOT NULL DEFAULT '';
CREATE INDEX erasures_request ON erasures (tenant_id, environment, request_key) WHERE request_key <> '';

-- Closed loans are deleted at the end of their retention period.
CREATE INDEX exposures_closed ON exposures (tenant_id, environment, closed_micros, id) WHERE closed_micros > 0;

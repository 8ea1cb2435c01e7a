-- The results of proving the guarantees of rule sets (ADR 33). The key is a hash of the checksum, the guarantees and the
-- version of the prover, so that rule sets with the same content share a result.
CREATE TABLE guarantee_proofs (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  proof_key      TEXT   NOT NULL,
  document       BYTEA  NOT NULL,
  created_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, proof_key)
);

-- +postgres
ALTER TABLE guarantee_proofs ENABLE ROW LEVEL SECURITY;
ALTER TABLE guarantee_proofs FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON guarantee_proofs USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

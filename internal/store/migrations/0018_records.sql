-- The entries of reviews, rule sets, activations and settings in the journal (ADR 23).
--
-- leaf is the number of the row's entry. A row from before has -1 until its entry is
-- added. salt is hashed together with the texts of the row, so that nobody can confirm a
-- guess of them by their hash.

ALTER TABLE decision_reviews ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;
CREATE INDEX decision_reviews_no_leaf ON decision_reviews (tenant_id, environment, created_micros, id) WHERE leaf < 0;

-- activation_leaf is the entry of the activation in activated_micros and activated_by.
ALTER TABLE rule_sets ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;
ALTER TABLE rule_sets ADD COLUMN activation_leaf BIGINT NOT NULL DEFAULT -1;
CREATE INDEX rule_sets_no_leaf ON rule_sets (tenant_id, environment, created_micros, id)
  WHERE leaf < 0 OR (activated_micros > 0 AND activation_leaf < 0);

ALTER TABLE collections_strategies ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;
ALTER TABLE fraud_configs ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;

-- The last change of the pincode risks.
ALTER TABLE fraud_changes ADD COLUMN pincode_leaf BIGINT NOT NULL DEFAULT -1;

-- +sqlite
ALTER TABLE decision_reviews ADD COLUMN salt BYTEA NOT NULL DEFAULT x'';
ALTER TABLE rule_sets ADD COLUMN salt BYTEA NOT NULL DEFAULT x'';
ALTER TABLE collections_strategies ADD COLUMN salt BYTEA NOT NULL DEFAULT x'';
ALTER TABLE fraud_configs ADD COLUMN salt BYTEA NOT NULL DEFAULT x'';
ALTER TABLE fraud_changes ADD COLUMN pincode_salt BYTEA NOT NULL DEFAULT x'';
-- +end

-- +postgres
ALTER TABLE decision_reviews ADD COLUMN salt BYTEA NOT NULL DEFAULT '';
ALTER TABLE rule_sets ADD COLUMN salt BYTEA NOT NULL DEFAULT '';
ALTER TABLE collections_strategies ADD COLUMN salt BYTEA NOT NULL DEFAULT '';
ALTER TABLE fraud_configs ADD COLUMN salt BYTEA NOT NULL DEFAULT '';
ALTER TABLE fraud_changes ADD COLUMN pincode_salt BYTEA NOT NULL DEFAULT '';
-- +end

-- The shares of a quota that were reached in a period, so that each is told once.
CREATE TABLE usage_thresholds (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  period         TEXT   NOT NULL,
  percent        BIGINT NOT NULL,
  created_micros BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, environment, period, percent)
);

-- Reviews and strategies are never changed, with one exception: a row without a leaf gets one.

-- +sqlite
DROP TRIGGER decision_reviews_unchanged;
CREATE TRIGGER decision_reviews_unchanged BEFORE UPDATE OF tenant_id, environment, id, decision_id, created_micros,
  actor, outcome, reason_code, note ON decision_reviews
BEGIN SELECT RAISE(ABORT, 'reviews are only added to'); END;
CREATE TRIGGER decision_reviews_leaf_unchanged BEFORE UPDATE OF leaf, salt ON decision_reviews
WHEN OLD.leaf >= 0 OR NEW.leaf < 0
BEGIN SELECT RAISE(ABORT, 'reviews are only added to'); END;
DROP TRIGGER collections_strategies_unchanged;
CREATE TRIGGER collections_strategies_unchanged BEFORE UPDATE OF tenant_id, environment, version, document,
  updated_micros, updated_by ON collections_strategies
BEGIN SELECT RAISE(ABORT, 'a version of a strategy is never changed'); END;
CREATE TRIGGER collections_strategies_leaf_unchanged BEFORE UPDATE OF leaf, salt ON collections_strategies
WHEN OLD.leaf >= 0 OR NEW.leaf < 0
BEGIN SELECT RAISE(ABORT, 'a version of a strategy is never changed'); END;
-- +end

-- Without a default, a node of an earlier version cannot add reviews, rule sets and
-- strategies that the journal does not know. It cannot activate either. (SQLite has one
-- process.)

-- +postgres
ALTER TABLE decision_reviews ALTER leaf DROP DEFAULT;
ALTER TABLE rule_sets ALTER leaf DROP DEFAULT;
ALTER TABLE collections_strategies ALTER leaf DROP DEFAULT;
CREATE TRIGGER rule_sets_activation_leaf BEFORE UPDATE OF activated_micros ON rule_sets
  FOR EACH ROW WHEN (NEW.activated_micros <> OLD.activated_micros AND NEW.activation_leaf = OLD.activation_leaf)
  EXECUTE FUNCTION verdict_refuse();

DROP TRIGGER decision_reviews_unchanged ON decision_reviews;
CREATE TRIGGER decision_reviews_unchanged BEFORE DELETE OR UPDATE OF tenant_id, environment, id, decision_id,
  created_micros, actor, outcome, reason_code, note ON decision_reviews
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decision_reviews_leaf_unchanged BEFORE UPDATE OF leaf, salt ON decision_reviews
  FOR EACH ROW WHEN (OLD.leaf >= 0 OR NEW.leaf < 0) EXECUTE FUNCTION verdict_refuse();
DROP TRIGGER collections_strategies_unchanged ON collections_strategies;
CREATE TRIGGER collections_strategies_unchanged BEFORE UPDATE OF tenant_id, environment, version, document,
  updated_micros, updated_by ON collections_strategies
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER collections_strategies_leaf_unchanged BEFORE UPDATE OF leaf, salt ON collections_strategies
  FOR EACH ROW WHEN (OLD.leaf >= 0 OR NEW.leaf < 0) EXECUTE FUNCTION verdict_refuse();

ALTER TABLE usage_thresholds ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_thresholds FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON usage_thresholds USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

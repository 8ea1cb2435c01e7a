-- The entries of scorecards and of the block list in the journal (ADR 23).
--
-- leaf is the number of the row's entry. A row from before has -1 until its entry is
-- added. salt is hashed together with the texts of the row, so that nobody can confirm a
-- guess of them by their hash.

ALTER TABLE scorecards ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;
CREATE INDEX scorecards_no_leaf ON scorecards (tenant_id, environment, created_micros, id) WHERE leaf < 0;

-- block_id names the entity in the journal, which has no hash of what the entity is. It is
-- empty if the entity was never blocked. blocked_leaf is the entry of the last change, -1
-- for an entry of the block list from before, and -2 if the entity is not on the list.
ALTER TABLE fraud_entities ADD COLUMN block_id TEXT NOT NULL DEFAULT '';
ALTER TABLE fraud_entities ADD COLUMN blocked_leaf BIGINT NOT NULL DEFAULT -2;

-- +postgres
SELECT set_config('verdict.role', 'system', true);
-- +end

UPDATE fraud_entities SET blocked_leaf = -1 WHERE blocked_micros > 0;

-- +postgres
SELECT set_config('verdict.role', '', true);
-- +end

CREATE INDEX fraud_entities_no_leaf ON fraud_entities (tenant_id, environment, blocked_micros, kind, entity_key)
  WHERE blocked_leaf = -1;

-- +sqlite
ALTER TABLE scorecards ADD COLUMN salt BYTEA NOT NULL DEFAULT x'';
ALTER TABLE fraud_entities ADD COLUMN blocked_salt BYTEA NOT NULL DEFAULT x'';
-- +end

-- +postgres
ALTER TABLE scorecards ADD COLUMN salt BYTEA NOT NULL DEFAULT '';
ALTER TABLE fraud_entities ADD COLUMN blocked_salt BYTEA NOT NULL DEFAULT '';

-- A node of an earlier version does not know these columns. It cannot add scorecards, and
-- cannot change the block list. (SQLite has one process.)
ALTER TABLE scorecards ALTER leaf DROP DEFAULT;
CREATE TRIGGER fraud_entities_added_leaf BEFORE INSERT ON fraud_entities
  FOR EACH ROW WHEN (NEW.blocked_micros > 0 AND NEW.blocked_leaf = -2)
  EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER fraud_entities_changed_leaf BEFORE UPDATE OF blocked_micros ON fraud_entities
  FOR EACH ROW WHEN (NEW.blocked_leaf = OLD.blocked_leaf)
  EXECUTE FUNCTION verdict_refuse();
-- +end

-- A batch that is over can be deleted. Its chunks are deleted in several transactions, and its row with the last of
-- them; until then deleted is 1, and nobody sees the batch.
ALTER TABLE batches ADD COLUMN deleted BIGINT NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1));

-- The entries of exposures in the journal (ADR 23, ADR 26).
--
-- leaf is the number of the entry of the last change. A row from before has -1 until its entry is added. salt is hashed
-- together with the columns of the row, so that nobody can confirm a guess of them by their hash.
ALTER TABLE exposures ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;
CREATE INDEX exposures_no_leaf ON exposures (tenant_id, environment, created_micros, id) WHERE leaf < 0;

-- +sqlite
ALTER TABLE exposures ADD COLUMN salt BYTEA NOT NULL DEFAULT x'';
-- +end

-- +postgres
ALTER TABLE exposures ADD COLUMN salt BYTEA NOT NULL DEFAULT '';

-- A node of an earlier version does not know these columns. It cannot add or change exposures. (SQLite has one
-- process.)
ALTER TABLE exposures ALTER leaf DROP DEFAULT;
CREATE TRIGGER exposures_changed_leaf BEFORE UPDATE OF document, closed_micros ON exposures
  FOR EACH ROW WHEN (NEW.leaf = OLD.leaf)
  EXECUTE FUNCTION verdict_refuse();
-- +end

-- The journal of a scope: everything that happened, numbered from 0 without gaps
-- (ADR 23). Each entry is a leaf of the log and an event. One row contains the entries
-- that a transaction added together: first is the number of the first entry, count
-- their number.
CREATE TABLE journal (
  tenant_id      TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment    TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  first          BIGINT NOT NULL CHECK (first >= 0),
  count          BIGINT NOT NULL CHECK (count > 0),
  created_micros BIGINT NOT NULL,
  entries        BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, environment, first)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- +postgres
-- The number of entries. A transaction that adds entries raises it, and so locks the
-- scope. SQLite has one writer and needs no lock.
CREATE TABLE journal_heads (
  tenant_id   TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  size        BIGINT NOT NULL CHECK (size >= 0),
  PRIMARY KEY (tenant_id, environment)
);
-- +end

-- The trees from which the data keys of a tenant's people are derived.
CREATE TABLE key_trees (
  tenant_id TEXT   NOT NULL CHECK (tenant_id <> ''),
  number    BIGINT NOT NULL,
  tree      BYTEA  NOT NULL,
  PRIMARY KEY (tenant_id, number)
);

-- leaf is the number of the decision's entry in the journal. A decision that was
-- stored before the journal existed has -1 until its leaf is added. plain is a JSON
-- text with what remains readable when the applicant is forgotten.
--
-- A decision without a leaf is refused: a node of an earlier version writes none. SQLite
-- does not add a check that present rows do not fulfil, and a trigger would make every
-- insert a sixth slower, so the check is written into the schema afterwards.
ALTER TABLE decisions ADD COLUMN leaf BIGINT NOT NULL DEFAULT -1;
ALTER TABLE decisions ADD COLUMN plain TEXT NOT NULL DEFAULT '';

-- +sqlite
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'leaf BIGINT NOT NULL DEFAULT -1',
    'leaf BIGINT NOT NULL DEFAULT -1 CONSTRAINT decisions_have_leaf CHECK (leaf >= 0)')
  WHERE type = 'table' AND name = 'decisions';
PRAGMA writable_schema = RESET;
-- +end

-- +postgres
ALTER TABLE decisions ADD CONSTRAINT decisions_have_leaf CHECK (leaf >= 0) NOT VALID;
-- +end


-- A decision is never changed, with one exception: a decision without a leaf gets one.

-- +sqlite
DROP TRIGGER decisions_unchanged;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF tenant_id, environment, id, created_micros, applicant_ref, status,
  grade, policy_key, policy_id, policy_version, endpoint, engine_version, hash, actor, response, facts ON decisions
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER decisions_leaf_unchanged BEFORE UPDATE OF leaf, plain ON decisions
WHEN OLD.leaf >= 0 OR NEW.leaf < 0
BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER journal_unchanged BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
-- +end

-- +postgres
DROP TRIGGER decisions_unchanged ON decisions;
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF tenant_id, environment, id, created_micros, applicant_ref, status,
  grade, policy_key, policy_id, policy_version, endpoint, engine_version, hash, actor, response, facts ON decisions
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER decisions_leaf_unchanged BEFORE UPDATE OF leaf, plain ON decisions
  FOR EACH ROW WHEN (OLD.leaf >= 0 OR NEW.leaf < 0) EXECUTE FUNCTION verdict_refuse();
CREATE TRIGGER journal_unchanged BEFORE UPDATE ON journal
  FOR EACH ROW EXECUTE FUNCTION verdict_refuse();
DO $wall$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['journal_heads', 'journal'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$
      CREATE POLICY wall ON %I USING (
        (tenant_id = current_setting('verdict.tenant', true)
          AND environment = current_setting('verdict.environment', true))
        OR verdict_is_system())$policy$, t);
  END LOOP;
END $wall$;
ALTER TABLE key_trees ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_trees FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON key_trees USING (tenant_id = current_setting('verdict.tenant', true) OR verdict_is_system());
ALTER TABLE journal ALTER entries SET STORAGE EXTERNAL;
ALTER TABLE journal SET (toast_tuple_target = 8160);
-- +end

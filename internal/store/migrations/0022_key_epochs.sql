-- The master keys of this database, in the order in which they were used (ADR 23). The keys
-- themselves are never in the database. The present one is named in installation
-- ('master_key'); one with a higher number was announced and encrypts nothing yet.
--
-- From replaced_micros on nothing is encrypted with the key, from destroyed_micros on no node
-- has it. confirmed_micros is when the operator confirmed that its copies in older KEYS files
-- are destroyed, too. 0 means not yet. The first start after this migration adds the row of
-- a key that is older than the table, with begun_micros 0.
CREATE TABLE key_epochs (
  number           BIGINT NOT NULL PRIMARY KEY,
  fingerprint      BYTEA  NOT NULL UNIQUE,
  begun_micros     BIGINT NOT NULL,
  replaced_micros  BIGINT NOT NULL DEFAULT 0,
  destroyed_micros BIGINT NOT NULL DEFAULT 0,
  confirmed_micros BIGINT NOT NULL DEFAULT 0
);

-- The running nodes, and the fingerprints of the master keys that each of them has, one after
-- the other. A node that was not seen for some time has stopped. The table is in no backup.
CREATE TABLE key_holders (
  node         TEXT   NOT NULL PRIMARY KEY,
  fingerprints BYTEA  NOT NULL,
  seen_micros  BIGINT NOT NULL
);

-- A node that does not know yet that a key was replaced must store nothing that is encrypted
-- with it. An encrypted secret begins with the byte E0 and the fingerprint of its key. On
-- PostgreSQL the lock makes the transaction that sets replaced_micros wait for such rows, so
-- that it sees them.

-- +sqlite
CREATE TRIGGER key_trees_added BEFORE INSERT ON key_trees
WHEN substr(NEW.tree, 1, 1) = x'E0'
  AND EXISTS (SELECT 1 FROM key_epochs WHERE fingerprint = substr(NEW.tree, 2, 32) AND replaced_micros <> 0)
BEGIN SELECT RAISE(ABORT, 'the master key was replaced'); END;
CREATE TRIGGER key_trees_changed BEFORE UPDATE OF tree ON key_trees
WHEN substr(NEW.tree, 1, 1) = x'E0'
  AND EXISTS (SELECT 1 FROM key_epochs WHERE fingerprint = substr(NEW.tree, 2, 32) AND replaced_micros <> 0)
BEGIN SELECT RAISE(ABORT, 'the master key was replaced'); END;
CREATE TRIGGER installation_added BEFORE INSERT ON installation
WHEN substr(NEW.value, 1, 1) = x'E0'
  AND EXISTS (SELECT 1 FROM key_epochs WHERE fingerprint = substr(NEW.value, 2, 32) AND replaced_micros <> 0)
BEGIN SELECT RAISE(ABORT, 'the master key was replaced'); END;
CREATE TRIGGER installation_changed BEFORE UPDATE OF value ON installation
WHEN substr(NEW.value, 1, 1) = x'E0'
  AND EXISTS (SELECT 1 FROM key_epochs WHERE fingerprint = substr(NEW.value, 2, 32) AND replaced_micros <> 0)
BEGIN SELECT RAISE(ABORT, 'the master key was replaced'); END;
-- +end

-- +postgres
CREATE FUNCTION verdict_check_epoch(secret bytea) RETURNS void LANGUAGE plpgsql AS $$
DECLARE replaced bigint;
BEGIN
  SELECT replaced_micros INTO replaced FROM key_epochs WHERE fingerprint = substr(secret, 2, 32) FOR SHARE;
  IF replaced <> 0 THEN
    RAISE EXCEPTION 'the master key was replaced';
  END IF;
END $$;
CREATE FUNCTION verdict_check_tree() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM verdict_check_epoch(NEW.tree); RETURN NEW; END $$;
CREATE FUNCTION verdict_check_installation() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN PERFORM verdict_check_epoch(NEW.value); RETURN NEW; END $$;
CREATE TRIGGER key_trees_wrapped BEFORE INSERT OR UPDATE OF tree ON key_trees
  FOR EACH ROW WHEN (substr(NEW.tree, 1, 1) = '\xE0') EXECUTE FUNCTION verdict_check_tree();
CREATE TRIGGER installation_wrapped BEFORE INSERT OR UPDATE OF value ON installation
  FOR EACH ROW WHEN (substr(NEW.value, 1, 1) = '\xE0') EXECUTE FUNCTION verdict_check_installation();
-- +end

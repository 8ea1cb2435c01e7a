-- What belongs to the whole installation: the secret from which the keys of
-- keyed hashes are made. It is part of a backup, or old hashes would match
-- nothing any more.

CREATE TABLE installation (
  name  TEXT  NOT NULL PRIMARY KEY,
  value BYTEA NOT NULL
);

-- +postgres
ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE installation FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON installation USING (verdict_is_system());
-- +end

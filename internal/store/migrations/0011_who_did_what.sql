-- People look for what somebody did, and for everything of a kind that was done.
CREATE INDEX audit_log_actor ON audit_log (tenant_id, environment, actor, created_micros, id);
CREATE INDEX audit_log_action ON audit_log (tenant_id, environment, action, created_micros, id);

-- Of decisions only those that a person asked for: they are few, so that the
-- index costs the others nothing, and a person's are looked for among all.
CREATE INDEX decisions_person ON decisions (tenant_id, environment, actor, id) WHERE substr(actor, 1, 4) = 'usr_';

-- The key must stay the youngest index (see 0001).

-- +postgres
ALTER TABLE decisions DROP CONSTRAINT decisions_pkey;
ALTER TABLE decisions ADD PRIMARY KEY (tenant_id, environment, id);
-- +end

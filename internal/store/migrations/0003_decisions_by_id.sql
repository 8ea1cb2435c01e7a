-- The order of decision ids is the order of creation, so the primary key is
-- also the list by time, and an index ends in the id alone. Who made a decision
-- is part of it: the decision is its own entry in the audit trail. Decisions
-- without an actor are older than this column, and have theirs in audit_log.

ALTER TABLE decisions ADD COLUMN actor TEXT NOT NULL DEFAULT '';

DROP INDEX decisions_page;
DROP INDEX decisions_status;
DROP INDEX decisions_applicant;
CREATE INDEX decisions_status ON decisions (tenant_id, environment, status, id);
CREATE INDEX decisions_applicant ON decisions (tenant_id, environment, applicant_ref, id) WHERE applicant_ref <> '';

-- The key must stay the youngest index (see 0001). Documents are stored as they
-- are, and in the row itself unless it would fill a page: compressing them, or
-- cutting them into a table beside this one, costs more than writing them.

-- +postgres
ALTER TABLE decisions DROP CONSTRAINT decisions_pkey;
ALTER TABLE decisions ADD PRIMARY KEY (tenant_id, environment, id);
ALTER TABLE decisions ALTER response SET STORAGE EXTERNAL, ALTER facts SET STORAGE EXTERNAL;
ALTER TABLE decision_features ALTER vector SET STORAGE EXTERNAL, ALTER source SET STORAGE EXTERNAL;
ALTER TABLE idempotency_keys ALTER body SET STORAGE EXTERNAL;
ALTER TABLE decisions SET (toast_tuple_target = 8160);
ALTER TABLE idempotency_keys SET (toast_tuple_target = 8160);
-- +end

-- People look for decisions by the beginning of an applicant's reference. The references with one beginning are a range
-- only if references are compared byte by byte, as SQLite compares them. The trigger names the column, so it is made
-- again.

-- +postgres
DROP TRIGGER decisions_reference_replaced ON decisions;
ALTER TABLE decisions ALTER COLUMN applicant_ref TYPE TEXT COLLATE "C";
CREATE TRIGGER decisions_reference_replaced BEFORE UPDATE OF applicant_ref ON decisions
  FOR EACH ROW WHEN (NEW.applicant_ref <> OLD.applicant_ref AND NOT (OLD.applicant_ref <> ''
  AND substr(NEW.applicant_ref, 1, 7) = 'erased:' AND length(NEW.response) = 0 AND length(NEW.facts) = 0))
  EXECUTE FUNCTION verdict_refuse();

-- The key must stay the youngest index (see 0001).
ALTER TABLE decisions DROP CONSTRAINT decisions_pkey;
ALTER TABLE decisions ADD PRIMARY KEY (tenant_id, environment, id);
-- +end

-- The person who works on a referral; '' for nobody. People look for their own and for those of nobody.
ALTER TABLE referrals ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
CREATE INDEX referrals_assignee ON referrals (tenant_id, environment, assignee, decision_id);

-- The queue of decisions that wait for a person: those that were referred and
-- have no final review. Whoever works through it begins with the oldest, and
-- must not walk past all that was settled to find it.

CREATE TABLE referrals (
  tenant_id    TEXT   NOT NULL CHECK (tenant_id <> ''),
  environment  TEXT   NOT NULL CHECK (environment IN ('sandbox', 'live')),
  decision_id  TEXT   NOT NULL,
  asked_micros BIGINT NOT NULL, -- when more information was last asked for
  PRIMARY KEY (tenant_id, environment, decision_id)
)
-- +sqlite
WITHOUT ROWID
-- +end
;

-- +postgres
SELECT set_config('verdict.role', 'system', true);
-- +end

INSERT INTO referrals (tenant_id, environment, decision_id, asked_micros)
SELECT d.tenant_id, d.environment, d.id, coalesce(max(r.created_micros), 0)
FROM decisions d LEFT JOIN decision_reviews r
  ON r.tenant_id = d.tenant_id AND r.environment = d.environment AND r.decision_id = d.id
WHERE d.status = 'REFERRED'
GROUP BY d.tenant_id, d.environment, d.id
HAVING count(CASE WHEN r.outcome <> 'more_information' THEN 1 END) = 0;

-- People look for the decisions of a grade and of a version of a policy.
CREATE INDEX decisions_grade ON decisions (tenant_id, environment, grade, id);
CREATE INDEX decisions_policy ON decisions (tenant_id, environment, policy_id, id);

-- The key must stay the youngest index (see 0001).

-- +postgres
SELECT set_config('verdict.role', '', true);
ALTER TABLE decisions DROP CONSTRAINT decisions_pkey;
ALTER TABLE decisions ADD PRIMARY KEY (tenant_id, environment, id);
ALTER TABLE referrals ENABLE ROW LEVEL SECURITY;
ALTER TABLE referrals FORCE ROW LEVEL SECURITY;
CREATE POLICY wall ON referrals USING (
  (tenant_id = current_setting('verdict.tenant', true)
    AND environment = current_setting('verdict.environment', true))
  OR verdict_is_system());
-- +end

-- The policy of policy.json over a file, with the counts that every contestant has
-- to agree on. The types of the columns are given, so that nothing has to be guessed.
with rows as (
  select * from read_csv($1, header = true, auto_detect = false, delim = ',', quote = '"', columns = {
    'applicant_id': 'VARCHAR',
    'score': 'INTEGER',
    'age': 'INTEGER',
    'monthly_income': 'DOUBLE',
    'foir': 'DOUBLE',
    'requested_amount': 'INTEGER',
    'enquiries_6m': 'INTEGER',
    'active_tradelines': 'INTEGER',
    'max_dpd_12m': 'INTEGER',
    'bureau_written_off_36m': 'INTEGER',
    'bureau_overdue_amount': 'DOUBLE',
    'bureau_card_utilisation': 'DOUBLE',
    'bureau_live_unsecured': 'INTEGER',
    'bureau_oldest_account_months': 'INTEGER',
    'bureau_report_age_days': 'INTEGER',
    'bank_bounces': 'INTEGER',
    'fraud_score': 'INTEGER',
    'location_pincode_risk_score': 'INTEGER',
    'employment_type': 'VARCHAR',
    'bad': 'INTEGER'
  })
),
scored as (
  select *,
    (score < 580) as ko_score,
    (age < 21 or age > 62) as ko_age,
    (monthly_income < 12000) as ko_income,
    (foir > 0.75 or (foir > 0.65 and monthly_income < 25000)) as ko_foir,
    (enquiries_6m > 9 or (enquiries_6m > 6 and score < 700)) as ko_enquiries,
    (max_dpd_12m >= 60) as ko_dpd,
    (bureau_written_off_36m > 0 and not (score >= 760)) as ko_written_off,
    (bureau_overdue_amount > 5000) as ko_overdue,
    (employment_type in ('UNEMPLOYED', 'STUDENT', 'HOMEMAKER')) as ko_employment,
    (location_pincode_risk_score >= 90 or (location_pincode_risk_score >= 75 and score < 680)) as ko_pincode,
    (fraud_score >= 85) as ko_fraud,
    (bank_bounces > 3 or (bank_bounces > 1 and score < 720)) as rf_bounces,
    585
      + case when score < 600 then -45 when score < 650 then -15 when score < 700 then 15 when score < 740 then 35 when score < 780 then 55 else 70 end
      + case when age < 23 then -10 when age < 26 then 0 when age < 35 then 8 when age < 45 then 12 when age < 55 then 6 else 0 end
      + case when monthly_income < 15000 then -18 when monthly_income < 25000 then -6 when monthly_income < 40000 then 6 when monthly_income < 75000 then 16 when monthly_income < 150000 then 24 else 30 end
      + case when foir < 0.2 then 20 when foir < 0.3 then 14 when foir < 0.4 then 6 when foir < 0.5 then -4 when foir < 0.6 then -16 else -30 end
      + case when enquiries_6m < 1 then 14 when enquiries_6m < 2 then 9 when enquiries_6m < 4 then 2 when enquiries_6m < 6 then -8 when enquiries_6m < 8 then -18 else -28 end
      + case when max_dpd_12m < 1 then 16 when max_dpd_12m < 8 then 2 when max_dpd_12m < 16 then -10 when max_dpd_12m < 31 then -25 when max_dpd_12m < 46 then -38 else -50 end
      + case when bureau_oldest_account_months < 6 then -14 when bureau_oldest_account_months < 12 then -6 when bureau_oldest_account_months < 24 then 2 when bureau_oldest_account_months < 48 then 8 when bureau_oldest_account_months < 96 then 14 else 18 end
      + case when bureau_card_utilisation < 0.1 then 10 when bureau_card_utilisation < 0.3 then 8 when bureau_card_utilisation < 0.5 then 2 when bureau_card_utilisation < 0.7 then -6 when bureau_card_utilisation < 0.9 then -14 else -22 end
      + case when active_tradelines < 1 then -10 when active_tradelines < 3 then 4 when active_tradelines < 6 then 9 when active_tradelines < 10 then 4 else -6 end
      + case when bank_bounces < 1 then 10 when bank_bounces < 2 then 0 when bank_bounces < 3 then -12 when bank_bounces < 4 then -24 else -36 end
      + case when location_pincode_risk_score < 20 then 8 when location_pincode_risk_score < 40 then 4 when location_pincode_risk_score < 60 then 0 when location_pincode_risk_score < 75 then -7 when location_pincode_risk_score < 85 then -14 else -24 end
      + case when employment_type = 'SALARIED' then 14 when employment_type = 'SELF_EMPLOYED_PROFESSIONAL' then 10 when employment_type = 'SELF_EMPLOYED' then 3 when employment_type = 'RETIRED' then -8 else -18 end as points
  from rows
),
graded as (
  select *, (ko_score or ko_age or ko_income or ko_foir or ko_enquiries or ko_dpd or ko_written_off or ko_overdue or ko_employment or ko_pincode or ko_fraud) as declined,
    (rf_bounces) as referred,
    case when greatest(300, least(900, points)) >= 740 then 'A' when greatest(300, least(900, points)) >= 700 then 'B' when greatest(300, least(900, points)) >= 660 then 'C' when greatest(300, least(900, points)) >= 620 then 'D' when greatest(300, least(900, points)) >= 580 then 'E' else 'F' end as grade
  from scored
),
decided as (
  select *, case when declined or grade = 'F' then 'D' when referred or grade = 'E' then 'R' else 'A' end as status,
    case grade when 'A' then floor(least(requested_amount, monthly_income * 10, 1200000) / 1000) * 1000 when 'B' then floor(least(requested_amount, monthly_income * 9, 800000) / 1000) * 1000 when 'C' then floor(least(requested_amount, monthly_income * 8, 500000) / 1000) * 1000 when 'D' then floor(least(requested_amount, monthly_income * 6, 300000) / 1000) * 1000 when 'E' then floor(least(requested_amount, monthly_income * 4, 150000) / 1000) * 1000 else 0 end as amount
  from graded
)
select grade, count(*), count(*) filter (status = 'A'), count(*) filter (status = 'R'),
  count(*) filter (bad = 1), count(*) filter (status = 'A' and bad = 1),
  coalesce(sum(amount) filter (status = 'A'), 0)::bigint,
  count(*) filter (ko_score),
  count(*) filter (ko_age),
  count(*) filter (ko_income),
  count(*) filter (ko_foir),
  count(*) filter (ko_enquiries),
  count(*) filter (ko_dpd),
  count(*) filter (ko_written_off),
  count(*) filter (ko_overdue),
  count(*) filter (ko_employment),
  count(*) filter (ko_pincode),
  count(*) filter (ko_fraud),
  count(*) filter (rf_bounces)
from decided
group by grade
order by grade

package agent_test

import (
	"fmt"
	"strings"

	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
)

// dice is a deterministic pseudo-random sequence.
type dice uint64

func (d *dice) next(low, high uint64) uint64 {
	*d = *d*6364136223846793005 + 1442695040888963407
	return low + (uint64(*d)>>33)%(high-low+1)
}

// maybe returns a member of an object with the given probability in percent, and
// "" otherwise.
func (d *dice) maybe(percent uint64, format string, args ...any) string {
	if d.next(1, 100) > percent {
		return ""
	}
	return fmt.Sprintf(","+format, args...)
}

// chance returns true with the given probability in percent.
func (d *dice) chance(percent uint64) bool { return d.next(1, 100) <= percent }

// one returns one of the texts at random.
func (d *dice) one(texts ...string) string { return texts[d.next(0, uint64(len(texts)-1))] }

// drawn returns decision request number n of a pseudo-random sequence.
func drawn(n uint64) string {
	d := dice(n)
	return fmt.Sprintf(`{"applicant":{"id":"A-7"%s%s%s%s%s},"bureau_report":{"score":%d%s%s%s%s}%s}`,
		d.maybe(90, `"monthly_income":%d`, d.next(12, 150)*1000), d.maybe(90, `"foir":0.%02d`, d.next(5, 70)),
		d.maybe(90, `"requested_amount":%d`, d.next(5, 900)*1000), d.maybe(50, `"tenure_months":%d`, d.next(1, 10)*6),
		d.maybe(70, `"age":%d,"employment_type":"SALARIED"`, d.next(18, 65)), d.next(640, 850),
		d.maybe(80, `"enquiries_6m":%d`, d.next(0, 14)), d.maybe(80, `"active_tradelines":%d`, d.next(0, 14)),
		d.maybe(80, `"max_dpd_12m":%d`, d.next(0, 2)*25), d.maybe(30, `"overdue_amount":%d`, d.next(0, 9)*1000),
		d.maybe(30, `"purpose":"school [fees](x) <b>"`))
}

// drawnWithBlocks returns evaluate request number n of a pseudo-random sequence,
// with random blocks. There are few accounts, devices and addresses, so that
// applicants share them.
func drawnWithBlocks(n uint64) string {
	d := dice(n)
	report := fmt.Sprintf(`"scoreData":{"score":%d},"incomeAssessment":{%s},"demographics":{%s}%s%s`,
		d.next(640, 860),
		strings.TrimPrefix(
			d.maybe(90, `"monthlyIncome":%d`, d.next(20, 150)*1000)+d.maybe(80, `"foir":%d`, d.next(2, 55)), ","),
		strings.TrimPrefix(d.maybe(80, `"age":%d`, d.next(18, 64))+d.maybe(80, `"employmentType":"SALARIED"`), ","),
		d.maybe(95, `"requestedAmount":%d`, d.next(5, 900)*1000),
		d.maybe(40, `"requestedTenureMonths":%d`, d.next(1, 10)*6))
	return fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":{%s}}%s%s%s%s%s}`, report,
		d.maybe(70, `"device":{"is_emulator":%t,"is_rooted":%t,"sim_age_days":%d,"loan_apps_installed_count":%d,
			"device_id":"d-%d"}`,
			d.chance(8), d.chance(15), d.next(0, 90), d.next(0, 8), d.next(1, 60)),
		d.maybe(70, `"location":{"lat":%s,"lng":77.5946,"ip":"%s","declared_pincode":"%s","permission_denied":%t}`,
			d.one("12.9716", "28.6139"), d.one("103.21.58.1", "8.8.8.8"),
			d.one("560001", "560002", "110001", "110002"), d.chance(10)),
		d.maybe(70, `"fraud":{"applicant_ref":"A-%d","beneficiary_account":"00011122%04d","ip":"49.36.%d.1",
			"agent_id":"AG-%d","pincode":"%s","mobile":"98%08d","email":"p%d@example.in"}`,
			n, d.next(1, 90), d.next(1, 40), d.next(1, 12), d.one("560001", "560002", "400001", "400002"),
			d.next(1, 60), d.next(1, 60)),
		d.maybe(60, `"bank_summary":{%s}`, d.bankSummary()),
		d.maybe(40, `"purpose":"school [fees](x) <b>"`))
}

// bankSummary returns a block with or without the transactions of three months.
func (d *dice) bankSummary() string {
	scalars := strings.TrimPrefix(
		d.maybe(70, `"income":%d,"emi":%d`, d.next(20, 120)*1000, d.next(0, 50)*1000)+
			d.maybe(60, `"bounces":%d`, d.next(0, 5))+
			d.maybe(80, `"declared_monthly_income":%d,"declared_emi":%d`, d.next(20, 150)*1000, d.next(0, 9)*1000), ",")
	if d.chance(30) {
		return scalars
	}
	salary, emi, balance := int64(d.next(20, 90)*1000), int64(d.next(0, 12)*1000), int64(d.next(0, 20)*1000)-8_000
	var list []string
	add := func(day, kind, mode, narration string, amount int64) {
		balance += amount
		list = append(list, fmt.Sprintf(`{"txn_id":"T%d","date":"2026-%s","type":"%s","mode":"%s",
			"amount":%d,"balance":%d,"narration":"%s"}`,
			len(list), day, kind, mode, max(amount, -amount), balance, narration))
	}
	months := []string{"09", "10", "11"}
	if d.chance(30) {
		months = []string{"07", "08", "09"}
	}
	for _, month := range months {
		add(month+"-01", "CREDIT", "FT", "NEFT CR SALARY ORCHID HOSPITALS", salary)
		if emi > 0 {
			add(month+"-05", "DEBIT", "OTHERS", "ACH D- HDB FINANCIAL-EMI 771", -emi)
		}
		if emi > 0 && d.chance(50) {
			add(month+"-06", "CREDIT", "OTHERS", "ACH RTN HDB FINANCIAL INSUFF FUNDS", emi)
		}
		add(month+"-08", "DEBIT", "FT", "IMPS RENT AND DEPOSIT", -salary)
		if d.chance(15) {
			balance += 500 // as if a line had been removed
		}
	}
	return strings.TrimPrefix(scalars+`,"transactions":[`+strings.Join(list, ",")+"]", ",")
}

// lend sets up a policy, thresholds and pincode risks that exercise every
// statement of a memo.
func (h *house) lend() {
	h.Helper()
	set, err := h.cases.Policies.CreateRuleSet(h.Context(), h.caller,
		engine.NewDraft(parse(h, `{"name":"with conditions",
		"include_defaults":true,"required_fields":["monthly_income","bureau_score"],
		"conditions":[{"code":"GUARANTOR","text":"A guarantor *in writing*",
			"condition_ast":{"op":"gte","field":"requested_amount","value":100000}},
			{"code":"VISIT","text":"A visit","condition_ast":{"op":"eq","field":"location_gps_pincode_match",
				"value":false}}],
		"knockouts":[
			{"id":"RF_ROOTED","stage":1,"action":"refer","reason_code":"FR_EMULATOR",
				"condition_ast":{"op":"eq","field":"device_is_rooted","value":true}},
			{"id":"RF_RISK","stage":1,"action":"refer","reason_code":"LOC_PINCODE",
				"message":"risk of {location_pincode_risk_score} from {threshold}",
				"condition_ast":{"op":"gte","field":"location_pincode_risk_score","value":70}},
			{"id":"KO_SHORT","stage":1,"action":"decline","reason_code":"BANK_BOUNCE",
				"condition_ast":{"op":"gt","field":"bank_issued_bounces_90d","value":2}},
			{"id":"RF_MORE","stage":2,"action":"refer","reason_code":"INC_LOW","condition_ast":{"op":"gt",
				"left":{"field":"offer_limit"},"right":{"field":"monthly_income"}}}]}`)), nil)
	if err != nil {
		h.Fatal(err)
	}
	if _, err := h.cases.Policies.Activate(h.Context(), h.caller, set.ID, policydesk.Activation{}, nil); err != nil {
		h.Fatal(err)
	}
	risks, err := document.ReadPincodeRisks(parse(h,
		`{"entries":[{"pincode":"560002","risk":"HIGH"},{"pincode":"110002","risk":"BLOCKED"}]}`))
	if err != nil {
		h.Fatal(err)
	}
	if _, err := h.cases.Fraud.SetPincodeRisks(h.Context(), h.caller, risks.Entries, risks.Replace); err != nil {
		h.Fatal(err)
	}
	change, err := document.ReadConfigPatch(parse(h, `{"fraud":{"ip_cluster":{"distinct_applicants":3},
		"agent_anomaly":{"max_applications":2,"max_distinct_pincodes":1},
		"pincode_spike":{"min_count":2,"ratio_to_baseline":1.1,"min_baseline_days":1}}}`))
	if err != nil {
		h.Fatal(err)
	}
	if _, err := h.cases.Fraud.ChangeConfig(h.Context(), h.caller, change, 0); err != nil {
		h.Fatal(err)
	}
}

// pass advances the clock by a day after every 20 applications, so that there is a baseline. Each time it also confirms
// the first fraud alert, unless that alert is closed. This adds entries to the block list.
func (h *house) pass(n uint64) {
	h.Helper()
	if n%20 != 19 {
		return
	}
	h.later.Add(1)
	page, err := h.cases.Fraud.Alerts(h.Context(), h.caller, frauddesk.AlertFilter{}, operation.List{Limit: 1})
	if err != nil {
		h.Fatal(err)
	}
	if len(page.Data) == 0 || page.Data[0].Status == "closed" {
		return
	}
	closed := frauddesk.AlertMove{To: "closed", Resolution: "confirmed_fraud"}
	if _, err := h.cases.Fraud.MoveAlert(h.Context(), h.caller, page.Data[0].ID, closed); err != nil {
		h.Fatal(err)
	}
}

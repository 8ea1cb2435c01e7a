package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// dice is a splitmix64 generator. It does not use math/rand, because the committed corpus must be the same with every
// version of Go and on every processor.
type dice struct{ state uint64 }

func newDice(seed uint64) *dice { return &dice{state: seed} }

func (d *dice) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	z := d.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1. Its slight bias does not matter here.
func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }

// between returns a number from low to high, both included.
func (d *dice) between(low, high int64) int64 { return low + int64(d.next()%uint64(high-low+1)) }

func (d *dice) percent(p int) bool { return d.below(100) < p }

func pick[T any](d *dice, from ...T) T { return from[d.below(len(from))] }

// micros writes a count of millionths as a JSON number.
func micros(n int64) json.Number { return json.Number(rule.Number(n).String()) }

func rational(n int64, places int) json.Number {
	for range 6 - places {
		n *= 10
	}
	return micros(n)
}

// These fields may appear in generated policies. They are a sample of every
// group of the catalogue. The list is explicit so that a new field in the
// catalogue does not change the corpus.
var (
	coreFields = []string{
		"bureau_score", "bureau_is_ntc", "monthly_income", "foir", "requested_amount", "requested_tenure_months",
		"enquiries_6m", "active_tradelines", "max_dpd_12m", "age", "employment_type",
	}
	blockFields = []string{
		"device_is_emulator", "device_is_rooted", "device_sim_new", "device_loan_apps_excess",
		"location_gps_pincode_match", "location_ip_country", "location_pincode_risk", "location_pincode_risk_score",
		"location_permission_denied", "location_ip_allowed",
		"fraud_score", "fraud_beneficiary_reuse", "fraud_beneficiary_applicants", "fraud_ip_cluster",
		"fraud_agent_pincodes", "bank_income", "bank_emi", "bank_avg_balance", "bank_bounces", "bank_foir",
		"bank_abb_to_emi", "bank_income_mismatch_pct",
		"bank_emi_mismatch_pct", "bank_salary_months", "bank_negative_days_90d",
	}
	otherFields = []string{
		"bureau", "bureau_ntc_index", "bureau_written_off_36m", "bureau_suit_or_wilful", "bureau_overdue_amount",
		"bureau_total_emi", "bureau_card_utilisation", "bureau_live_unsecured", "bureau_oldest_account_months",
		"bureau_months_since_30dpd", "bureau_report_age_days",
		"applicant.id", "applicant.employment_type", "applicant.monthly_income", "bureau_report.score",
		"report.demographics.employmentType", "report.incomeAssessment.foir", "device.model", "device.sim_age_days",
		"location.lat", "location.declared_pincode", "fraud.pincode", "bank_summary.balance", "bank_summary.bounces",
		"enquiry__personal_loan__90d__count", "enquiry__all__30d__sum", "outstanding__unsecured__365d__ratio",
		"eod_balance__all__90d__avg", "salary__all__180d__trend", "issued_bounce__nach__60d__count",
		"dpd_1plus__all__365d__max", "debit__upi__7d__avg",
	}
	stage2Fields = []string{"final_score", "grade", "offer_limit", "offer_emi", "offer_apr", "post_offer_foir"}
	openWords    = []string{"", "A", "cibil", "experian", "CAT_A", "CAT_B", "560001", "5600", "IN", "naïve",
		"☂ \"quoted\"\n", "SALARIED"}
	reasonCodes = []string{"BUR_SCORE", "BUR_ENQ", "FOIR_HIGH", "INC_LOW", "MY_OWN", "MISSING_REQUIRED_INPUT",
		"LIMIT_BELOW_MINIMUM", "AMT_BAND_CAP", "FR_RING"}
)

// generated is a random policy with the data that is needed to generate facts
// for it.
type generated struct {
	document []byte
	fields   []string // fields that the policy may name, without Stage 2 fields
	types    map[string]rule.Type
	near     map[string][]int64 // thresholds in millionths, by field
}

// writer generates one policy.
type writer struct {
	*dice
	generated
	inputs []any
	ids    int

	hasSpecials bool
}

// generatePolicy returns a valid policy that depends only on the seed.
func generatePolicy(seed uint64) *generated {
	w := &writer{dice: newDice(seed), generated: generated{types: map[string]rule.Type{}, near: map[string][]int64{}}}
	w.hasSpecials = seed < 1<<40 // the seeds of the committed corpus are larger; its policies have no special bins
	w.chooseFields()
	policy := object{
		"name": "generated " + strconv.FormatUint(seed, 10), "inputs": w.inputs,
		"knockouts": w.knockouts(), "adjustments": w.adjustments(), "scorecard": w.scorecard(),
		"conditions": w.conditions(), "required_fields": w.required(),
	}
	w.bands(policy)
	switch w.below(4) {
	case 0: // leave "include_defaults" out
	case 1:
		policy["include_defaults"] = false
	default:
		policy["include_defaults"] = true
	}
	if w.percent(80) {
		policy["limit_step"] = pick(w.dice, micros(1000e6), micros(1000e6), micros(500e6), micros(100e6), micros(1e6),
			micros(5000e6), micros(333_330_000), micros(25_000e6))
	}
	document, err := json.Marshal(policy)
	if err != nil {
		panic(err) // maps of strings and numbers always marshal
	}
	w.document = document
	return &w.generated
}

func (w *writer) chooseFields() {
	w.fields = slices.Clone(coreFields)
	for range w.between(2, 8) {
		w.fields = append(w.fields, pick(w.dice, blockFields...), pick(w.dice, otherFields...))
	}
	w.inputs = []any{}
	for _, in := range []struct {
		name string
		typ  rule.Type
	}{
		{"applicant.employer_category", rule.StringType}, {"applicant.years_employed", rule.NumberType},
		{"report.custom.flag", rule.BoolType}, {"report.custom.index", rule.NumberType},
	} {
		if w.percent(40) {
			w.types[in.name] = in.typ
			w.fields = append(w.fields, in.name)
			w.inputs = append(w.inputs, object{"name": in.name, "type": in.typ.String()})
		}
	}
	slices.Sort(w.fields)
	w.fields = slices.Compact(w.fields)
}

func (w *writer) id(prefix string) string {
	w.ids++
	return fmt.Sprintf("%s_%d", prefix, w.ids)
}

func (w *writer) knockouts() []any {
	out := []any{}
	for range w.below(7) {
		k := object{"id": w.id("KO"), "reason_code": pick(w.dice, reasonCodes...)}
		if w.percent(3) {
			k["id"] = pick(w.dice, "KO_DEVICE_EMULATOR", "KO_FRAUD_MULE_ACCOUNT")
			if slices.ContainsFunc(out, func(other any) bool { return as[object](other)["id"] == k["id"] }) {
				continue
			}
		}
		stage2 := w.percent(30)
		if stage2 {
			k["stage"] = 2
		} else if w.percent(50) {
			k["stage"] = 1
		}
		if w.percent(70) {
			k["action"] = pick(w.dice, "refer", "decline", "refer")
		}
		if w.percent(15) {
			k["on_absent"] = pick(w.dice, "pass", "refer", "fail")
		}
		k["condition_ast"] = w.rare(stage2)
		if w.percent(10) {
			k["message"] = "{bureau_score} against {threshold}"
		}
		if w.percent(10) { // name no reason code, so that the default code of a field applies
			delete(k, "reason_code")
			k["condition_ast"] = object{
				"op":   "and",
				"args": []any{w.rare(stage2), object{"op": "gt", "field": "foir", "value": w.threshold("foir")}},
			}
		}
		out = append(out, k)
	}
	return out
}

// rare returns a condition that seldom holds, so that decisions of every status
// occur.
func (w *writer) rare(stage2 bool) object {
	c := w.condition(w.below(5), stage2)
	if w.percent(85) {
		return object{"op": "and", "args": []any{c, w.condition(1, stage2), w.predicate(stage2)}}
	}
	return c
}

func (w *writer) adjustments() []any {
	out := []any{}
	for range w.below(5) {
		delta := w.between(-40_0000, 30_0000)
		if w.percent(60) {
			delta = delta / 1_0000 * 1_0000
		}
		a := object{"id": w.id("ADJ"), "delta": rational(delta, 4), "condition_ast": w.condition(w.below(4), false)}
		if delta <= 0 && w.percent(70) {
			a["reason_code"] = pick(w.dice, reasonCodes...)
		}
		out = append(out, a)
	}
	return out
}

func (w *writer) conditions() []any {
	out := []any{}
	for range w.below(4) {
		out = append(out, object{
			"code":          strings.ToUpper(w.id("C")),
			"text":          "bring it",
			"condition_ast": w.condition(w.below(4), false),
		})
	}
	return out
}

func (w *writer) required() []any {
	out := []any{}
	for range w.below(10) / 7 {
		names := []string{pick(w.dice, coreFields...)}
		for w.percent(60) {
			names = append(names, pick(w.dice, w.fields...))
		}
		out = append(out, strings.Join(names, "|"))
	}
	return out
}

func (w *writer) scorecard() object {
	card := object{"base_points": rational(w.between(450_0000, 720_0000), 4)}
	if w.percent(70) {
		card["base_points"] = rational(w.between(450, 720), 0)
	}
	if w.percent(40) {
		card["min_score"], card["max_score"] = rational(w.between(250, 600), 0), rational(w.between(600_0000, 950_0000),
			4)
	}
	factors := []any{}
	for range w.below(8) {
		factors = append(factors, w.factor())
	}
	card["factors"] = factors
	return card
}

func (w *writer) points() json.Number {
	if w.percent(70) {
		return rational(w.between(-60, 60), 0)
	}
	return rational(w.between(-60_0000, 60_0000), 4)
}

func (w *writer) factor() object {
	name := pick(w.dice, w.fields...)
	f := object{"factor": w.id("f"), "field": name}
	switch w.below(4) {
	case 0:
		f["weight"] = rational(w.between(0, 2_0000), 4)
	case 1:
		f["weight"] = pick(w.dice, json.Number("1"), json.Number("0"), json.Number("0.5"), json.Number("1.3333"))
	}
	switch w.below(3) {
	case 0:
		f["missing_points"] = w.points()
	case 1:
		f["missing_points"] = nil
	}
	if w.percent(30) {
		f["when"] = w.condition(w.below(3), false)
	}
	if w.percent(60) {
		f["reason_code"] = pick(w.dice, reasonCodes...)
	}
	if w.typeOf(name) == rule.NumberType {
		f["bins"] = w.ranges(name)
	} else {
		f["bins"] = w.sets(name)
	}
	return f
}

func (w *writer) bin() object {
	b := object{"points": w.points()}
	if w.percent(20) {
		b["reason_code"] = pick(w.dice, reasonCodes...)
	}
	if w.percent(10) {
		b["woe"] = rational(w.between(-3_000000, 3_000000), 6)
	}
	return b
}

// ranges returns half-open bins over a number field. If the catalogue bounds
// the field, the outer bins sometimes name those bounds.
func (w *writer) ranges(name string) []any {
	var cuts []int64
	for range w.below(7) {
		cuts = append(cuts, w.value(name))
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	out := []any{}
	for i := range len(cuts) + 1 {
		b := w.bin()
		if i > 0 {
			b["gte"] = micros(cuts[i-1])
		}
		if i < len(cuts) {
			b["lt"] = micros(cuts[i])
		}
		out = append(out, b)
	}
	w.near[name] = append(w.near[name], cuts...)
	if id, ok := field.Catalogue().Lookup(name); ok {
		f := field.Catalogue().Field(id)
		if first := int64(f.Min); f.BoundedBelow && w.percent(30) && (len(cuts) == 0 || first < cuts[0]) {
			as[object](out[0])["gte"] = micros(first)
		}
		if last := int64(f.Max) + 1e6; f.BoundedAbove && w.percent(30) && (len(cuts) == 0 || last > cuts[len(cuts)-1]) {
			as[object](out[len(out)-1])["lt"] = micros(last)
		}
	}
	return append(out, w.specials(name)...)
}

// specials returns bins of special values. A range may contain the same
// numbers.
func (w *writer) specials(name string) []any {
	out := []any{}
	var taken []int64
	for w.hasSpecials && w.percent(15) {
		b := w.bin()
		values := []any{}
		for range 1 + w.below(3) {
			if n := w.value(name); !slices.Contains(taken, n) {
				taken, values = append(taken, n), append(values, micros(n))
			}
		}
		if len(values) > 0 {
			b["special"] = values
			out = append(out, b)
		}
	}
	w.near[name] = append(w.near[name], taken...)
	return out
}

func (w *writer) sets(name string) []any {
	words := slices.Clone(w.words(name))
	out := []any{}
	for len(words) > 0 && w.percent(75) {
		b := w.bin()
		in := []any{}
		for len(words) > 0 && (len(in) == 0 || w.percent(40)) {
			i := w.below(len(words))
			in = append(in, words[i])
			words = slices.Delete(words, i, i+1)
		}
		b["in"] = in
		out = append(out, b)
	}
	last := w.bin()
	last["else"] = true
	return append(out, last)
}

// bands writes the pricing bands into the policy. Each band has its own grade
// and id.
func (w *writer) bands(policy object) {
	all := []any{}
	gaps := w.percent(25)
	if gaps {
		policy["allow_gaps"] = true
	}
	w.ladder(&all, gaps, false)
	switch w.below(3) {
	case 0:
		w.ladder(&all, gaps, true)
	case 1:
		b := w.band(true)
		all = append(all, b)
	}
	policy["pricing_bands"] = all
}

func (w *writer) ladder(all *[]any, gaps, ntc bool) {
	low, high := pick(w.dice, int64(300), 300, 300, 520), pick(w.dice, int64(900), 900, 900, 750)
	for low <= high {
		top := min(high, low+w.between(10, 260))
		b := w.band(ntc)
		b["min_score"], b["max_score"] = low, top
		// Insert at a random position, so that the declared order is not the
		// order of scores.
		*all = slices.Insert(*all, w.below(len(*all)+1), any(b))
		w.near["final_score"] = append(w.near["final_score"], low*1e6, top*1e6)
		low = top + 1
		if gaps && w.percent(40) {
			low += w.between(1, 40)
		}
	}
}

func (w *writer) band(ntc bool) object {
	b := object{"id": w.id("PB"), "grade": fmt.Sprintf("G%d", w.ids)}
	if ntc {
		b["ntc"] = true
	}
	action := pick(w.dice, "", "approve", "approve", "approve", "approve", "approve", "refer", "decline")
	if action != "" {
		b["action"] = action
	}
	if action == "decline" && w.percent(60) {
		return b
	}
	months := []int64{6, 9, 12, 18, 24, 36, 48, 60, 84}
	if w.percent(5) {
		months = []int64{1, 2, 3, 120, 240, 480}
	}
	usual := pick(w.dice, months...)
	b["tenure_months"] = usual
	longest := usual
	if w.percent(75) {
		allowed := []int64{usual}
		for range w.below(5) {
			allowed = append(allowed, pick(w.dice, months...))
		}
		longest = slices.Max(allowed)
		b["tenures_allowed"] = allowed
	}
	switch {
	case w.percent(8):
		b["interest_rate"] = json.Number("0")
	case w.percent(5) && longest <= 84:
		b["interest_rate"] = rational(w.between(30_00, 100_00), 2)
	default:
		b["interest_rate"] = rational(w.between(6_00, 30_00), 2)
	}
	least := max(longest, pick(w.dice, int64(500), 5_000, 5_000, 20_000, 20_000, 50_000))
	most := least + pick(w.dice, w.between(0, 20_000), w.between(50_000, 1_000_000), w.between(1e6, 1e8))
	b["min_limit"], b["max_limit"] = least, most
	b["default_limit"] = w.between(least, min(most, least+200_000))
	b["foir_cap"] = pick(w.dice, micros(w.between(300_000, 700_000)), json.Number("0.5"), json.Number("0.45"),
		json.Number("0.55"), json.Number("0.6"))
	if w.percent(3) {
		b["foir_cap"] = pick(w.dice, json.Number("0"), json.Number("1"), json.Number("5"))
	}
	if w.percent(60) {
		b["income_multiple"] = pick(w.dice, rational(w.between(1_0000, 24_0000), 4), rational(w.between(2, 20), 0))
	}
	if w.percent(70) {
		b["processing_fee_pct"] = rational(w.between(0, 4_0000), 4)
	}
	if w.percent(50) {
		b["processing_fee_min"] = rational(w.between(0, least*100/4), 2)
	}
	if w.percent(30) {
		b["gst_pct"] = pick(w.dice, json.Number("0"), json.Number("18"), rational(w.between(0, 28_0000), 4))
	}
	return b
}

func sortedNames(o object) []string { return slices.Sorted(maps.Keys(o)) }

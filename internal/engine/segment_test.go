package engine_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/golden"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestReferenceAgreesWithGoldenFiles recomputes every golden decision with the naive interpreter. It leaves out the
// files about own exposure, which the interpreter does not support.
func TestReferenceAgreesWithGoldenFiles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/decisions/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(file), "exposure") {
			continue
		}
		plan := goldenPlan(t, archive)
		facts := goldenFacts(t, golden.Section(archive, "facts.json"))
		var d engine.Decision
		plan.Decide(facts, &d)
		var w wire.Writer
		facts.Write(&w)
		want := newReference(t, plan.Policy().Document(), plan.Checksum()).decide(t, w.Buf)
		if got := d.Canonical(); !bytes.Equal(got, want) {
			t.Errorf("%s: the engine gives\n%s\nthe naive interpreter\n%s", file, got, want)
		}
		compared++
	}
	if compared < 50 {
		t.Errorf("only %d golden files were compared", compared)
	}
}

// handMade is the outcome of a golden file, calculated by hand in whole paise.
type handMade struct {
	status, band, binding string
	limit                 int64 // rupees
}

// repaid returns the principal, rounded down to whole thousands, that an instalment in rupees repays at 1 % a month.
// It adds up the present values of the instalments.
func repaid(instalment int64, months int) int64 {
	value, discount := new(big.Rat), big.NewRat(1, 1)
	for range months {
		discount.Mul(discount, big.NewRat(100, 101))
		value.Add(value, new(big.Rat).Mul(discount, big.NewRat(instalment, 1)))
	}
	return floorOf(value) / 1000 * 1000
}

// TestGoldenLimitsByHand recomputes the limits of the golden files about segments and caps with a few lines of integer
// arithmetic for each, as a risk officer would on paper.
func TestGoldenLimitsByHand(t *testing.T) {
	t.Parallel()
	down := func(amount, step int64) int64 { return amount / step * step }
	for name, want := range map[string]handMade{
		// 85 % of 98,765.40 is 83,950.59.
		"two_wheeler_ltv_cap": {"APPROVED", "TW", "limit_cap", down(9876540*85/100/100, 1000)},
		// The capacity is 0.6 − 0.2 of 60,000, which is 24,000. That is enough for the requested 600,000, whose
		// instalment is 20,072.
		"segment_employer_category": {"APPROVED", "PB_A_CAT_A", "requested_amount", 600_000},
		// The capacity of 18,000 supports 519,000 over 36 months at 15 %, but the band lends at most 500,000.
		"segment_other_employer": {"APPROVED", "PB_A", "band_max_limit", 500_000},
		// The capacity is 0.1 of 30,000, which is 3,000. Three instalments without interest repay 9,000.
		"bnpl_zero_rate": {"APPROVED", "BNPL_PARTNER", "foir_capacity", down(3*(30_000/10), 100)},
		// The capacity, 0.45 · 52,000 − 6,500, supports more than four times the income, so the cap applies.
		"self_employed_bank_income": {"APPROVED", "SE", "limit_cap", down(4*52_000, 1000)},
		// The capacity is half of 70,000, less 12,000: 23,000 a month, which repays 1,033,000 over 60 months at 1 %
		// a month.
		"people_income_combined": {"APPROVED", "P", "foir_capacity", repaid(35_000-12_000, 60)},
		// The capacity is half of 40,000, less 6,000.
		"people_obligations_unknown": {"APPROVED", "P", "foir_capacity", repaid(20_000-6_000, 60)},
		// The capacity is half of 40,000, less 6,000 and less 9,000.
		"people_burden_without_income": {"APPROVED", "P", "foir_capacity", repaid(20_000-15_000, 60)},
		// The capacity is half of 40,000, less 6,000. The guarantor's 55,000 are less than 1.5 times 40,000.
		"people_guarantor": {"REFERRED", "P", "foir_capacity", repaid(20_000-6_000, 60)},
		// The lower of the scores 742 and 655 is below 700.
		"people_weakest_score":          {"DECLINED", "", "", 0},
		"people_weakest_score_of_other": {"DECLINED", "", "", 0},
	} {
		var decision struct {
			Status string
			Offer  struct {
				Limit   json.Number
				Band    string `json:"pricing_band_id"`
				Binding string `json:"binding_constraint"`
			}
		}
		archive, err := txtar.ParseFile("testdata/decisions/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(golden.Section(archive, "decision.json"), &decision); err != nil {
			t.Fatal(err)
		}
		limit, err := decision.Offer.Limit.Int64()
		if got := (handMade{decision.Status, decision.Offer.Band, decision.Offer.Binding, limit}); err != nil ||
			got != want {
			t.Errorf("%s: %+v, by hand %+v", name, got, want)
		}
	}
}

// TestCapNeverExceeded checks, for generated policies, that no offer is above a cap that applies, and that the offer
// names a cap exactly if a cap is the binding constraint.
func TestCapNeverExceeded(t *testing.T) {
	t.Parallel()
	bound, applied := 0, 0
	for seed := range uint64(rounds(400, 5_000)) {
		g := generateNewest(seed + 9_000_000)
		plan := compile(t, g.document)
		naive := newReference(t, g.document, plan.Checksum())
		d := newDice(^seed)
		for range 10 {
			facts := encode(t, g.facts(d))
			var decision engine.Decision
			plan.Decide(decodeFacts(t, facts), &decision)
			o := &decision.Offer
			for id, most := range naive.capsOf(t, facts) {
				if limit := big.NewRat(o.LimitPaise, 100); limit.Cmp(most) > 0 {
					t.Fatalf("seed %d: the limit is %s, and %s allows %s", seed, limit.FloatString(2), id,
						most.FloatString(2))
				}
				applied++
			}
			if (o.Binding == engine.LimitCapped) != (o.LimitCapID != "") {
				t.Fatalf("seed %d: binding %s, cap %q", seed, o.Binding, o.LimitCapID)
			}
			if o.LimitCapID != "" {
				bound++
			}
		}
	}
	if bound < 20 || applied < 200 {
		t.Errorf("%d caps applied and determined %d offers", applied, bound)
	}
}

// capsOf returns the amounts of the caps that apply, by id. A cap that cannot be computed has the amount 0.
func (r *reference) capsOf(t *testing.T, facts []byte) map[string]*big.Rat {
	t.Helper()
	a := &application{reference: r, facts: readFacts(t, facts)}
	a.chooseScore()
	a.derive()
	caps := map[string]*big.Rat{}
	for _, c := range objects(r.policy, "limit_caps") {
		if when, ok := c["when"].(object); ok && a.truth(when) != yes {
			continue
		}
		most, ok := a.operand(as[object](c["of"])).(*big.Rat)
		if !ok || most.Sign() < 0 {
			most = new(big.Rat)
		}
		caps[text(c, "id")] = most
	}
	return caps
}

// TestMovingABandWithoutConditions checks that the order of bands has no effect if no band has a condition. It also
// checks that a condition that always holds does not change the price of a band.
func TestMovingABandWithoutConditions(t *testing.T) {
	t.Parallel()
	document := func(when string) string {
		return `{"name":"P","semantics":2,"include_defaults":false,"scorecard":{"base_points":700,"factors":[]},
			"pricing_bands":[{"id":"HIGH","grade":"A","min_score":600,"max_score":900,"interest_rate":12,
			"tenure_months":12,"min_limit":1000,"max_limit":90000,"default_limit":5000,"foir_cap":0.5` + when + `},
			{"id":"LOW","grade":"B","min_score":300,"max_score":599,"action":"decline"}]}`
	}
	facts := object{"monthly_income": json.Number("50000"), "foir": json.Number("0.1")}
	plain := decide(t, compile(t, []byte(document(""))), facts)
	always := decide(t, compile(t, []byte(document(`,"when":{"op":"true"}`))), facts)
	if plain.Offer.LimitPaise != always.Offer.LimitPaise || plain.Offer.APR != always.Offer.APR {
		t.Errorf("%+v and %+v", plain.Offer, always.Offer)
	}
	never := decide(t, compile(t, []byte(document(`,"when":{"op":"false"}`))), facts)
	if never.Status != engine.Declined || never.Grade != engine.NoGrade {
		t.Errorf("a band that never applies: %s %s", never.Status, never.Grade)
	}
	if band := never.Band(); band != nil {
		t.Errorf("the band is %s", band.ID)
	}
}

// TestOperandAlone checks the text of limit caps, and that Constant recognises an operand without fields.
func TestOperandAlone(t *testing.T) {
	t.Parallel()
	plan := goldenPlan(t, parseArchive(t, "testdata/decisions/two_wheeler_ltv_cap.txtar"))
	caps := plan.Policy().LimitCaps
	if got := caps[0].String(); got != "at most 0.85 * applicant.vehicle_price" {
		t.Error(got)
	}
	if got := caps[1].String(); got != "at most 60000 if bureau_is_ntc = true" {
		t.Error(got)
	}
	if n, constant, ok := caps[1].Of.Constant(); n != rule.Int(60_000) || !constant || !ok {
		t.Errorf("%s %t %t", n, constant, ok)
	}
	if _, constant, _ := caps[0].Of.Constant(); constant {
		t.Error("a share of a field is no constant")
	}
}

func parseArchive(tb testing.TB, path string) *txtar.Archive {
	tb.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return archive
}

package exposure_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"verdict/internal/exposure"
	"verdict/internal/field"
	"verdict/internal/rule"
)

var now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// ago returns a time before now in microseconds.
func ago(d time.Duration) int64 { return now.Add(-d).UnixMicro() }

const (
	hour = time.Hour
	days = 24 * hour
)

// derive returns the facts about a person as texts.
func derive(p exposure.Person) map[string]string {
	facts := map[string]string{}
	p.Derive(now, exposure.Application{PolicyKey: "default"},
		func(name string, v rule.Value) { facts[name] = v.String() })
	return facts
}

// approval returns an approval that was made some time ago and is valid for some days.
func approval(before time.Duration, key string, rupees int64, valid time.Duration) exposure.Decision {
	return exposure.Decision{
		AtMicros: ago(before), Status: "APPROVED", PolicyKey: key, LimitPaise: rupees * 100,
		EndMicros: ago(before - valid),
	}
}

func with(d exposure.Decision, change func(*exposure.Decision)) exposure.Decision {
	change(&d)
	return d
}

func TestDerive(t *testing.T) {
	t.Parallel()
	booked := func(d *exposure.Decision) { d.Booked = true }
	guarantees := func(d *exposure.Decision) { d.Primary, d.Other, d.Guarantees = "nephew", true, true }
	jointly := func(with string) func(*exposure.Decision) {
		return func(d *exposure.Decision) { d.Primary, d.Other = with, true }
	}
	overturned := func(d *exposure.Decision) { d.Review = "overturned" }
	for name, c := range map[string]struct {
		person exposure.Person
		want   map[string]string
	}{
		"nobody": {exposure.Person{}, map[string]string{}},
		"a requote replaces the offer before": {exposure.Person{Decisions: []exposure.Decision{
			approval(hour, "default", 200, 3*days), approval(2*hour, "default", 300, 3*days),
		}}, map[string]string{"own_open_offer": "200", "own_approved_amount_30d": "200",
			"own_approved_amount_90d": "200", "own_approved_amount_365d": "200", "own_last_status": "APPROVED"}},
		"an offer that ended is not replaced": {exposure.Person{Decisions: []exposure.Decision{
			approval(hour, "default", 200, 3*days), approval(40*days, "default", 300, 3*days),
		}}, map[string]string{"own_open_offer": "200", "own_approved_amount_30d": "200",
			"own_approved_amount_90d": "500", "own_approved_amount_365d": "500", "own_last_status": "APPROVED"}},
		"other policies add up": {exposure.Person{Decisions: []exposure.Decision{
			approval(hour, "gold", 200, 3*days), approval(2*hour, "default", 300, 3*days),
		}}, map[string]string{"own_open_offer": "500", "own_other_open_offer": "200", "own_approved_amount_30d": "500",
			"own_approved_amount_90d": "500", "own_approved_amount_365d": "500", "own_last_status": "APPROVED"}},
		"a booked offer is not open and was not replaced": {exposure.Person{
			Decisions: []exposure.Decision{
				approval(hour, "default", 200, 3*days), with(approval(2*hour, "default", 300, 3*days), booked),
			},
			Loans: []exposure.Loan{{OutstandingPaise: 290_00, EMIPaise: 10_00, DPD: 5}, {OutstandingPaise: 1, DPD: 2}},
		}, map[string]string{"own_open_offer": "200", "own_approved_amount_30d": "500",
			"own_approved_amount_90d":  "500",
			"own_approved_amount_365d": "500", "own_last_status": "APPROVED", "own_outstanding": "290.01",
			"own_emi": "10", "own_max_dpd": "5"}},
		"the newest offer that has not ended is the open one": {exposure.Person{Decisions: []exposure.Decision{
			approval(2*days, "default", 200, days), approval(3*days, "default", 300, 30*days),
		}}, map[string]string{"own_open_offer": "300", "own_approved_amount_30d": "200",
			"own_approved_amount_90d": "200", "own_approved_amount_365d": "200", "own_last_status": "APPROVED"}},
		"a person has declined": {exposure.Person{Decisions: []exposure.Decision{
			with(approval(26*hour, "default", 300, 3*days), overturned),
		}}, map[string]string{"own_declines_30d": "1", "own_days_since_decline": "1", "own_last_status": "DECLINED"}},
		"a person has upheld a referral": {exposure.Person{Decisions: []exposure.Decision{
			with(approval(26*hour, "default", 300, 3*days), func(d *exposure.Decision) {
				d.Status, d.Review = "REFERRED", "upheld"
			}),
			with(approval(27*hour, "default", 300, 3*days), func(d *exposure.Decision) {
				d.Status, d.Review = "DECLINED", "upheld"
			}),
		}}, map[string]string{"own_declines_30d": "2", "own_days_since_decline": "1", "own_last_status": "DECLINED"}},
		"a person has approved": {exposure.Person{Decisions: []exposure.Decision{
			with(approval(hour, "default", 300, 3*days), func(d *exposure.Decision) {
				d.Status, d.Review = "REFERRED", "overturned"
			}),
			with(approval(2*hour, "gold", 100, 3*days), func(d *exposure.Decision) {
				d.Status, d.Review, d.LimitPaise = "DECLINED", "overturned", 0
			}),
			with(approval(3*hour, "gold", 100, 3*days), func(d *exposure.Decision) { d.Status = "REFERRED" }),
		}}, map[string]string{"own_open_offer": "300", "own_approved_amount_30d": "300",
			"own_approved_amount_90d": "300", "own_approved_amount_365d": "300", "own_last_status": "APPROVED"}},
		"a joint offer counts in full and does not replace the person's own": {exposure.Person{
			Decisions: []exposure.Decision{
				with(approval(hour, "default", 400, 3*days), jointly("wife")),
				with(approval(2*hour, "default", 300, 3*days), jointly("wife")), // replaced by the first
				approval(3*hour, "default", 200, 3*days),
			},
		}, map[string]string{"own_open_offer": "600", "own_other_open_offer": "400", "own_approved_amount_30d": "600",
			"own_approved_amount_90d": "600", "own_approved_amount_365d": "600", "own_last_status": "APPROVED"}},
		"a guarantee is contingent": {exposure.Person{
			Decisions: []exposure.Decision{
				with(approval(hour, "default", 400, 3*days), guarantees),
				with(approval(2*hour, "gold", 400, 3*days), func(d *exposure.Decision) {
					guarantees(d)
					d.Status = "DECLINED"
				}),
			},
			Guaranteed: []exposure.Loan{{OutstandingPaise: 700_00, EMIPaise: 10_00, DPD: 5}},
		}, map[string]string{"own_guaranteed_offer": "400", "own_guaranteed_outstanding": "700"}},
		"long ago": {exposure.Person{Decisions: []exposure.Decision{
			with(approval(366*days, "default", 300, 3*days), func(d *exposure.Decision) { d.Status = "DECLINED" }),
		}}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[string]string{
				"own_reference": "true", "own_open_offer": "0", "own_other_open_offer": "0",
				"own_approved_amount_30d": "0",
				"own_approved_amount_90d": "0", "own_approved_amount_365d": "0", "own_declines_30d": "0",
				"own_outstanding": "0", "own_emi": "0", "own_max_dpd": "0",
				"own_guaranteed_offer": "0", "own_guaranteed_outstanding": "0",
			}
			maps.Copy(want, c.want)
			if got := derive(c.person); !maps.Equal(got, want) {
				t.Errorf("the facts are %v, want %v", got, want)
			}
		})
	}
}

// TestReportedLoans checks that a loan is read as it was written.
func TestReportedLoans(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1e13)
		l := exposure.Loan{
			Product:          rapid.StringMatching(`[^\x00]*`).Draw(t, "product"),
			OutstandingPaise: amount.Draw(t, "outstanding"),
			EMIPaise:         amount.Draw(t, "emi"), DPD: rapid.Int64Range(0, 36_500).Draw(t, "dpd"),
		}
		got, err := exposure.Decode(l.Encode())
		if err != nil || got != l {
			t.Fatalf("%+v becomes %+v, %v", l, got, err)
		}
	})
	for _, bad := range []string{"", "{}", `{"dpd":"1","emi":0,"outstanding":0,"product":""}`, "[]"} {
		if l, err := exposure.Decode([]byte(bad)); err == nil {
			t.Errorf("%q is %+v", bad, l)
		}
	}
}

// TestSumsAreBounded checks that sums of huge amounts are still valid numbers.
func TestSumsAreBounded(t *testing.T) {
	t.Parallel()
	var p exposure.Person
	for range 200 {
		p.Loans = append(p.Loans, exposure.Loan{OutstandingPaise: 1e13, EMIPaise: 1e13})
		p.Decisions = append(p.Decisions, approval(hour, fmt.Sprint(len(p.Decisions)), 1e11, 3*days))
	}
	p.Derive(now, exposure.Application{PolicyKey: "default"}, func(name string, v rule.Value) {
		if v.Type() == rule.NumberType && (v.Number() < 0 || v.Number() > rule.MaxNumber) {
			t.Errorf("%s is %s", name, v)
		}
	})
}

// TestWhoIsNamedHasFacts checks that a person about whom nothing is known has the facts that the prover assumes to
// be present.
func TestWhoIsNamedHasFacts(t *testing.T) {
	t.Parallel()
	facts := derive(exposure.Person{})
	for _, name := range append(field.OwnOfNamed(), field.OwnReference) {
		if facts[name] == "" {
			t.Errorf("%s is absent", name)
		}
	}
}

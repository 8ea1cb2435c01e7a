package torture

import (
	"net/http"
	"testing"
)

// evaluate adds to the model an answered evaluation of an applicant with an
// account. The answer counts n applicants.
func (b *bench) evaluate(id, applicant, account string, n int) *request {
	r := b.post("/v1/evaluate", http.StatusOK)
	r.once = id
	r.learn = learnDecision(r, "POST /v1/evaluate", "", account)
	b.m.sharedBy(r, account, applicant)
	body := decisionBody(id, "h", "pol_first")
	body = body[:len(body)-1] + `,"fraud":{"signals":[{"id":"beneficiary_account_reuse","value":` +
		string(rune('0'+n)) + `}],"alert_ids":["alr_1"]}}`
	b.tell(r, http.StatusOK, body)
	return r
}

func TestFraudCountsNeverGoBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.evaluate("dec_1", "A", "acc", 1)
	b.evaluate("dec_2", "B", "acc", 2)
	b.evaluate("dec_3", "B", "acc", 2) // the same applicant again
	b.evaluate("dec_4", "C", "other", 1)
	b.holds()
	b.evaluate("dec_5", "D", "acc", 2)
	b.broken("fraud-counted", "must be 3 to 3")
}

func TestFraudCountsNobodyWhoDoesNotExist(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.evaluate("dec_1", "A", "acc", 2)
	b.broken("fraud-counted", "must be 1 to 1")
}

func TestFraudCountWithOneInDoubt(t *testing.T) {
	t.Parallel()
	for n, holds := range map[int]bool{0: false, 1: true, 2: true, 3: false} {
		b := newBench(t)
		lost := b.post("/v1/evaluate", http.StatusOK)
		b.m.sharedBy(lost, "acc", "A")
		b.m.send(lost, b.tick())
		if b.evaluate("dec_1", "B", "acc", n); holds {
			b.holds()
		} else {
			b.broken("fraud-counted", "must be 1 to 2")
		}
	}
}

func TestCounterAtRest(t *testing.T) {
	t.Parallel()
	for n, holds := range map[string]bool{"2": false, "3": true, "4": false} {
		b := newBench(t)
		b.evaluate("dec_1", "A", "acc", 1)
		b.evaluate("dec_2", "B", "acc", 2)
		var told toldFraud
		if err := unmarshal([]byte(`{"signals":[{"id":"beneficiary_account_reuse","value":`+n+`}]}`),
			&told); err != nil {
			t.Fatal(err)
		}
		if b.m.counterTold(b.one, "acc", &told); holds {
			b.holds()
		} else {
			b.broken("fraud-counted", "account acc")
		}
	}
}

func TestAlertStates(t *testing.T) {
	t.Parallel()
	open := toldEvent{Actor: "system", To: "open"}
	acknowledged := toldEvent{From: "open", To: "acknowledged", Note: "first"}
	closed := toldEvent{From: "acknowledged", To: "closed", Note: "second", Resolution: "other"}
	tests := []struct {
		name, promise string
		told          toldAlert
	}{
		{"open", "nothing-lost", toldAlert{Status: "open", History: []toldEvent{open}}},
		{"as asked", "",
			toldAlert{Status: "acknowledged", Acknowledged: "t", History: []toldEvent{open, acknowledged}}},
		{"with a step in doubt", "", toldAlert{
			Status:       "closed",
			Acknowledged: "t",
			Closed:       "t",
			Resolution:   "other",
			History:      []toldEvent{open, acknowledged, closed},
		}},
		{
			"a step that nobody asked for", "alerts-legal",
			toldAlert{
				Status:       "closed",
				Acknowledged: "t",
				Closed:       "t",
				Resolution:   "other",
				History:      []toldEvent{open, acknowledged, {From: "acknowledged", To: "closed", Note: "x"}},
			},
		},
		{"acknowledged twice", "alerts-legal", toldAlert{
			Status:       "acknowledged",
			Acknowledged: "t",
			History:      []toldEvent{open, acknowledged, acknowledged},
		}},
		{"a state that its history does not lead to", "alerts-legal",
			toldAlert{Status: "closed", Closed: "t", Resolution: "other", History: []toldEvent{open, acknowledged}}},
		{"acknowledged by nobody", "alerts-legal",
			toldAlert{Status: "acknowledged", History: []toldEvent{open, acknowledged}}},
		{"no history", "alerts-legal", toldAlert{Status: "open"}},
		{"another state", "alerts-legal", toldAlert{Status: "asleep", History: []toldEvent{open, acknowledged}}},
		{
			"a decision that no answer contained", "alerts-legal",
			toldAlert{
				Status:       "acknowledged",
				Acknowledged: "t",
				Decisions:    []string{"dec_9"},
				History:      []toldEvent{open, acknowledged},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			known := b.one.alert("alr_1")
			known.steps = []*step{
				{to: "acknowledged", note: "first", taken: true},
				{to: "closed", resolution: "other", note: "second"},
			}
			b.m.alertTold(b.one, test.told)
			b.m.historyTold(b.one, known, test.told)
			if test.promise == "" {
				b.holds()
				return
			}
			if !b.violated(test.promise) {
				t.Errorf("%s is not among %v", test.promise, b.m.verdict())
			}
		})
	}
}

func TestAlertList(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.evaluate("dec_1", "A", "acc", 1)
	unfinished, blocked := map[string]string{}, map[string]bool{"account k": true}
	told := toldAlert{ID: "alr_1", Status: "open", Decisions: []string{"dec_1"}}
	told.Entity.Kind, told.Entity.Key = "account", "k"
	b.m.alertListed(b.one, told, unfinished, blocked)
	b.holds()
	told.ID = "alr_2"
	b.m.alertListed(b.one, told, unfinished, blocked)
	b.broken("alerts-legal", "alr_1 and alr_2")
	told.Status, told.Resolution, told.Entity.Key = "closed", "confirmed_fraud", "l"
	b.m.alertListed(b.one, told, unfinished, blocked)
	if !b.violated("nothing-lost") {
		t.Error("what was confirmed may go unblocked")
	}
	told.ID, told.Decisions = "alr_1", nil
	before := len(b.m.violations)
	b.m.alertListed(b.one, told, unfinished, map[string]bool{"account l": true})
	if len(b.m.violations) == before {
		t.Error("an alert may be without the decision that raised it")
	}
}

package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

const (
	collecting = "/v1/agents/collections"
	strategy   = "/v1/agents/collections/strategy"
)

// brokenPromise is a request about a loan 47 days past due, made on a Sunday
// evening.
const brokenPromise = `{"loan":{"id":"L-1","product":"personal_loan","principal_outstanding":182000,"emi":8965,
	"overdue_amount":17930,
	"interest_rate":16,"dpd":47,"missed_emis":2,"due_date":"2026-09-29"},
	"borrower":{"ref":"A-1","language":"hi","preferred_channel":"whatsapp",
		"preferred_hours":{"from":"10:00","to":"17:00"},"do_not_contact_until":null},
	"history":[{"at":"2026-11-10T11:02:00+05:30","channel":"call","disposition":"PTP","promise_amount":8965,
		"promise_date":"2026-11-13","kept":false}],
	"as_of":"2026-11-15T20:30:00+05:30"}`

// arrears returns a plain request with further members for the loan, the
// borrower and the request itself.
func arrears(dpd int, loan, borrower, rest string) string {
	return fmt.Sprintf(`{"loan":{"id":"L-7","principal_outstanding":182000,"emi":8965,"overdue_amount":17930,
		"interest_rate":16,"dpd":%d%s},
		"borrower":{"ref":"A-7"%s}%s}`, dpd, prefixed(loan), prefixed(borrower), prefixed(rest))
}

const (
	atNoon    = `"as_of":"2026-11-16T12:00:00+05:30"`
	atEvening = `"as_of":"2026-11-16T20:30:00+05:30"`
)

// TestCollections checks the answer to a request about a broken promise, its
// replay and the list of runs.
func TestCollections(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		run := m.post(collecting, brokenPromise).want(http.StatusOK).is(
			"agent", "collections", "bucket", "31-60", "asset_class", "SMA-1", "priority", "high",
			"priority_score", 71, "next_best_action.action", "CALL", "next_best_action.channel", "call",
			"next_best_action.template", "ptp_broken_1", "next_best_action.not_before", "2026-11-16T10:00:00+05:30",
			"next_best_action.not_after", "2026-11-16T17:00:00+05:30", "promise.kept", 0, "promise.broken", 1,
			"promise.reliability", 0, "roll_risk", 0.38, "settlement.eligible", false,
			"settlement.reason", "below 90 DPD", "restructure.eligible", true,
			"restructure.proposed_tenure_months", 48, "restructure.proposed_emi", 5158,
			"restructure.asset_class_after", "NPA", "compliance.contact_allowed_now", false,
			"compliance.window.from", "08:00", "compliance.window.to", "19:00", "compliance.max_attempts_per_day", 3,
			"message.language", "hi", "strategy.version", 0, "roll_risk_table", "default-1", "needs_human", false)
		if diff := cmp.Diff([]any{"DPD 47 is SMA-1", "Last promise was broken"}, run.list("reasons")); diff != "" {
			s.Errorf("reasons (-want +got):\n%s", diff)
		}
		got := m.get("/v1/agents/runs/"+run.text("run_id")).want(http.StatusOK).is("replay.verified", true)
		if !bytes.HasPrefix(got.body, bytes.TrimSuffix(run.body, []byte("}"))) {
			s.Errorf("fetched %s\nposted %s", got.body, run.body)
		}
		now := m.post(collecting, arrears(47, "", "", "")).want(http.StatusOK).is("as_of", "2026-11-15T12:00:00+05:30")
		m.get("/v1/agents/runs/"+now.text("run_id")).want(http.StatusOK).is("replay.verified", true)
		ids := m.get("/v1/agents/runs?agent=collections&subject_ref=A-1&outcome=CALL").column("run_id")
		if !slices.Equal(ids, []string{run.text("run_id")}) {
			s.Errorf("the list has %v", ids)
		}
	})
}

// TestCollectionsHold checks that flags, open promises, recent payments and a
// do-not-contact date stop all contact, and that a flag requires a person to
// take over.
func TestCollectionsHold(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for _, flag := range []string{"DECEASED", "DISPUTE", "INSOLVENCY", "HARDSHIP", "VULNERABLE", "NO_CONSENT"} {
			got := m.post(collecting, arrears(120, "", `"flags":["`+flag+`"]`, atNoon)).want(http.StatusOK).
				is("next_best_action.action", "HOLD", "hold.reason", "flag_"+strings.ToLower(flag), "hold.person", true,
					"needs_human", true, "message", nil)
			if plan := got.list("plan"); len(plan) > 0 {
				s.Errorf("%s: planned is %v", flag, plan)
			}
		}
		promise := `"history":[{"at":"2026-11-15T11:00:00+05:30","channel":"call","disposition":"PTP",
			"promise_date":"2026-11-18"}]`
		for _, c := range []struct {
			body string
			want []any
		}{
			{
				arrears(47, "", "", promise+","+atNoon),
				[]any{"hold.reason", "open_promise", "next_best_action.until", "2026-11-19T00:00:00+05:30"},
			},
			{
				arrears(47, `"last_payment":{"at":"2026-11-15T10:00:00+05:30","amount":5000}`, "", atNoon),
				[]any{"hold.reason", "recent_payment", "hold.person", false},
			},
			{
				arrears(47, "", `"do_not_contact_until":"2026-11-20"`, atNoon),
				[]any{"hold.reason", "do_not_contact", "next_best_action.until", "2026-11-21T00:00:00+05:30"},
			},
			{
				arrears(47, "", `"preferred_hours":{"from":"20:00","to":"22:00"}`, atNoon),
				[]any{"hold.reason", "no_permitted_hours", "needs_human", true, "compliance.permitted_hours", nil},
			},
		} {
			m.post(collecting, c.body).want(http.StatusOK).
				is("next_best_action.action", "HOLD", "compliance.contact_allowed_now", false).is(c.want...)
		}
		// Without a hold, contact waits for the permitted hours.
		m.post(collecting, arrears(47, "", "", atNoon)).
			want(http.StatusOK).is("hold", nil, "compliance.contact_allowed_now", true,
			"next_best_action.not_before", "2026-11-16T12:00:00+05:30")
		m.post(collecting, arrears(47, "", "", atEvening)).
			want(http.StatusOK).is("compliance.contact_allowed_now", false,
			"next_best_action.not_before", "2026-11-17T08:00:00+05:30")
		m.post(collecting, arrears(47, `"product":"microfinance"`, "", atEvening)).
			want(http.StatusOK).is("compliance.window.from", "09:00",
			"next_best_action.not_before", "2026-11-17T09:00:00+05:30")
		if held := m.walk("/v1/agents/runs?outcome=HOLD&limit=4", "outcome"); len(held) != 10 {
			s.Errorf("%d runs were held", len(held))
		}
	})
}

// TestCollectionsNamesItsFaults checks that a refusal lists every fault and
// repeats no submitted value.
func TestCollectionsNamesItsFaults(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		got := m.post(collecting, `{"loan":{"principal_outstanding":-771239,"due_date":"ZEBRA"},
			"borrower":{"flags":["ZEBRA"],"preferred_hours":{"from":"771239"}},
			"history":[{"channel":"ZEBRA"}],"as_of":"ZEBRA"}`).
			refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "ZEBRA", "771239")
		want := []string{
			"/as_of out_of_range", "/borrower/flags/0 out_of_range", "/borrower/preferred_hours/from out_of_range",
			"/borrower/preferred_hours/to required", "/history/0/at required", "/history/0/channel out_of_range",
			"/loan/due_date out_of_range", "/loan/overdue_amount required",
			"/loan/principal_outstanding out_of_range",
		}
		if diff := cmp.Diff(want, got.faults()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		m.post(collecting, `{}`).refused(http.StatusUnprocessableEntity, "invalid_field")
		m.post(collecting, `[]`).refused(http.StatusUnprocessableEntity, "invalid_field")
	})
}

// TestCollectionsReadsPastStrangers checks that unknown members cause a
// warning, that their values are not stored, and that the run can be replayed
// unless there are too many unknown members.
func TestCollectionsReadsPastStrangers(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		run := m.post(collecting,
			arrears(47, `"pan":"ZEBRA"`, `"address":{"line":"ZEBRA"}`, `"notes":["ZEBRA"],`+atNoon)).want(http.StatusOK)
		want := []string{"/borrower/address unknown_field", "/loan/pan unknown_field", "/notes unknown_field"}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(run.warned()))); diff != "" {
			s.Errorf("warned of (-want +got):\n%s", diff)
		}
		m.get("/v1/agents/runs/"+run.text("run_id")).want(http.StatusOK).is("replay.verified", true)
		stored, err := s.storedRun(m, run.text("run_id"))
		if err != nil || bytes.Contains(stored.Request, []byte("ZEBRA")) ||
			!bytes.Contains(stored.Request, []byte(`"pan":true`)) {
			s.Errorf("kept is %s (%v)", stored.Request, err)
		}
		var many []string
		for i := range 200 {
			many = append(many, fmt.Sprintf(`"x%d":"ZEBRA"`, i))
		}
		run = m.post(collecting, arrears(47, strings.Join(many, ","), "", atNoon)).want(http.StatusOK)
		m.get("/v1/agents/runs/"+run.text("run_id")).want(http.StatusOK).is("replay.verified", false)
		stored, err = s.db.Scope(m.tenantID, string(tenant.Sandbox)).Runs(s.Context()).Get(run.text("run_id"))
		if err != nil || bytes.Contains(stored.Request, []byte("ZEBRA")) {
			s.Errorf("kept is %s (%v)", stored.Request, err)
		}
	})
}

// TestCollectionsIsUnderstood checks that the warning about a misspelt member
// suggests the nearest name, that strict handling refuses such a member, and
// that a refusal suggests the right letter case.
func TestCollectionsIsUnderstood(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		body := arrears(47, `"EMI_amount":1,"Missed_EMIs":2`, `"languge":"hi"`, atNoon+`,"dpd":5`)
		got := m.post(collecting, body).want(http.StatusOK)
		nearest := map[string]any{}
		for i := range got.list("warnings") {
			nearest[fmt.Sprint(got.at("warnings", i, "pointer"))] = got.at("warnings", i, "nearest")
		}
		want := map[string]any{
			"/loan/EMI_amount":  nil,
			"/loan/Missed_EMIs": "missed_emis",
			"/borrower/languge": "language",
			"/dpd":              "loan.dpd",
		}
		if diff := cmp.Diff(want, nearest); diff != "" {
			s.Error(diff)
		}
		m.get("/v1/agents/runs/"+got.text("run_id")).want(http.StatusOK).is("replay.verified", true)
		strict := m.post(collecting, body, "Prefer: handling=strict").refused(422, "unknown_field")
		if len(strict.faults()) != len(want) || strict.header.Get("Preference-Applied") != "handling=strict" {
			s.Errorf("strict: %s", strict.body)
		}
		m.post(collecting, arrears(47, "", "", atNoon), "Prefer: handling=strict").want(http.StatusOK)
		loan := m.post(collecting, strings.Replace(body, `"loan"`, `"Loan"`, 1)).refused(422, "invalid_field")
		if loan.at("errors", 0, "pointer") != "/loan" || loan.at("errors", 0, "nearest") != "loan" {
			s.Errorf("Loan: %s", loan.body)
		}
	})
}

// TestStrategy checks that the strategy can be changed member by member, that
// its version and If-Match prevent lost changes, and that it belongs to one
// tenant and environment. A change applies from the next run on; earlier runs
// are replayed with the version they were made with.
func TestStrategy(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		noon := arrears(47, "", "", atNoon)
		first := m.get(strategy).want(http.StatusOK).is("version", 0, "max_attempts_per_day", 3, "window.from", "08:00")
		before := m.post(collecting, noon).
			want(http.StatusOK).is("strategy.version", 0, "strategy.name", "default", "next_best_action.action", "CALL")
		changed := m.put(strategy, `{"name":"gentle","max_attempts_per_day":1,"window":{"from":"14:00","to":"16:00"},
			"stages":[{"from_dpd":1,"tone":"gentle","steps":[{"day":0,"action":"REMIND_WHATSAPP"}]}]}`,
			`If-Match: "0"`).want(http.StatusOK).
			is("version", 1, "name", "gentle", "max_attempts_per_day", 1, "max_attempts_per_week", 10)
		for a, tag := range map[*answer]string{&first: `"0"`, &changed: `"1"`} {
			if got := a.header.Get("ETag"); got != tag {
				s.Errorf("the tag is %s, want %s", got, tag)
			}
		}
		if read := m.get(strategy); string(read.body) != string(changed.body) {
			s.Errorf("it reads otherwise:\n%s\n%s", changed.body, read.body)
		}
		after := m.post(collecting, noon).want(http.StatusOK).
			is("strategy.version", 1, "strategy.name", "gentle", "next_best_action.action", "REMIND_WHATSAPP",
				"next_best_action.not_before", "2026-11-16T14:00:00+05:30",
				"next_best_action.not_after", "2026-11-16T16:00:00+05:30", "compliance.max_attempts_per_day", 1)
		// Hours beyond the legal window are accepted but do not widen it.
		m.put(strategy, `{"window":{"from":"00:00","to":"24:00"},"microfinance_window":{"from":"06:00","to":"22:00"}}`).
			want(http.StatusOK).is("version", 2)
		m.post(collecting, arrears(47, "", "", atEvening)).
			want(http.StatusOK).is("strategy.version", 2, "compliance.contact_allowed_now", false,
			"compliance.window.to", "19:00", "compliance.permitted_hours.to", "19:00",
			"next_best_action.not_before", "2026-11-17T08:00:00+05:30")
		m.post(collecting, arrears(47, `"product":"microfinance"`, "", atEvening)).
			want(http.StatusOK).is("compliance.permitted_hours.to", "18:00")
		for _, run := range []answer{before, after} {
			m.get("/v1/agents/runs/"+run.text("run_id")).want(http.StatusOK).is("replay.verified", true)
		}
		m.put(strategy, `{"name":"late"}`, `If-Match: "1"`).
			refused(http.StatusPreconditionFailed, "precondition_failed")
		// The answer to a GET can be sent back, and null restores the default.
		m.put(strategy, string(m.get(strategy).body), `If-Match: "2"`).
			want(http.StatusOK).is("version", 3, "name", "gentle")
		m.put(strategy, `{"stages":null,"window":null,"name":null}`).
			want(http.StatusOK).is("version", 4, "window.from", "08:00", "name", "default", "max_attempts_per_day", 1)
		m.with(tenant.Live, tenant.Admin, m.userID).get(strategy).is("version", 0)
		s.signup().get(strategy).is("version", 0)
		if n := len(m.get("/v1/audit?action=collections_strategy.changed").list("data")); n != 4 {
			s.Errorf("the audit trail has %d changes", n)
		}
	})
}

// TestStrategyRefusals checks that settings that violate the rules of conduct
// are refused with every fault named, and that a refusal changes nothing.
func TestStrategyRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := m.put(strategy, `{"max_attempts_per_day":2}`).want(http.StatusOK)
		for body, want := range map[string][]string{
			`{"max_attempts_per_day":9,"payment_hold_days":1,"max_attempt":3}`: {
				"/max_attempt unknown_field",
				"/max_attempts_per_day out_of_range",
				"/payment_hold_days out_of_range",
			},
			`{"window":{"from":"20:00","to":"23:00"}}`: {"/window/from out_of_range"},
			`{"window":{"from":"19:30"}}`:              {"/window/to out_of_range"},
			`{"stages":[{"from_dpd":5,"steps":[{"day":0,"action":"FIELD_VISIT"}]},` +
				`{"from_dpd":60,"steps":[{"day":0,"action":"OFFER_SETTLEMENT"}]}]}`: {
				"/stages/0/steps/0/action out_of_range", "/stages/1/steps/0/action out_of_range",
			},
			`{"settlement":{"from_dpd":30,"max_months":6,"cooling_months":1}}`: {
				"/settlement/cooling_months out_of_range",
				"/settlement/from_dpd out_of_range",
				"/settlement/max_months out_of_range",
			},
			`{"lender_name":"<script>ZEBRA"}`: {"/lender_name out_of_range"},
			`{"window":7}`:                    {"/window wrong_type"},
			`[]`:                              {" wrong_type"},
		} {
			got := m.put(strategy, body).want(http.StatusUnprocessableEntity).silent(s, "ZEBRA")
			if diff := cmp.Diff(want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", body, diff)
			}
		}
		if after := m.get(strategy); string(after.body) != string(before.body) {
			s.Errorf("it has changed:\n%s\n%s", before.body, after.body)
		}
	})
}

// TestStrategyRace checks concurrent changes to the strategy: with If-Match
// exactly one change succeeds, and without If-Match no change is lost.
func TestStrategyRace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		changed, late := raced(s.race(8, func(i int) (answer, error) {
			return s.trySend("PUT", strategy, m.key, fmt.Sprintf(`{"max_promise_days":%d}`, i+1), `If-Match: "0"`)
		}), http.StatusOK)
		for _, a := range late {
			a.refused(http.StatusPreconditionFailed, "precondition_failed")
		}
		if len(changed) != 1 {
			s.Fatalf("%d changed it", len(changed))
		}
		members := []string{"max_promise_days", "max_attempts_per_day", "max_attempts_per_week", "payment_hold_days"}
		s.race(len(members), func(i int) (answer, error) {
			return s.trySend("PUT", strategy, m.key, fmt.Sprintf(`{%q:5}`, members[i]))
		})
		got := m.get(strategy).is("version", 5)
		for _, name := range slices.Sorted(slices.Values(members)) {
			got.is(name, 5)
		}
	})
}

//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package agent_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/agent"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestRecommendations(t *testing.T) {
	t.Parallel()
	bureau := `"score":742,"enquiries_6m":1,"written_off_36m":0,"suit_or_wilful":false,"overdue_amount":0,
		"total_emi":8000`
	for _, c := range []struct{ name, body, want string }{
		{
			"a good applicant",
			applicant(`"monthly_income":85000,"foir":0.2,"requested_amount":200000`, bureau, ""),
			"APPROVE high APPROVED false",
		},
		{
			"more was asked for than is lent",
			applicant(`"monthly_income":85000,"foir":0.2,"requested_amount":900000`, bureau, ""),
			"APPROVE_WITH_CHANGES high APPROVED false",
		},
		{
			"another tenure would do",
			applicant(`"monthly_income":40000,"foir":0.48,"requested_amount":200000,"tenure_months":12`, bureau, ""),
			"APPROVE_WITH_CHANGES high DECLINED false",
		},
		{
			"a tenure the caller does not want",
			applicant(`"monthly_income":40000,"foir":0.48,"requested_amount":200000,"tenure_months":12`,
				bureau, `,"explore":{"tenures":[18,24]}`),
			"DECLINE high DECLINED false",
		},
		{
			"a tenure that gives too little",
			applicant(`"monthly_income":40000,"foir":0.48,"requested_amount":200000,"tenure_months":12`,
				bureau, `,"explore":{"min_amount":50000}`),
			"DECLINE high DECLINED false",
		},
		{
			"a low score",
			applicant(`"monthly_income":85000,"foir":0.2,"requested_amount":200000`, `"score":610`, ""),
			"DECLINE high DECLINED false",
		},
		{
			"many enquiries", applicant(`"monthly_income":85000,"foir":0.2,
				"requested_amount":200000`, strings.Replace(bureau, `"enquiries_6m":1`, `"enquiries_6m":8`, 1), ""),
			"REFER high REFERRED true",
		},
		{"no income", applicant(`"foir":0.2,"requested_amount":20000`, bureau, ""), "APPROVE low APPROVED false"},
		{
			"much is unknown",
			`{"applicant":{"monthly_income":85000,"foir":0.2,"requested_amount":200000},"bureau_report":{"score":760}}`,
			"APPROVE low APPROVED false",
		},
		{
			"a shared phone", `{"bureau":"cibil",
				"report":{"cibil":{"scoreData":{"score":790},"incomeAssessment":{"monthlyIncome":85000,"foir":20},
				"demographics":{"age":30,"employmentType":"SALARIED"},"requestedAmount":100000}},
				"device":{"is_rooted":true},
				"bank_summary":{"income":40000,"emi":30000}}`, "APPROVE low APPROVED false",
		},
		{
			"an emulator", `{"bureau":"cibil",
				"report":{"cibil":{"scoreData":{"score":790},"incomeAssessment":{"monthlyIncome":85000,"foir":20},
				"requestedAmount":100000}},"device":{"is_emulator":true}}`, "DECLINE high DECLINED true",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := tree(t, onSQLite(t, agent.Options{}).underwrite(c.body))
			got := fmt.Sprint(run["recommendation"], " ", run["confidence"], " ",
				text(run, "decision.status"), " ", run["needs_human"])
			if got != c.want {
				t.Errorf("%s, want %s\n%s", got, c.want, run["memo"])
			}
		})
	}
}

// volatile matches the only members in which two runs of one request may
// differ.
var volatile = regexp.MustCompile(`"(run_id|decision_id|created_at|valid_until)":"[^"]*"`)

func stable(body []byte) string { return volatile.ReplaceAllString(string(body), `"$1":""`) }

const shortOfIncome = `"monthly_income":40000,"foir":0.48,"requested_amount":200000,"tenure_months":12`

func TestARunIsStoredRepeatedAndWalledOff(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, agent.Options{})
		body := applicant(shortOfIncome, `"score":742,"enquiries_6m":1`,
			`,"purpose":"a wedding","as_of":"2026-11-01","max_steps":8`)
		first, second := h.underwrite(body), h.underwrite(body)
		if diff := cmp.Diff(stable(first), stable(second)); diff != "" {
			t.Error(diff)
		}
		run := tree(t, first)
		if steps, _ := run["steps"].([]any); len(steps) != 8 {
			t.Errorf("%d steps", len(steps))
		}
		id := text(run, "run_id")
		fetched := h.fetched(id)
		if text(tree(t, fetched), "replay.verified") != "true" ||
			!strings.HasPrefix(string(fetched), strings.TrimSuffix(string(first), "}")) {
			t.Errorf("fetched %s", fetched)
		}
		page, err := h.cases.Agents.AgentRuns(t.Context(), h.caller,
			agentdesk.RunFilter{Agent: "underwriting", SubjectRef: "A-1"}, operation.List{Limit: 1})
		if err != nil || len(page.Data) != 1 || page.NextCursor == "" ||
			page.Data[0].ID != text(tree(t, second), "run_id") {
			t.Errorf("%+v, %v", page, err)
		}
		stranger := h.caller
		stranger.Environment = "live"
		_, err = h.agents.Run(t.Context(), stranger, id)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != fault.NotFound {
			t.Errorf("the other environment hears %v", err)
		}
		explained, err := h.cases.Decisions.Decision(t.Context(), h.caller, text(run, "decision.decision_id"))
		if err != nil || !explained.Again.Verified {
			t.Errorf("%s, %v", explained.Response, err)
		}
	})
}

// TestARunIsBilledOnce checks that the decision inside a run is not billed
// separately, and that repeating the request with the same Idempotency-Key is not
// billed.
func TestARunIsBilledOnce(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	underwrite := func() (operation.Answer, error) {
		reply := operation.Reply[decisioning.Underwritten]{
			Idempotency: &operation.Idempotency{Route: decisioning.EndpointUnderwrite, Key: "k", Hash: "h"},
		}
		run, err := h.agents.Underwrite(t.Context(), h.caller,
			request(t, applicant(shortOfIncome, `"score":742`, "")), &reply)
		if err != nil {
			return operation.Answer{}, err
		}
		return reply.Answer(run), nil
	}
	first, err := underwrite()
	if err != nil {
		t.Fatal(err)
	}
	again, err := underwrite()
	if err != nil || !again.Replayed || string(again.Body) != string(first.Body) {
		t.Errorf("%v %s", err, again.Body)
	}
	usage, err := h.cases.Decisions.Usage.Current(t.Context(), h.caller)
	if err != nil || usage.Used != 1 || len(usage.Counts) != 1 ||
		usage.Counts[0].Endpoint != decisioning.EndpointUnderwrite {
		t.Errorf("%+v, %v", usage, err)
	}
	page, err := h.cases.Decisions.Decisions(t.Context(), h.caller, decisioning.DecisionFilter{},
		operation.List{Limit: 10})
	if err != nil || len(page.Data) != 1 {
		t.Errorf("%d decisions, %v", len(page.Data), err)
	}
}

func TestBadInputNamesItsFields(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	_, err := h.agents.Underwrite(t.Context(), h.caller, request(t, applicant(`"foir":20`, `"score":700`,
		`,"purpose":7,"max_steps":1,"as_of":"yesterday","explore":{"tenures":[0,"x",12.5],"min_amount":-5,"rate":3}`)),
		nil)
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	var got []string
	for _, item := range refusal.Items {
		got = append(got, item.Pointer+" "+item.Code)
	}
	want := []string{
		"/purpose wrong_type", "/max_steps out_of_range", "/explore/tenures/0 out_of_range",
		"/explore/tenures/1 out_of_range", "/explore/tenures/2 out_of_range", "/explore/min_amount out_of_range",
		"/explore/rate unknown_field", "/as_of wrong_type", "/applicant/foir out_of_range",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(err.Error(), "yesterday") {
		t.Error("a submitted value is repeated")
	}
}

// TestCountedApplicationsAreUnderwritten checks that an application with a fraud block
// is decided with the counts at the time when it is stored, and that the run describes
// that decision.
func TestCountedApplicationsAreUnderwritten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, agent.Options{})
		statuses := map[string]bool{}
		for i := range 4 {
			body := fmt.Sprintf(`{"bureau":"cibil",
				"report":{"cibil":{"scoreData":{"score":790},"incomeAssessment":{"monthlyIncome":85000,"foir":20},
				"requestedAmount":100000}},"fraud":{"applicant_ref":"A-%d","beneficiary_account":"000111222333",
				"ip":"103.21.58.1","pincode":"560001"}}`, i)
			run := tree(t, h.underwrite(body))
			statuses[text(run, "recommendation")] = true
			fetched, err := h.agents.Run(t.Context(), h.caller, text(run, "run_id"))
			if err != nil || !fetched.Verified {
				t.Errorf("run %d does not repeat: %v", i, err)
			}
			reused := strings.Contains(encode(run["signals"]), "fraud_beneficiary_reuse")
			if reused != (text(run, "decision.status") == "DECLINED") {
				t.Errorf("run %d: %s with %s", i, text(run, "decision.status"), encode(run["signals"]))
			}
			if strings.Contains(encode(run), "000111222333") {
				t.Errorf("run %d shows the account", i)
			}
		}
		if !statuses["APPROVE"] || !statuses["DECLINE"] {
			t.Errorf("recommended %v", statuses)
		}
	})
}

// TestExploreWithoutEffect checks that the answer warns about members of "explore"
// that could not be tried, and that a repetition gives the same warnings.
func TestExploreWithoutEffect(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, agent.Options{})
		asking := `"monthly_income":85000,"foir":0.2,"requested_amount":200000`
		for explore, want := range map[string][]string{
			`,"explore":{"tenures":[12,24],"min_amount":50000}`: {},
			`,"explore":{"tenures":[7,12]}`: {
				"/explore/tenures explore_tenure_not_available",
			},
			`,"explore":{"min_amount":300000}`: {
				"/explore/min_amount explore_amount_not_used",
			},
			`,"explore":{"min_amount":99000000}`: {
				"/explore/min_amount explore_amount_not_used",
			},
			`,"max_steps":6,"explore":{"tenures":[12,24],"min_amount":100000}`: {"/max_steps explore_steps_exhausted"},
			`,"max_steps":6`: {},
		} {
			answer := tree(t, h.underwrite(applicant(asking, `"score":742`, explore)))
			got := []string{}
			for _, w := range list(answer, "warnings") {
				got = append(got, text(w, "pointer")+" "+text(w, "code"))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", explore, diff)
			}
			again, err := h.agents.Run(t.Context(), h.caller, text(answer, "run_id"))
			if err != nil || !again.Verified {
				t.Errorf("%s is not repeated: %v", explore, err)
			}
		}
	})
}

package httpapi_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

// These are the references of a couple and of their guarantor. wifeConsent and wifeIncome are unusual values, so
// that a search finds only data about the wife.
const (
	husbandRef  = "HUSBAND-1"
	wifeRef     = "WIFE-CANARY-2"
	uncleRef    = "UNCLE-3"
	wifeConsent = "CANARYCONSENT"
	wifeIncome  = "39173.25"
)

// family returns a decision request of three people with references. The application is declined.
func family(primaryRef string) string {
	return `{"include":["facts"],"applicants":[{"role":"primary","applicant_ref":"` + primaryRef + `",
		"monthly_income":40000,"foir":0.1,"requested_amount":300000,"age":40,"employment_type":"SALARIED",
		"bureau_report":{"score":560}},
		{"role":"co_applicant","applicant_ref":"` + wifeRef + `","monthly_income":` + wifeIncome + `,"foir":0.2,
		 "consent":{"id":"` + wifeConsent + `","at":"2026-11-17T10:00:00+05:30"},"bureau_report":{"score":790}},
		{"role":"guarantor","id":"` + uncleRef + `","bureau_report":{"score":780},
		 "consent":{"id":"C-3","at":"2026-11-17T10:00:00+05:30"}}]}`
}

// TestPeopleAccess reads what is held about each person of an application. Each person sees their own facts. About
// the other people they see only the identity.
func TestPeopleAccess(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		made := m.post("/v1/decisions", family(husbandRef)).want(http.StatusOK)
		id := made.text("decision_id")

		shown := m.get("/v1/decisions/" + id + "?include=facts").want(http.StatusOK)
		if shown.at("re_explanation", "verified") != true || textAt(shown, "people", 0, "role") != "co_applicant" ||
			textAt(shown, "people", 1, "applicant_ref") != uncleRef ||
			shown.at("facts", "co_applicant.consent_id") != wifeConsent {
			s.Errorf("the decision: %s", shown.body)
		}

		own := m.get("/v1/applicants/" + husbandRef + "?include=facts").want(http.StatusOK)
		if own.at("decision_count") != 1.0 || own.at("other_roles") != nil ||
			textAt(own, "data", 0, "people", 0, "applicant_ref") != wifeRef ||
			strings.Contains(string(own.body), wifeConsent) {
			s.Errorf("the primary applicant: %s", own.body)
		}

		hers := m.get("/v1/applicants/" + wifeRef + "?include=facts").want(http.StatusOK)
		if hers.at("decision_count") != 0.0 || hers.at("other_role_count") != 1.0 ||
			textAt(hers, "other_roles", 0, "decision_id") != id ||
			textAt(hers, "other_roles", 0, "role") != "co_applicant" ||
			textAt(hers, "other_roles", 0, "people", 0, "applicant_ref") != husbandRef ||
			textAt(hers, "other_roles", 0, "facts", "co_applicant.consent_id") != wifeConsent ||
			strings.Contains(string(hers.body), "40000") ||
			strings.Contains(string(hers.body), "guarantor.bureau_score") {
			s.Errorf("the co-applicant: %s", hers.body)
		}
		plain := m.get("/v1/applicants/" + wifeRef + "?audience=applicant").want(http.StatusOK)
		if plain.at("other_roles", 0, "facts") != nil || textAt(plain, "other_roles", 0, "status") != "DECLINED" ||
			strings.Contains(string(plain.body), "score") || strings.Contains(string(plain.body), "fraud") {
			s.Errorf("for the co-applicant: %s", plain.body)
		}
		m.get("/v1/applicants/" + uncleRef).want(http.StatusOK)
		nobody := m.get("/v1/applicants/somebody-else").refused(http.StatusNotFound, "not_found")
		if !strings.Contains(nobody.text("detail"), "co-applicant") {
			s.Errorf("nobody: %s", nobody.body)
		}
		s.signup().get("/v1/applicants/"+wifeRef).refused(http.StatusNotFound, "not_found")
	})
}

// TestPeopleErased erases the co-applicant, and then the primary applicant, of a decision. Each erasure removes the
// documents of that person only, and the log can still be verified.
func TestPeopleErased(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
		s.begin(november)
		m := s.signup()
		first := m.post("/v1/decisions", family(husbandRef), "Idempotency-Key: a couple").want(http.StatusOK)
		other := m.post("/v1/decisions", family("BROTHER-4")).want(http.StatusOK)
		before := storetest.Dump(t, databaseURL)
		if !bytes.Contains(before["decision_people.person_ref"], []byte(wifeRef)) {
			t.Fatal("the reference is not stored, so the search would find nothing")
		}

		receipt := m.post("/v1/erasures", `{"applicant_ref":"`+wifeRef+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		if receipt.at("erased", "zones", "co_applicant") != 2.0 || receipt.at("erased", "decisions") != 0.0 ||
			!strings.Contains(string(receipt.body), "answers_of_decisions_of_others") {
			s.Errorf("the receipt: %s", receipt.body)
		}
		after := storetest.Dump(t, databaseURL)
		for column, stored := range after {
			for _, text := range []string{wifeRef, wifeConsent, wifeIncome} {
				if bytes.Contains(stored, []byte(text)) {
					t.Errorf("%s contains %s", column, text)
				}
			}
		}
		shown := m.get("/v1/decisions/" + first.text("decision_id") + "?include=facts").want(http.StatusOK)
		if textAt(shown, "inputs_erased", 0) != "co_applicant" || shown.at("re_explanation", "verified") != nil ||
			shown.at("facts", "monthly_income") != 40000.0 || shown.at("facts", "guarantor.bureau_score") != 780.0 ||
			shown.at("facts", "co_applicant.bureau_score") != nil || textAt(shown, "status") != "DECLINED" ||
			!strings.HasPrefix(textAt(shown, "people", 0, "applicant_ref"), "erased:") {
			s.Errorf("after the erasure of the co-applicant: %s", shown.body)
		}
		m.get("/v1/applicants/"+wifeRef).refused(http.StatusNotFound, "not_found")
		m.get("/v1/decisions/"+first.text("decision_id")+"/capsule").refused(http.StatusGone, "erased")
		verified, err := s.service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || verified.Failed != 0 || verified.Erased != 2 {
			t.Errorf("verified %+v, %v", verified, err)
		}

		m.post("/v1/erasures", `{"applicant_ref":"`+husbandRef+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		shown = m.get("/v1/decisions/" + first.text("decision_id")).want(http.StatusOK)
		if !strings.Contains(string(shown.body), `"inputs_erased":["response","combined","co_applicant"]`) ||
			textAt(shown, "people", 1, "applicant_ref") != uncleRef {
			s.Errorf("after the erasure of the primary applicant: %s", shown.body)
		}
		his := m.get("/v1/applicants/" + uncleRef + "?include=facts").want(http.StatusOK)
		if his.at("other_roles", 0, "facts", "guarantor.bureau_score") != 780.0 || his.at("other_role_count") != 2.0 {
			s.Errorf("the guarantor: %s", his.body)
		}
		m.get("/v1/decisions/" + other.text("decision_id")).want(http.StatusOK)

		// She applies again and gets a new key.
		again := m.post("/v1/decisions", family(husbandRef)).want(http.StatusOK)
		shown = m.get("/v1/decisions/" + again.text("decision_id")).want(http.StatusOK)
		if shown.at("re_explanation", "verified") != true {
			s.Errorf("after she came back: %s", shown.body)
		}
		if hers := m.get("/v1/applicants/" + wifeRef).want(http.StatusOK); hers.at("other_role_count") != 1.0 {
			s.Errorf("after she came back: %s", hers.body)
		}
		verified, err = s.service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || verified.Failed != 0 || verified.Erased != 2 {
			t.Errorf("verified %+v, %v", verified, err)
		}
	})
}

// TestPeopleForgotten removes the key of a co-applicant. The same happens if a backup is restored that is older
// than an erasure, together with keys that are newer than the erasure. Only the co-applicant is erased again.
func TestPeopleForgotten(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
		s.begin(november)
		m := s.signup()
		m.post("/v1/decisions", family(husbandRef)).want(http.StatusOK)
		core := operation.New(s.db, operation.Options{MasterKey: usecasetest.MasterKey})
		scope := s.db.Scope(m.tenantID, string(tenant.Sandbox))
		removal, err := core.Keys.Remove(t.Context(), m.tenantID, scope.Environment(),
			store.Person{ApplicantRef: wifeRef}, []int64{1})
		if err == nil {
			err = scope.Write(t.Context(), func(tx *store.Tx) error { return tx.KeyTrees().Change(removal.Changes) })
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.service.Privacy.EraseForgotten(t.Context()); err != nil || n != 1 {
			t.Fatalf("erased %d people again, %v", n, err)
		}
		for column, stored := range storetest.Dump(t, databaseURL) {
			if bytes.Contains(stored, []byte(wifeRef)) {
				t.Errorf("%s contains the reference", column)
			}
		}
		verified, err := s.service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || verified.Failed != 0 || verified.Erased != 1 {
			t.Errorf("verified %+v, %v", verified, err)
		}
	})
}

// TestPeopleBlankID checks an id of spaces and an id with a space before it. An applicant whose id consists of spaces
// counts as unnamed. A co-applicant or guarantor whose id has surrounding spaces is refused, because the same person
// would have another id in another role.
func TestPeopleBlankID(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		declined := `"monthly_income":40000,"foir":0.1,"requested_amount":300000,"age":40,"employment_type":"SALARIED"`
		blank := m.post("/v1/decisions", `{"applicant":{"id":"  ",`+declined+`},"bureau_report":{"score":560}}`).
			want(http.StatusOK)
		m.post("/v1/erasures", `{"decision_id":"`+blank.text("decision_id")+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		padded := strings.Replace(family(husbandRef), `"id":"`+uncleRef, `"id":" `+uncleRef, 1)
		refused := m.post("/v1/decisions", padded).refused(http.StatusUnprocessableEntity, "invalid_field")
		if textAt(refused, "errors", 0, "pointer") != "/applicants/2/id" {
			s.Errorf("an id with a space: %s", refused.body)
		}
		m.post("/v1/decisions", strings.Replace(padded, " "+uncleRef, "  ", 1)).want(http.StatusOK)
	})
}

// TestPeopleErasedFromRuns erases the co-applicant of a decision that the underwriting agent has made. The list of
// what is held about her contains the run, and the run is erased with her.
func TestPeopleErasedFromRuns(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		run := m.post("/v1/agents/underwrite", family(husbandRef), "Idempotency-Key: a run").want(http.StatusOK)
		id := run.text("run_id")
		if !strings.Contains(string(run.body), "co-applicant") {
			s.Fatalf("the run says nothing about her: %s", run.body)
		}
		for _, ref := range []string{husbandRef, wifeRef, uncleRef} {
			held := m.get("/v1/applicants/" + ref).want(http.StatusOK)
			if held.at("agent_run_count") != 1.0 || textAt(held, "agent_runs", 0, "run_id") != id {
				s.Errorf("%s: %s", ref, held.body)
			}
		}

		receipt := m.post("/v1/erasures", `{"applicant_ref":"`+wifeRef+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		if receipt.at("erased", "agent_runs") != 1.0 || receipt.at("erased", "zones", "co_applicant") != 1.0 {
			s.Errorf("the receipt: %s", receipt.body)
		}
		m.get("/v1/agents/runs/"+id).refused(http.StatusGone, "erased")
		again := m.post("/v1/agents/underwrite", family(husbandRef), "Idempotency-Key: a run")
		if again.status != http.StatusGone || strings.Contains(string(again.body), "bureau score") {
			s.Errorf("the repeated request: %d %s", again.status, again.body)
		}
		if his := m.get("/v1/applicants/" + uncleRef).want(http.StatusOK); his.at("agent_run_count") != 0.0 {
			s.Errorf("the guarantor: %s", his.body)
		}
		// The run is listed under the reference of the primary applicant, who was not erased.
		if his := m.get("/v1/applicants/" + husbandRef).want(http.StatusOK); his.at("agent_run_count") != 1.0 {
			s.Errorf("the primary applicant: %s", his.body)
		}
	})
}

// TestRunOfErasedFacts reads a run after the facts of its decision were erased at the end of their retention period.
// The answer says so, instead of reporting that the run does not match the decision.
func TestRunOfErasedFacts(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		run := m.post("/v1/agents/underwrite", family(husbandRef)).want(http.StatusOK)
		path := "/v1/agents/runs/" + run.text("run_id")
		m.get(path).want(http.StatusOK).is("replay.verified", true)
		err := s.db.Scope(m.tenantID, string(tenant.Sandbox)).Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Retention().EmptyZone("combined", textAt(run, "decision", "decision_id"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		shown := m.get(path).want(http.StatusOK)
		if shown.at("replay", "inputs_erased") != true || shown.at("replay", "verified") != nil {
			s.Errorf("the run: %s", shown.body)
		}
	})
}

package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

// canaries are texts about one applicant, one for each field of the requests that are stored. The
// numbers are unusual amounts. The requested amount is not among them: it is part of the outcome.
var canaries = map[string]string{
	"the reference": "CANARY-REF-7",
	"the account":   "CNRY00998877",
	"the device":    "canary-device-9",
	"the mobile":    "9876598765",
	"the e-mail":    "canary.person@example.in",
	"the income":    "87654321",
	"the amount":    "7654321",
	"the purpose":   "canarypurpose",
	"the name":      "Canary Person",
	"the enquiry":   "CANARYLENDER",
}

// plant sends every request that stores something about the applicant, with the canaries.
func plant(m *member) {
	m.Helper()
	fill := strings.NewReplacer("$REF", canaries["the reference"], "$ACCOUNT", canaries["the account"],
		"$DEVICE", canaries["the device"], "$MOBILE", canaries["the mobile"], "$EMAIL", canaries["the e-mail"],
		"$INCOME", canaries["the income"], "$AMOUNT", canaries["the amount"], "$PURPOSE", canaries["the purpose"],
		"$NAME", canaries["the name"], "$LENDER", canaries["the enquiry"])
	for i, request := range []struct{ path, body string }{
		{"/v1/evaluate", `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":560},"reportDate":"2026-11-10",
			"enquiries":[{"date":"2026-11-03","product":"personal_loan","amount":$AMOUNT,"lender":"$LENDER"}]}},
			"features":true,"include":["facts"],"device":{"device_id":"$DEVICE"},
			"bank_summary":{"monthly_income":$INCOME},"fraud":{"applicant_ref":"$REF",
			"beneficiary_account":"$ACCOUNT","mobile":"$MOBILE","email":"$EMAIL","pincode":"400001"}}`},
		{"/v1/decisions", `{"applicant":{"id":"$REF","monthly_income":$INCOME,"foir":0.3,"requested_amount":600000},
			"bureau_report":{"score":560},"include":["facts"]}`},
		{"/v1/agents/underwrite", `{"applicant":{"id":"$REF","monthly_income":$INCOME,"requested_amount":600000},
			"bureau_report":{"score":560},"purpose":"$PURPOSE"}`},
		{"/v1/agents/collections", `{"loan":{"id":"$REF-loan","principal_outstanding":$AMOUNT,"overdue_amount":17930,
			"dpd":47},"borrower":{"ref":"$REF","name":"$NAME"}}`},
		{"/v1/eligibility", `{"applicant":{"id":"$REF","monthly_income":$INCOME},"bureau_report":{"score":742}}`},
	} {
		m.post(request.path, fill.Replace(request.body), fmt.Sprintf("Idempotency-Key: canary%d", i)).
			want(http.StatusOK)
	}
	m.post("/v1/exposures", fill.Replace(`{"applicant_ref":"$REF","product":"$PURPOSE","outstanding":$AMOUNT,
		"emi":$INCOME}`), "Idempotency-Key: canary of a loan").want(http.StatusOK)
	m.post("/v1/exposures", fill.Replace(`{"applicant_ref":"$REF","product":"$PURPOSE","closed":true}`)).
		want(http.StatusOK)
	m.post("/v1/decisions/batch", fill.Replace(`{"items":[{"applicant":{"id":"$REF","monthly_income":$INCOME,"foir":0.3,
		"requested_amount":600000},"bureau_report":{"score":560}}]}`), "Idempotency-Key: canary of a batch").
		want(http.StatusOK)
	m.upload("", "text/csv", fill.Replace("bureau_score,monthly_income\n560,$INCOME\n")).want(http.StatusOK)
}

// TestCanariesOfACoApplicant plants canaries about a person who is the co-applicant in another person's decision, and
// erases the co-applicant. Afterwards no column contains a canary, and the other person's decision stays.
func TestCanariesOfACoApplicant(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
		s.begin(november)
		m := s.signup()
		fill := strings.NewReplacer("$REF", canaries["the reference"], "$INCOME", canaries["the income"])
		m.post("/v1/decisions", fill.Replace(`{"applicants":[{"role":"primary","applicant_ref":"P-1",
			"monthly_income":40000,"requested_amount":600000,"bureau_report":{"score":560}},
			{"role":"co_applicant","applicant_ref":"$REF","monthly_income":$INCOME,"bureau_report":{"score":700}}],
			"include":["facts"]}`), "Idempotency-Key: canary of another").want(http.StatusOK)
		if stored := storetest.Dump(t, databaseURL)["decision_people.person_ref"]; !bytes.Contains(stored,
			[]byte(canaries["the reference"])) {
			t.Fatal("the reference is not stored, so the search would find nothing")
		}
		m.post("/v1/erasures", `{"applicant_ref":"`+canaries["the reference"]+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		after := storetest.Dump(t, databaseURL)
		for column, stored := range after {
			for name, text := range canaries {
				if bytes.Contains(stored, []byte(text)) {
					t.Errorf("%s contains %s", column, name)
				}
			}
		}
		if left := bytes.TrimSpace(after["decision_people.facts"]); len(left) != 0 {
			t.Errorf("the facts of the co-applicant still have %d bytes", len(left))
		}
		if !sealing.Sealed(after["decisions.response"]) {
			t.Error("the answer of the primary applicant is not stored, or not encrypted")
		}
	})
}

// TestCanaries plants unusual texts in every field of every route that stores something about an applicant, and erases
// the applicant. Afterwards no column of any table contains one of the texts. The documents of the applicant are empty,
// so there is nothing to decrypt either.
func TestCanaries(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
		s.begin(november)
		m := s.signup()
		plant(m)
		m.closeAlerts()
		held := m.post("/v1/legal-holds", `{"applicant_ref":"`+canaries["the reference"]+`","reason":"audit"}`).
			want(http.StatusCreated)
		m.post("/v1/legal-holds/"+held.text("id")+"/release", "").want(http.StatusOK)
		before := storetest.Dump(t, databaseURL)
		if !bytes.Contains(before["decisions.applicant_ref"], []byte(canaries["the reference"])) {
			t.Fatal("the reference is not stored, so the search would find nothing")
		}
		if !sealing.Sealed(before["backtest_chunks.input"]) { // compressed, so the search would find nothing
			t.Error("the uploaded rows of a backtest are not encrypted")
		}
		m.post("/v1/erasures", `{"applicant_ref":"`+canaries["the reference"]+`","reason":"applicant_request"}`).
			want(http.StatusCreated)
		wantNoCanaries(t, databaseURL)
	})
}

// TestCanariesForgotten plants the same texts and removes the applicant's key. The same happens if a backup is
// restored that is older than an erasure, together with keys that are newer than the erasure. Once the applicant
// has been erased again, no column contains one of the texts.
func TestCanariesForgotten(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
		s.begin(november)
		m := s.signup()
		plant(m)
		core := operation.New(s.db, operation.Options{MasterKey: usecasetest.MasterKey})
		scope := s.db.Scope(m.tenantID, string(tenant.Sandbox))
		removal, err := core.Keys.Remove(t.Context(), m.tenantID, scope.Environment(),
			store.Person{ApplicantRef: canaries["the reference"]}, []int64{1})
		if err == nil {
			err = scope.Write(t.Context(), func(tx *store.Tx) error { return tx.KeyTrees().Change(removal.Changes) })
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, err := s.service.Privacy.EraseForgotten(t.Context()); err != nil || n != 1 {
			t.Fatalf("erased %d people again, %v", n, err)
		}
		wantNoCanaries(t, databaseURL)
		verified, err := s.service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || verified.Failed != 0 || verified.Erased != 4 {
			t.Errorf("verified %+v, %v", verified, err)
		}
	})
}

// wantNoCanaries fails the test if a column contains one of the canaries, or a document of the applicant is left.
func wantNoCanaries(t *testing.T, databaseURL string) {
	t.Helper()
	after := storetest.Dump(t, databaseURL)
	for column, stored := range after {
		for name, text := range canaries {
			if bytes.Contains(stored, []byte(text)) {
				t.Errorf("%s contains %s", column, name)
			}
		}
	}
	for _, column := range []string{
		"decisions.response", "decisions.facts", "decision_features.vector", "decision_features.source",
		"agent_runs.request", "agent_runs.response",
	} {
		if left := bytes.TrimSpace(after[column]); len(left) != 0 {
			t.Errorf("%s still has %d bytes", column, len(left))
		}
	}
}

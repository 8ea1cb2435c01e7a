package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// joint returns an evaluate request of a primary applicant with identifiers, and further entries of "applicants".
func joint(ref, identifiers string, others ...string) string {
	return fmt.Sprintf(`{"include":["facts"],"fraud":{"applicant_ref":%q%s},"applicants":[{"role":"primary",
		"applicant_ref":%q,"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742},%s}}}%s]}`,
		ref, prefixed(identifiers), ref, scalars, prefixed(strings.Join(others, ",")))
}

// with returns an entry of "applicants" for a co-applicant or a guarantor who has the identifiers.
func with(role, ref, identifiers string) string {
	return fmt.Sprintf(`{"role":%q,"applicant_ref":%q,"consent":{"id":"C-1","at":"2026-11-10T10:00:00+05:30"},
		"bureau":"cibil","report":{"cibil":{"scoreData":{"score":780}}},"fraud":{%s}}`, role, ref, identifiers)
}

// personSignal returns a signal of a person other than the primary applicant.
func (a answer) personSignal(person int, id string) map[string]any {
	a.t.Helper()
	for _, s := range a.list("fraud", "people", person, "signals") {
		if s, _ := s.(map[string]any); s["id"] == id {
			return s
		}
	}
	return nil
}

const (
	onePhone  = `"mobile":"9820012345"`
	household = onePhone + `,` + oneAccount + `,"email":"home@example.in","pincode":"400001","ip":"203.0.113.7"`
)

// TestCoupleIsNotFraud checks a couple and their guarantor who share a phone, an account, an e-mail address, a pincode
// and an IP address. They raise no alert and are approved, together and alone. A stranger with the same account is
// declined and raises an alert.
func TestCoupleIsNotFraud(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		couple := joint("H-1", household, with("co_applicant", "W-1", household+`,"device_id":"d-1"`),
			with("guarantor", "U-1", household))
		m.post("/v1/decisions/preview", couple).want(http.StatusOK).is("status", "APPROVED").saw(mule, false, 1)
		for range 2 {
			got := m.post("/v1/evaluate", couple).want(http.StatusOK).
				is("status", "APPROVED", "fraud.fraud_score", 0, "fraud.level", "low").
				saw(mule, false, 1).saw("mobile_reuse", false, 1).saw("email_reuse", false, 1).saw(ip, false, 1).
				saw("ring", false, 1).raised(0)
			if got.at("fraud", "people", 0, "role") != "co_applicant" ||
				got.at("fraud", "people", 1, "role") != "guarantor" ||
				got.at("fraud", "people", 0, "fraud_score") != 0.0 || got.at("fraud", "people", 0, "level") != "low" ||
				got.personSignal(0, mule)["value"] != 1.0 || got.personSignal(1, ip) != nil ||
				got.at("facts", "co_applicant.fraud_shared_in_application") != 3.0 ||
				got.at("facts", "co_applicant.fraud_mobile_reuse") != false ||
				got.at("facts", "guarantor.fraud_ring_size") != 1.0 ||
				got.at("facts", "co_applicant.fraud_pincode_spike") != nil {
				s.Errorf("the couple: %s", got.body)
			}
			shown := m.get("/v1/decisions/" + got.text("decision_id") + "?include=facts").want(http.StatusOK)
			if shown.at("re_explanation", "verified") != true || shown.at("facts", "guarantor.fraud_ring_size") != 1.0 {
				s.Errorf("stored: %s", shown.body)
			}
		}
		m.apply("W-1", household).is("status", "APPROVED").saw(mule, false, 1).saw("ring", false, 1).raised(0)

		stranger := m.apply("X-1", oneAccount).is("status", "DECLINED").saw(mule, true, 4).saw("ring", true, 4)
		alert := m.get("/v1/fraud/alerts/" + fmt.Sprint(stranger.list("fraud", "alert_ids")[0])).want(http.StatusOK)
		for _, ref := range []string{"H-1", "W-1", "U-1", "X-1"} {
			if !strings.Contains(string(alert.body), `"`+ref+`"`) {
				s.Errorf("the alert does not name %s: %s", ref, alert.body)
			}
		}
		m.post("/v1/evaluate", couple).want(http.StatusOK).is("status", "DECLINED").saw(mule, true, 4)
		s.signup().post("/v1/evaluate", couple).want(http.StatusOK).is("status", "APPROVED").saw(mule, false, 1)
	})
}

// TestFraudOfEveryRole checks that a rule on the guarantor finds a guarantor who shares a phone with other
// applicants. All connected people must be in one alert. A guarantor who later applies must count as the same
// person.
func TestFraudOfEveryRole(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(`"patch":{"knockouts":{"set":[{"id":"KO_GUARANTOR_PHONE","action":"refer",
			"condition_ast":{"op":"gte","field":"guarantor.fraud_mobile_applicants","value":2}}]}}`)
		m.apply("A-1", onePhone).is("status", "APPROVED").raised(0)
		body := joint("A-2", `"mobile":"9820099999"`, with("guarantor", "G-1", onePhone))
		made := m.post("/v1/evaluate", body, "Idempotency-Key: once").want(http.StatusOK).
			is("status", "REFERRED").saw("mobile_reuse", false, 1).saw("ring", false, 1).raised(1)
		if made.personSignal(0, "mobile_reuse")["triggered"] != true || made.at("reasons", 0, "code") != "FR_RING" ||
			made.at("reasons", 0, "message") != "Unable to verify application details" ||
			made.at("facts", "guarantor.fraud_mobile_applicants") != 2.0 ||
			made.at("facts", "fraud_mobile_applicants") != 1.0 {
			s.Errorf("the guarantor: %s", made.body)
		}
		again := m.post("/v1/evaluate", body, "Idempotency-Key: once").want(http.StatusOK)
		if !bytes.Equal(again.body, made.body) {
			s.Errorf("the retry: %s", again.body)
		}
		// The guarantor applies. The person is the same in both roles, and the retry has counted nobody twice.
		m.apply("G-1", onePhone).saw("mobile_reuse", true, 2).saw("ring", false, 2)
		// Another applicant and a co-applicant use the same phone. All four people are connected, and the co-applicant
		// is in the alert.
		third := m.post("/v1/evaluate", joint("A-3", onePhone, with("co_applicant", "C-3", onePhone))).
			want(http.StatusOK).saw("ring", true, 4)
		ring := third.personSignal(0, "ring")
		if ring["value"] != 4.0 || third.signal("ring")["entity"] != ring["entity"] {
			s.Errorf("the co-applicant's ring: %v", ring)
		}
		open := m.get("/v1/fraud/alerts?status=open&type=ring").want(http.StatusOK)
		if len(open.list("data")) != 1 || open.at("data", 0, "applicant_count") != 4.0 {
			s.Errorf("the alerts: %s", open.body)
		}
		graph := m.get("/v1/fraud/alerts/" + textAt(open, "data", 0, "id") + "/ring").want(http.StatusOK)
		if !strings.Contains(string(graph.body), `"C-3"`) || strings.Contains(string(graph.body), "application") {
			s.Errorf("the graph: %s", graph.body)
		}
	})
}

// TestBlockedInEveryRole checks that the application is declined if any person has a value that is on the block list,
// even if the primary applicant has no fraud block. The fact fraud_blocklisted under the person's role is then true.
func TestBlockedInEveryRole(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.post("/v1/fraud/blocklist", `{"kind":"mobile","value":"9820012345","reason":"seen"}`).want(http.StatusCreated)
		made := m.post("/v1/evaluate", joint("A-1", `"mobile":"9820099999"`, with("co_applicant", "C-1", onePhone))).
			want(http.StatusOK).is("status", "DECLINED", "fraud.level", "high")
		if made.fired()["KO_FRAUD_BLOCKLISTED"] != "fail" ||
			made.at("facts", "co_applicant.fraud_blocklisted") != true ||
			made.at("facts", "fraud_blocklisted") != true || made.signal("blocklist") != nil ||
			made.personSignal(0, "blocklist")["triggered"] != true {
			s.Errorf("a blocked co-applicant: %s", made.body)
		}
		bare := strings.Replace(joint("A-1", "", with("guarantor", "G-1", onePhone)),
			`"fraud":{"applicant_ref":"A-1"},`, "", 1)
		alone := m.post("/v1/evaluate", bare).want(http.StatusOK).is("status", "DECLINED", "fraud.complete", false)
		if !slices.Contains(alone.warned(), "/fraud applicant_ref_missing") ||
			alone.at("facts", "guarantor.fraud_score") != 0.0 || alone.at("facts", "fraud_score") != nil {
			s.Errorf("without a fraud block: %s", alone.body)
		}
		check := m.post("/v1/eligibility", bare).want(http.StatusOK)
		if check.at("eligible") != false && check.at("status") != "DECLINED" {
			s.Errorf("the eligibility check: %s", check.body)
		}
	})
}

// TestOtherRolesErased erases a co-applicant whose identifiers were counted. A legal hold or an open alert defers the
// erasure. She is found in her role before the erasure and not after it. The counters still recognise her by a keyed
// hash.
func TestOtherRolesErased(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
		s.begin(november)
		m := s.signup()
		m.apply("X-1", onePhone)
		body := joint("H-1", `"mobile":"9820099999"`,
			with("co_applicant", wifeRef, onePhone+`,"email":"wife@example.in"`))
		body = strings.Replace(body, `"score":742`, `"score":560`, 1) // an offer would defer the erasure
		made := m.post("/v1/evaluate", body).want(http.StatusOK).raised(1)
		held := m.get("/v1/applicants/" + wifeRef + "?include=facts").want(http.StatusOK)
		if held.at("fraud_links") != true || len(held.list("alerts")) != 1 ||
			held.at("other_roles", 0, "facts", "co_applicant.fraud_mobile_applicants") != 2.0 {
			s.Errorf("what is held: %s", held.body)
		}
		own := m.get("/v1/applicants/H-1?include=facts").want(http.StatusOK)
		if strings.Contains(string(own.body), "co_applicant.fraud") || len(own.list("alerts")) != 0 {
			s.Errorf("the primary applicant: %s", own.body)
		}
		hold := m.post("/v1/legal-holds", `{"applicant_ref":"`+wifeRef+`","reason":"audit"}`).want(http.StatusCreated)
		erase := `{"applicant_ref":"` + wifeRef + `","reason":"applicant_request"}`
		m.post("/v1/erasures", erase).want(http.StatusAccepted)
		m.post("/v1/legal-holds/"+hold.text("id")+"/release", "").want(http.StatusOK)
		if wait := m.post("/v1/erasures", erase).want(http.StatusAccepted); textAt(wait, "basis", 0) != "open_alert" {
			s.Errorf("an open alert names her: %s", wait.body)
		}
		m.patch("/v1/fraud/alerts/"+textAt(held, "alerts", 0, "id"), `{"status":"closed","resolution":"other"}`).
			want(http.StatusOK)
		receipt := m.post("/v1/erasures", erase)
		if receipt.at("erased", "fraud_links") != 3.0 || receipt.at("erased", "alert_references") != 1.0 ||
			receipt.at("erased", "zones", "co_applicant") != 1.0 {
			s.Errorf("the receipt: %d %s", receipt.status, receipt.body)
		}
		for column, stored := range storetest.Dump(t, databaseURL) {
			if bytes.Contains(stored, []byte(wifeRef)) || bytes.Contains(stored, []byte("wife@example.in")) {
				t.Errorf("%s names her", column)
			}
		}
		m.get("/v1/applicants/"+wifeRef).refused(http.StatusNotFound, "not_found")
		shown := m.get("/v1/decisions/" + made.text("decision_id")).want(http.StatusOK)
		if textAt(shown, "inputs_erased", 0) != "co_applicant" {
			s.Errorf("the decision: %s", shown.body)
		}
		// She applies again: the counters recognise her, and she counts once.
		s.clock.advance(time.Hour)
		back := m.post("/v1/evaluate", body).want(http.StatusOK)
		if back.personSignal(0, "mobile_reuse")["value"] != 2.0 {
			s.Errorf("she comes back: %s", back.body)
		}
		verified, err := s.service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || verified.Failed != 0 {
			t.Errorf("verified %+v, %v", verified, err)
		}
	})
}

// TestOthersWithoutIdentifiers checks that other people without identifiers change nothing in the fraud block, and that
// the identifiers of other people change neither the facts nor the score of the primary applicant.
func TestOthersWithoutIdentifiers(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		plain := strings.Replace(with("co_applicant", "W-1", ""), `,"fraud":{}`, "", 1)
		without := m.post("/v1/evaluate", joint("H-1", household, plain)).want(http.StatusOK)
		if strings.Contains(string(without.body), "people") ||
			strings.Contains(string(without.body), "co_applicant.fraud") {
			s.Errorf("without identifiers: %s", without.body)
		}
		both := m.post("/v1/evaluate", joint("H-1", household, with("co_applicant", "W-1", household))).
			want(http.StatusOK)
		if without.text("decision_hash") != both.text("decision_hash") {
			s.Errorf("the policy names no field of the co-applicant, and decides otherwise:\n%s\n%s", without.body,
				both.body)
		}
		facts, _ := both.at("facts").(map[string]any)
		before, _ := without.at("facts").(map[string]any)
		for name, v := range before {
			if fmt.Sprint(facts[name]) != fmt.Sprint(v) {
				s.Errorf("%s was %v, and is %v", name, v, facts[name])
			}
		}
	})
}

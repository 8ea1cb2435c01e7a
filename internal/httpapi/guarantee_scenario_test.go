package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"verdict/internal/tenant"
)

// These are guarantees about the default policy. The policy keeps minors and violates seniors. The prover cannot
// decide whether the policy keeps unknowable.
const (
	minors = `{"id":"G_MINORS","text":"Nobody under 21 gets an offer",` +
		`"when":{"op":"lt","field":"age","value":21},"never":{"op":"ne","field":"status","value":"DECLINED"}}`
	seniors = `{"id":"G_SENIORS","text":"Nobody over 55 is approved",` +
		`"when":{"op":"gt","field":"age","value":55},"never":{"op":"eq","field":"status","value":"APPROVED"}}`
	unknowable = `{"id":"G_PRODUCT","text":"No product of age and enquiries is 1600 and approved","when":{"op":"eq",` +
		`"left":{"op":"mul","args":[{"field":"age"},{"field":"enquiries_6m"}]},"right":{"value":0.5}},` +
		`"never":{"op":"eq","field":"status","value":"APPROVED"}}`
)

// TestGuarantees saves drafts with guarantees, reads their proofs, and tries to activate them in both environments.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := m.get("/v1/rule-sets/" + m.ruleSetID).text("checksum")
		kept := m.post("/v1/rule-sets", `{"name":"kept","guarantees":[`+minors+`]}`).want(http.StatusCreated)
		kept.is("checksum", before)
		kept.isAt("guarantee_proofs", 0, "id", "G_MINORS", "result", "proved")
		kept.isAt("changes", 0, "section", "guarantees", "change", "added", "id", "G_MINORS")
		m.activate(kept.text("id"))

		// A new version inherits the guarantee. Its rules violate the guarantee, so the version cannot be activated.
		young := m.post("/v1/rule-sets", `{"name":"young","patch":{"knockouts":{"set":[`+younger+`]}}}`).
			want(http.StatusCreated)
		young.isAt("guarantee_proofs", 0, "id", "G_MINORS", "result", "refuted")
		young.isAt("findings", 0, "code", "guarantee_violated", "severity", "error", "origin", "new",
			"key", "guarantee_violated@/guarantees/G_MINORS", "pointer", "/guarantees/0")
		path := "/v1/rule-sets/" + young.text("id")
		refused := m.post(path+"/activate", `{}`).refused(http.StatusConflict, "guarantee_violated")
		refused.isAt("errors", 0, "pointer", "/guarantees/0", "code", "guarantee_violated")
		m.get(path).is("status", "draft")
		m.get(path).isAt("guarantee_proofs", 0, "result", "refuted")

		// Deciding the applicant of the proof gives the result that the proof states.
		witness, err := json.Marshal(young.at("guarantee_proofs", 0, "applicants", 0, "witness"))
		if err != nil {
			s.Fatal(err)
		}
		var body map[string]any
		if err := json.Unmarshal(witness, &body); err != nil {
			s.Fatal(err)
		}
		body["rule_set_id"] = young.text("id")
		request, err := json.Marshal(body)
		if err != nil {
			s.Fatal(err)
		}
		m.post("/v1/decisions/preview", string(request)).want(http.StatusOK).
			is("status", young.at("guarantee_proofs", 0, "applicants", 0, "decided", "status"))

		// The difference contains the guarantees of both versions.
		difference := m.post(path+"/diff", `{}`).want(http.StatusOK)
		difference.isAt("guarantees", 0, "id", "G_MINORS")
		if from := difference.at("guarantees", 0, "from", "result"); from != "proved" {
			s.Errorf("the active version's guarantee is %v", from)
		}
		if to := difference.at("guarantees", 0, "to", "result"); to != "refuted" {
			s.Errorf("the draft's guarantee is %v", to)
		}

		// A rollback never needs a proof.
		m.activate(m.ruleSetID)
		m.activate(kept.text("id"))
	})
}

// TestGuaranteesInLive checks the findings that must be acknowledged in live, and that a rollback needs no proof.
func TestGuaranteesInLive(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		seeded := live.get("/v1/rule-sets?order=asc").column("id")
		live.activate(seeded[0])
		save := func(body string) answer { return live.post("/v1/rule-sets", body).want(http.StatusCreated) }
		activate := func(a answer, body string) answer {
			return live.post("/v1/rule-sets/"+a.text("id")+"/activate", body)
		}
		kept := save(`{"name":"kept","guarantees":[` + minors + `]}`)
		activate(kept, `{}`).want(http.StatusOK)

		violating := save(`{"name":"violating","guarantees":[` + minors + `,` + seniors + `]}`)
		violating.isAt("guarantee_proofs", 0, "result", "proved")
		violating.isAt("guarantee_proofs", 1, "result", "refuted")
		activate(violating, `{"acknowledge":["guarantee_violated@/guarantees/G_SENIORS"]}`).
			refused(http.StatusConflict, "guarantee_violated").isAt("errors", 0, "pointer", "/guarantees/1")

		undecided := save(`{"name":"undecided","guarantees":[` + minors + `,` + unknowable + `]}`)
		undecided.isAt("guarantee_proofs", 1, "result", "undecided")
		const key = "guarantee_undecided@/guarantees/G_PRODUCT"
		activate(undecided, `{}`).refused(http.StatusConflict, "findings_unacknowledged").isAt("errors", 0, "key", key)
		activate(undecided, `{"acknowledge":["`+key+`"]}`).want(http.StatusOK)
		activate(kept, `{}`).want(http.StatusOK) // a rollback

		// Leaving out an inherited guarantee, or starting without a base, is a finding.
		for _, body := range []string{
			`{"name":"dropped","guarantees":[]}`,
			`{"name":"loosened","guarantees":[{"id":"G_MINORS","text":"Nobody under 18 gets an offer",` +
				`"when":{"op":"lt","field":"age","value":18},"never":{"op":"ne","field":"status",
					"value":"DECLINED"}}]}`,
		} {
			dropped := save(body)
			dropped.isAt("findings", 0, "code", "guarantees_removed", "severity", "error", "key",
				"guarantees_removed@/guarantees")
			activate(dropped, `{}`).refused(http.StatusConflict, "findings_unacknowledged").
				isAt("errors", 0, "code", "guarantees_removed")
		}
		activate(save(`{"name":"older","base":"`+seeded[0]+`"}`), `{}`).
			refused(http.StatusConflict, "findings_unacknowledged").isAt("errors", 0, "code", "guarantees_removed")
	})
}

// TestGuaranteeFaults checks the pointers of faults in guarantees.
func TestGuaranteeFaults(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range [][2]string{
			{`{"text":"t","never":{"op":"eq","field":"status","value":"APPROVED"}}`, "id"},
			{`{"id":"G","never":{"op":"eq","field":"status","value":"APPROVED"}}`, "text"},
			{`{"id":"G","text":"t"}`, "never"},
			{`{"id":"G","text":"t","never":{"op":"eq","field":"status","value":"REJECTED"}}`, "never"},
			{`{"id":"G","text":"t","never":{"op":"exists","field":"status"}}`, "never"},
			{`{"id":"G","text":"t","never":{"op":"gt","field":"intrest_rate","value":20}}`, "never/field"},
			{`{"id":"G","text":"t","when":{"op":"gt","field":"grade","value":20}}`, "never"},
			{`{"id":"G","text":"t","monotone":{"field":"age","towards":"sideways","of":["status"]}}`,
				"monotone/towards"},
			{`{"id":"G","text":"t","monotone":{"field":"age","towards":"up","of":[]}}`, "monotone/of"},
			{`{"id":"G","text":"t","monotone":{"field":"age","towards":"up","of":["fee"]}}`, "monotone/of/0"},
			{`{"id":"G","text":"t","monotone":{"field":"city","towards":"up","of":["status"]}}`, "monotone/field"},
			{`{"id":"G","text":"t","monotone":{"field":"age","towards":"up","of":["status"]},"odd":1}`, "odd"},
			{`{"id":"G","text":"t","monotone":{"field":"age","towards":"up","of":["status"]},"when":{}}`, "monotone"},
		} {
			guarantee, pointer := c[0], c[1]
			m.post("/v1/rule-sets", `{"name":"faulty","guarantees":[`+guarantee+`]}`).
				want(http.StatusUnprocessableEntity).isAt("errors", 0, "pointer", "/guarantees/0/"+pointer)
		}
	})
}

package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// link is a person in a chain, with the identifiers in the person's
// application.
type link struct{ ref, device, members string }

// chained returns six people linked by two devices, two accounts and a mobile
// number. No three of them share one identifier.
func chained(prefix string) []link {
	account := func(n int) string { return fmt.Sprintf(`"beneficiary_account":"%s7788990%d"`, prefix, n) }
	mobile := fmt.Sprintf(`"mobile":"98%08d"`, len(prefix)*1000+int(prefix[0]))
	return []link{
		{prefix + "-1", prefix + "-phone-1", `"ip":"203.0.113.7"`}, {prefix + "-2", prefix + "-phone-1", account(1)},
		{prefix + "-3", "", account(1) + "," + mobile}, {prefix + "-4", "", mobile + "," + account(2)},
		{prefix + "-5", prefix + "-phone-2", account(2)}, {prefix + "-6", prefix + "-phone-2", `"ip":"203.0.113.7"`},
	}
}

func (l link) body() string {
	blocks := []block{seen(l.ref, l.members)}
	if l.device != "" {
		blocks = append(blocks, block{"device", fmt.Sprintf(`{"device_id":%q}`, l.device)})
	}
	return evaluation(742, scalars, blocks...)
}

// TestChainIsOneRing builds a chain from both ends and checks that two rings of
// three people merge into a ring of six when a middle person applies again.
func TestChainIsOneRing(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		people := chained("A")
		apply := func(l link) answer { return m.post("/v1/evaluate", l.body()).want(http.StatusOK) }
		unmet := people[3]
		unmet.members = unmet.members[strings.Index(unmet.members, ",")+1:] // no mobile number yet
		for i, l := range []link{people[0], people[1], people[2], people[5], people[4], unmet} {
			got := apply(l).saw("ring", i%3 == 2, i%3+1)
			if score := got.at("fraud", "fraud_score"); got.signal(mule)["triggered"] != true && score != 0.0 {
				s.Errorf("%s: a score of %v for what has no points", l.ref, score)
			}
		}
		rings := m.get("/v1/fraud/alerts?type=ring&order=asc").column("id")
		if len(rings) != 2 {
			s.Fatalf("rings %v", rings)
		}
		apply(people[3]).saw("ring", true, 6).saw("mobile_reuse", true, 2)
		m.get("/v1/fraud/alerts/"+rings[1]).
			is("status", "closed", "resolution", "duplicate", "merged_into", rings[0], "closed_by", "system")
		one := m.get("/v1/fraud/alerts/"+rings[0]).
			is("type", "ring", "status", "open", "severity", "critical", "value", 6, "threshold", 3,
				"applicant_count", 6, "entity.kind", "ring", "truncated", false)
		if nodes, edges := len(one.list("nodes")), len(one.list("edges")); nodes != 11 || edges != 10 {
			s.Errorf("%d nodes, %d edges: %s", nodes, edges, one.body)
		}
		if open := m.get("/v1/fraud/alerts?type=ring&status=open").column("id"); len(open) != 1 {
			s.Errorf("open are %v", open)
		}
		for _, l := range people {
			m.post("/v1/decisions/preview", evaluation(742, scalars, seen(l.ref, ""))).is(
				"facts.fraud_ring_size", 6, "facts.fraud_ring_links", 5, "facts.fraud_ring_truncated", false)
		}
		// A shared IP address alone makes no ring.
		m.apply("B-1", `"ip":"203.0.113.7"`).saw("ring", false, 1)
		m.get(fmt.Sprint("/v1/decisions/", one.at("decision_ids", 0))).
			want(http.StatusOK).is("re_explanation.verified", true)
	})
}

// TestRingsOfTwoNodes sends the applications of five rings concurrently to two
// nodes on one database, and checks that each ring is complete and has one open
// alert.
func TestRingsOfTwoNodes(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		o := stackOptions{plans: fastPlans()}
		here := start(t, storetest.Open(t, databaseURL, store.Options{}), o)
		there := start(t, storetest.Open(t, databaseURL, store.Options{}), o)
		m := here.signup()
		var all []link
		for _, prefix := range []string{"A", "B", "C", "D", "E"} {
			all = append(all, chained(prefix)...)
		}
		for _, a := range here.race(len(all), func(i int) (answer, error) {
			return []*stack{here, there}[i%2].trySend("POST", "/v1/evaluate", m.key, all[i].body())
		}) {
			a.want(http.StatusOK)
		}
		for _, l := range all {
			m.post("/v1/decisions/preview", evaluation(742, scalars, seen(l.ref, ""))).
				is("facts.fraud_ring_size", 6, "facts.fraud_ring_links", 5)
		}
		if open := m.get("/v1/fraud/alerts?type=ring&status=open"); len(open.column("id")) != 5 {
			t.Errorf("open are %s", open.body)
		}
	})
}

// TestRingIsConfirmed checks that confirming a ring blocks its accounts, or the
// identifiers that the request names. A device is blocked only if the request
// names it.
func TestRingIsConfirmed(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(blockRule)
		s.clock.advance(stale)
		confirm := func(prefix, more string) answer {
			var last answer
			for _, l := range chained(prefix) {
				last = m.post("/v1/evaluate", l.body()).want(http.StatusOK)
			}
			ids := last.list("fraud", "alert_ids")
			return m.patch(fmt.Sprint("/v1/fraud/alerts/", ids[len(ids)-1]),
				`{"status":"closed","resolution":"confirmed_fraud"`+more+`}`)
		}
		blocked := confirm("A", "").want(http.StatusOK)
		for i := range 2 {
			kind := blocked.at("blocked", i, "kind")
			if kind != "beneficiary_account" || len(blocked.list("blocked")) != 2 {
				s.Errorf("blocked: %s", blocked.body)
			}
		}
		m.post("/v1/evaluate", chained("A")[1].body()).is("status", "DECLINED")
		m.post("/v1/evaluate", chained("A")[5].body()).is("status", "APPROVED")
		confirm("B", `,"block":[{"kind":"ip","key":"x"},{"kind":"device"}]`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		confirm("B", `,"block":[{"kind":"beneficiary_account","key":"hmac:nothing"}]`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		id := m.get("/v1/fraud/alerts?type=ring&status=open").column("id")[0]
		for _, node := range m.get("/v1/fraud/alerts/" + id).list("nodes") {
			if node, _ := node.(map[string]any); node["kind"] == "device" {
				m.patch("/v1/fraud/alerts/"+id, fmt.Sprintf(`{
					"status":"closed","resolution":"confirmed_fraud",
					"block":[{"kind":"device","key":%q}]
				}`, node["key"])).
					want(http.StatusOK)
				break
			}
		}
		statuses := map[string]int{}
		for _, l := range chained("B") {
			statuses[m.post("/v1/evaluate", l.body()).text("status")]++
		}
		if diff := cmp.Diff(map[string]int{"DECLINED": 2, "APPROVED": 4}, statuses); diff != "" {
			s.Errorf("one phone is blocked (-want +got):\n%s", diff)
		}
		account := m.ring(oneAccount, "C-1", "C-2")
		m.patch("/v1/fraud/alerts/"+account, `{"status":"closed","resolution":"false_positive","block":[]}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		m.patch("/v1/fraud/alerts/"+account, `{"status":"closed","resolution":"confirmed_fraud","block":[]}`).
			want(http.StatusOK)
		m.apply("C-3", oneAccount).is("status", "APPROVED")
	})
}

// TestCrowdIsNotBlocked checks that confirming an alert about an agent does not
// block other applicants with the same agent, unless the request names the
// agent. The agent is then blocked until the given time.
func TestCrowdIsNotBlocked(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(blockRule)
		m.put(settings, `{"fraud":{"agent_anomaly":{"max_applications":2}}}`).want(http.StatusOK)
		s.clock.advance(stale)
		const through = `"agent_id":"AG-7"`
		raised := func(prefix string) string {
			for i := range 3 {
				m.apply(fmt.Sprint(prefix, i), through)
			}
			return m.get("/v1/fraud/alerts?type=" + agent + "&status=open").column("id")[0]
		}
		closing := func(more string) string { return `{"status":"closed","resolution":"confirmed_fraud"` + more + `}` }
		done := m.patch("/v1/fraud/alerts/"+raised("A"), closing("")).want(http.StatusOK)
		if blocked := done.list("blocked"); len(blocked) != 0 {
			s.Errorf("blocked: %s", done.body)
		}
		m.apply("A-9", through).is("status", "APPROVED")
		id := raised("B")
		key := m.get("/v1/fraud/alerts/"+id).text("entity", "key")
		until := s.clock.now().Add(48 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")
		entry := func(expires string) string {
			return fmt.Sprintf(`,"block":[{"kind":"agent","key":%q,"expires_at":%q}]`, key, expires)
		}
		m.patch("/v1/fraud/alerts/"+id, closing(entry("2001-01-01T00:00:00Z"))).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		done = m.patch("/v1/fraud/alerts/"+id, closing(entry(until))).want(http.StatusOK)
		if got := done.at("blocked", 0, "expires_at"); got != until {
			s.Errorf("blocked until %v", got)
		}
		m.apply("B-9", through).is("status", "DECLINED")
		s.clock.advance(49 * time.Hour)
		m.apply("B-9", through).is("status", "APPROVED")
	})
}

// TestReuseHasItsOwnThresholds checks that devices, mobile numbers and email
// addresses use the threshold for accounts until a threshold of their own is
// set. They add points only if points are configured.
func TestReuseHasItsOwnThresholds(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		contact := `"mobile":"98200 12345","email":"asha@example.in"`
		phone := block{"device", `{"device_id":"phone"}`}
		m.put(settings, `{"fraud":{"beneficiary_reuse":{"distinct_applicants":3}}}`).want(http.StatusOK).
			is("fraud.device_reuse.distinct_applicants", 3, "fraud.device_reuse.points", 0,
				"fraud.ring.ring_min_people", 3)
		s.clock.advance(stale)
		m.apply("A-1", contact, phone)
		m.apply("A-2", contact, phone).
			is("fraud.fraud_score", 0).saw("device_reuse", false, 2).saw("mobile_reuse", false, 2).raised(0)
		m.put(settings, `{"fraud":{"device_reuse":{"distinct_applicants":2,"points":20},"email_reuse":{"enabled":false},
			"ring":{"ring_min_people":2,"points":10}}}`).
			want(http.StatusOK).is("fraud.mobile_reuse.distinct_applicants", 3)
		s.clock.advance(stale)
		m.apply("A-2", contact, phone).is("fraud.fraud_score", 30, "fraud.level", "high").saw("device_reuse", true, 2).
			saw("mobile_reuse", false, 2).
			saw("email_reuse", false, nil).saw("ring", true, 2).raised(2)
		want := []string{"device_reuse", "ring"}
		if diff := cmp.Diff(want, m.get("/v1/fraud/alerts?order=asc").column("type")); diff != "" {
			s.Errorf("alerts (-want +got):\n%s", diff)
		}
		allowed := m.put(settings, `{"fraud":{"device_reuse":{"allowlist":["phone"]}}}`).want(http.StatusOK)
		if diff := cmp.Diff([]any{"••••ne"}, allowed.list("fraud", "device_reuse", "allowlist")); diff != "" {
			s.Errorf("shown (-want +got):\n%s", diff)
		}
		m.put(settings, string(allowed.body)).want(http.StatusOK)
		s.clock.advance(stale)
		m.apply("A-3", "", phone).saw("device_reuse", false, 3).saw("ring", false, 1)
		m.put(settings, `{"fraud":{"pincode_spike":{"min_baseline_days":0}}}`).want(http.StatusOK)
		s.clock.advance(stale)
		m.apply("A-4", `"pincode":"400001"`).saw(spike, false, 1)
	})
}

// TestBlockedByHand checks that a block list entry added by hand declines every
// application with the same value until the entry expires or is removed.
func TestBlockedByHand(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(blockRule)
		s.clock.advance(stale)
		const path = "/v1/fraud/blocklist"
		for kind, value := range map[string]string{
			"beneficiary_account": "0011-2233 445566",
			"device":              "phone",
			"mobile":              "+91 98200 12345",
			"email":               "Asha@example.in",
		} {
			body := fmt.Sprintf(`{"kind":%q,"value":%q,"reason":"known"}`, kind, value)
			added := m.post(path, body).want(http.StatusCreated).
				is("kind", kind, "reason", "known", "expires_at", nil, "alert_id", nil).mine(m, "blocked_by")
			if strings.Contains(string(added.body), value) {
				s.Errorf("%s is shown in clear: %s", kind, added.body)
			}
			again := m.post(path, body).want(http.StatusOK)
			if diff := cmp.Diff(string(added.body), string(again.body)); diff != "" {
				s.Errorf("added again (-want +got):\n%s", diff)
			}
		}
		expires := s.clock.now().Add(48 * time.Hour).UTC().Truncate(time.Second)
		m.post(path, fmt.Sprintf(`{"kind":"ip","value":"203.0.113.78","expires_at":%q}`, expires.Format(time.RFC3339))).
			want(http.StatusCreated)
		m.post(path, fmt.Sprintf(`{"kind":"mobile","value":"9820012345","reason":"shorter","expires_at":%q}`,
			expires.Format(time.RFC3339))).
			want(http.StatusOK).is("reason", "known", "expires_at", nil)
		shows := []string{oneAccount, `"mobile":"9820012345"`, `"email":"asha@EXAMPLE.in"`, `"ip":"203.0.113.78"`}
		declined := func(want ...string) {
			s.Helper()
			for i, members := range shows {
				m.apply(fmt.Sprint("A-", i), members).is("status", want[i])
				anonymous := m.post("/v1/evaluate", evaluation(742, scalars, block{"fraud", "{" + members + "}"})).
					want(http.StatusOK).is("status", want[i])
				want := []string{"/fraud/applicant_ref applicant_ref_missing"}
				if diff := cmp.Diff(want, anonymous.warned()); diff != "" {
					s.Errorf("warnings (-want +got):\n%s", diff)
				}
			}
			m.apply("A-9", "", block{"device", `{"device_id":"phone"}`}).is("status", want[0])
		}
		declined("DECLINED", "DECLINED", "DECLINED", "DECLINED")
		s.clock.advance(2 * 365 * 24 * time.Hour)
		declined("DECLINED", "DECLINED", "DECLINED", "APPROVED")
		list := m.get(path)
		for i, kind := range list.column("kind") {
			if expired := list.at("data", i, "expired"); (expired == true) != (kind == "ip") {
				s.Errorf("%s: expired is %v", kind, expired)
			}
		}
		if n := len(m.get("/v1/audit?action=blocklist.added").list("data")); n != 5 {
			s.Errorf("the audit trail has %d entries", n)
		}
		for i, kind := range list.column("kind") {
			query := "?kind=" + kind + "&key=" + url.QueryEscape(fmt.Sprint(list.at("data", i, "key")))
			s.send("DELETE", path+query, m.key, "").want(http.StatusNoContent)
		}
		declined("APPROVED", "APPROVED", "APPROVED", "APPROVED")
	})
}

// TestSpellingsDoNotPassTheBlockList checks that other spellings of a blocked value are
// blocked too. Placeholders and private addresses, which identify nobody, are not
// counted, cause a warning and cannot be blocked.
func TestSpellingsDoNotPassTheBlockList(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.arm(blockRule)
		s.clock.advance(stale)
		m.post("/v1/fraud/blocklist", `{"kind":"email","value":"bad@x.in"}`).want(http.StatusCreated)
		m.post("/v1/fraud/blocklist", `{"kind":"mobile","value":"９８２００ 54321"}`).want(http.StatusCreated)
		m.post("/v1/fraud/blocklist", `{"kind":"beneficiary_account","value":"777788881234"}`).want(http.StatusCreated)
		m.post("/v1/fraud/blocklist", `{"kind":"email","value":"bad.person@gmail.com"}`).want(http.StatusCreated)
		for i, members := range []string{
			`"beneficiary_account":"000777788881234"`, `"email":"badperson+7@googlemail.com"`, `"email":"bad+1@x.in"`,
			`"email":"<bad@x.in>"`, `"email":"bad@x.in."`, `"mobile":"+91-98200 54321"`, `"mobile":"９８２００５４３２１"`,
		} {
			got := m.apply(fmt.Sprint("A-", i), members).is("status", "DECLINED", "fraud.level", "high")
			if hit := got.signal("blocklist"); hit["triggered"] != true {
				s.Errorf("%s: no hit among the signals: %v", members, got.at("fraud"))
			}
		}
		for member, code := range map[string]string{
			`"beneficiary_account":"NA"`:         "beneficiary_account identifier_not_counted",
			`"beneficiary_account":"0000000000"`: "beneficiary_account identifier_not_counted",
			`"mobile":"9999999999"`:              "mobile identifier_not_counted",
			`"mobile":"9876543210"`:              "mobile identifier_not_counted",
			`"email":"noemail@gmail.com"`:        "email identifier_not_counted",
			`"email":"bad@x"`:                    "email identifier_not_counted",
			`"ip":"192.168.0.4"`:                 "ip not_derived",
			`"agent_id":"null"`:                  "agent_id identifier_not_counted",
		} {
			for i := range 6 {
				got := m.apply(fmt.Sprint("B-", i), member).is("fraud.fraud_score", 0, "status", "APPROVED").raised(0)
				if diff := cmp.Diff([]string{"/fraud/" + code}, got.warned()); diff != "" {
					s.Errorf("%s (-want +got):\n%s", member, diff)
				}
			}
		}
		for kind, value := range map[string]string{
			"email":               "bad@x",
			"beneficiary_account": "N/A",
			"mobile":              "9999999999",
			"ip":                  "10.0.0.1",
			"device":              "-",
			"agent":               "none",
		} {
			m.post("/v1/fraud/blocklist", fmt.Sprintf(`{"kind":%q,"value":%q}`, kind, value)).
				refused(http.StatusUnprocessableEntity, "invalid_field")
		}
	})
}

// TestConfirmedFraudStaysBlocked checks that the default policy still declines
// applications with a confirmed account after every time window has passed,
// with and without an applicant reference.
func TestConfirmedFraudStaysBlocked(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		id := m.ring(oneAccount, "A-1", "A-2")
		m.patch("/v1/fraud/alerts/"+id, `{"status":"closed","resolution":"confirmed_fraud"}`).want(http.StatusOK)
		s.clock.advance(3 * 365 * 24 * time.Hour)
		for _, got := range []answer{
			m.apply("A-3", oneAccount).saw(mule, false, 1),
			m.post("/v1/evaluate", evaluation(742, scalars, block{"fraud", "{" + oneAccount + "}"})).
				want(http.StatusOK),
		} {
			got.is("status", "DECLINED")
			code := got.at("reasons", 0, "code")
			if code != "FR_RING" || got.fired()["KO_FRAUD_BLOCKLISTED"] != "fail" {
				s.Errorf("the reason is %v, the rules %v", code, got.fired())
			}
		}
		m.apply("A-4", `"beneficiary_account":"99887766554433"`).is("status", "APPROVED")
	})
}

// TestBlockRefusals checks that a refusal names every fault and never repeats
// the submitted value.
func TestBlockRefusals(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for body, want := range map[string][]string{
			`{}`: {"/kind required", "/value required"},
			`{"kind":"bank","value":"5550001112223"}`:     {"/kind out_of_range"},
			`{"kind":"beneficiary_account","value":"55"}`: {"/value out_of_range"},
			`{"kind":"ip","value":"555.0.0.1"}`:           {"/value out_of_range"},
			`{"kind":"mobile","value":55500,"note":"x"}`: {
				"/value wrong_type",
				"/note unknown_field",
			},
			`{"kind":"device","value":"x","expires_at":"2001-01-01T00:00:00Z"}`: {
				"/expires_at out_of_range",
			},
			`{"kind":"device","value":"x","expires_at":"tomorrow"}`: {
				"/expires_at out_of_range",
			},
			`{"kind":"device","value":"` + strings.Repeat("5", 300) + `","reason":"anything"}`: {"/value out_of_range"},
		} {
			got := m.post("/v1/fraud/blocklist", body).want(http.StatusUnprocessableEntity)
			var found []string
			for i := range got.list("errors") {
				found = append(found, fmt.Sprint(got.at("errors", i, "pointer"), " ", got.at("errors", i, "code")))
			}
			// Do not search the whole body, because a random request id may contain these digits.
			said := fmt.Sprint(got.at("detail"), got.list("errors"))
			if diff := cmp.Diff(want, found); diff != "" || strings.Contains(said, "555") {
				s.Errorf("%s: %s (-want +got):\n%s", body, got.body, diff)
			}
		}
		if n := len(m.get("/v1/fraud/blocklist").list("data")); n != 0 {
			s.Errorf("%d are listed", n)
		}
	})
}

// TestNoApplicant checks a request without an applicant reference: every signal
// is listed with the reason why it was not evaluated, and rules get only the
// block list fact.
func TestNoApplicant(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		body := evaluation(742, scalars,
			block{"fraud", `{` + oneAccount + `,"ip":"203.0.113.78","applicant_ref":"  "}`})
		got := m.post("/v1/decisions/preview", body).
			want(http.StatusOK).is("fraud.fraud_score", 0, "fraud.complete", false,
			"facts.fraud_score", nil, "facts.fraud_beneficiary_applicants", nil, "facts.fraud_ring_size", nil,
			"facts.fraud_blocklisted", false)
		if diff := cmp.Diff([]string{"/fraud/applicant_ref applicant_ref_missing"}, got.warned()); diff != "" {
			s.Errorf("warnings (-want +got):\n%s", diff)
		}
		var listed []string
		for i := range got.list("fraud", "signals") {
			listed = append(listed,
				fmt.Sprint(got.at("fraud", "signals", i, "id"), " ", got.at("fraud", "signals", i, "evaluated"), " ",
					got.at("fraud", "signals", i, "reason"), " ", got.at("fraud", "signals", i, "triggered")))
		}
		var want []string
		for _, id := range []string{spike, ip, mule, agent, "device_reuse", "mobile_reuse", "email_reuse", "ring"} {
			want = append(want, id+" false applicant_ref_missing <nil>")
		}
		if diff := cmp.Diff(want, listed); diff != "" {
			s.Errorf("signals (-want +got):\n%s", diff)
		}
	})
}

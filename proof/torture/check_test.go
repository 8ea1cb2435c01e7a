package torture

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func stored(id, hash, rest string) []byte {
	body := decisionBody(id, hash, "pol_first")
	return []byte(body[:len(body)-1] + `,` + rest + `}`)
}

func TestStoredDecision(t *testing.T) {
	t.Parallel()
	const verified = `"re_explanation":{"verified":true,"recomputed_hash":"h"}`
	tests := []struct {
		name, promise string
		body          []byte
	}{
		{"as it was answered", "", stored("dec_1", "h", verified)},
		{"gone", "nothing-lost", []byte(`{"code":"not_found"}`)},
		{"with another member before", "nothing-lost", []byte(`{"x":1,` + string(stored("dec_1", "h", verified))[1:])},
		{"not verified", "hash-verifies",
			stored("dec_1", "h", `"re_explanation":{"verified":false,"recomputed_hash":"h"}`)},
		{"another hash", "hash-verifies",
			stored("dec_1", "h", `"re_explanation":{"verified":true,"recomputed_hash":"i"}`)},
		{"without an explanation", "hash-verifies", stored("dec_1", "h", `"x":1`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.decide("dec_1", "h", "pol_first")
			if b.m.storedDecision(b.one, "dec_1", test.body); test.promise == "" {
				b.holds()
			} else {
				b.broken(test.promise, "dec_1")
			}
		})
	}
}

// TestErasedDecision checks what can be read of a decision after its applicant was erased.
func TestErasedDecision(t *testing.T) {
	t.Parallel()
	const explained = `"re_explanation":{"text":[]}`
	for name, test := range map[string]struct {
		promise string
		body    []byte
	}{
		"erased":         {"", stored("dec_1", "h", `"inputs_erased":["response"],`+explained)},
		"another hash":   {"nothing-lost", stored("dec_1", "i", `"inputs_erased":["response"],`+explained)},
		"still readable": {"erased-completely", stored("dec_1", "h", explained)},
		"still has the applicant": {"erased-completely",
			stored("dec_1", "h", `"inputs_erased":["response"],"x":"A-7"`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.decide("dec_1", "h", "pol_first")
			r := b.post("/v1/erasures", http.StatusCreated)
			r.learn = learnErasure(r, "A-7", []string{"dec_1"})
			b.tell(r, http.StatusCreated, `{"id":"era_1","state":"completed","erased":{"decisions":1}}`)
			if b.m.storedDecision(b.one, "dec_1", test.body); test.promise == "" {
				b.holds()
			} else {
				b.broken(test.promise, "dec_1")
			}
		})
	}
	b := newBench(t)
	b.decide("dec_1", "h", "pol_first")
	r := b.post("/v1/erasures", http.StatusCreated)
	r.learn = learnErasure(r, "A-7", []string{"dec_1"})
	b.tell(r, http.StatusCreated, `{"id":"era_1","state":"running","erased":{"decisions":0}}`)
	b.broken("erasure-form", "era_1")
}

// TestReleasedDecision checks that a decision may be erased after the release of a hold, and then stays erased.
func TestReleasedDecision(t *testing.T) {
	t.Parallel()
	const explained = `"re_explanation":{"verified":true,"recomputed_hash":"h"}`
	readable := stored("dec_1", "h", explained)
	erased := stored("dec_1", "h", `"inputs_erased":["response"],"re_explanation":{}`)
	b := newBench(t)
	b.decide("dec_1", "h", "pol_first")
	b.m.storedDecision(b.one, "dec_1", readable)
	b.holds()
	b.one.release("A-7", []string{"dec_1"})
	b.m.storedDecision(b.one, "dec_1", readable)
	b.m.storedDecision(b.one, "dec_1", erased)
	b.holds()
	b.m.storedDecision(b.one, "dec_1", readable)
	b.broken("erased-completely", "dec_1")

	held := newBench(t)
	held.decide("dec_1", "h", "pol_first")
	held.m.storedDecision(held.one, "dec_1", erased)
	held.broken("hash-verifies", "dec_1")
}

// TestDeferredErasure checks the answer to an erasure that must wait.
func TestDeferredErasure(t *testing.T) {
	t.Parallel()
	for state, promise := range map[string]string{"deferred": "", "completed": "erasure-form"} {
		b := newBench(t)
		var id string
		r := b.post("/v1/erasures", http.StatusAccepted)
		r.learn = learnID(r, "erasure.deferred", "deferred", &id)
		b.tell(r, http.StatusAccepted, `{"id":"era_1","state":"`+state+`"}`)
		if promise != "" {
			b.broken(promise, "era_1")
			continue
		}
		if b.holds(); id != "era_1" {
			t.Errorf("the id is %q", id)
		}
	}
}

// TestErasureFoundNothing repeats an erasure that the service has already carried out on its own.
func TestErasureFoundNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.decide("dec_1", "h", "pol_first")
	r := b.post("/v1/erasures", http.StatusCreated)
	r.want = append(r.want, http.StatusNotFound)
	r.decline = func(*model, answer) { b.one.erase("A-7", []string{"dec_1"}) }
	b.tell(r, http.StatusNotFound, `{"code":"not_found","status":404}`)
	b.m.storedDecision(b.one, "dec_1", stored("dec_1", "h", `"inputs_erased":["response"],"re_explanation":{}`))
	b.holds()
}

func TestReviewIsLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.decide("dec_1", "h", "pol_first")
	r := b.post("/v1/decisions/dec_1/review", http.StatusCreated)
	r.learn = learnReview(r, "dec_1")
	b.tell(r, http.StatusCreated, `{"id":"rev_1"}`)
	const verified = `"re_explanation":{"verified":true,"recomputed_hash":"h"}`
	b.m.storedDecision(b.one, "dec_1", stored("dec_1", "h", verified+`,"reviews":[{"id":"rev_1"}]`))
	b.holds()
	b.m.storedDecision(b.one, "dec_1", stored("dec_1", "h", verified+`,"reviews":[]`))
	b.broken("nothing-lost", "rev_1")
}

func TestListOfDecisions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, promise, of string
		list              []string
	}{
		{name: "all", list: []string{"dec_1", "dec_2"}},
		{"one is lost", "nothing-lost", "dec_2", []string{"dec_1"}},
		{"one more", "nothing-twice", "dec_3", []string{"dec_1", "dec_2", "dec_3"}},
		{"one twice", "nothing-twice", "dec_1", []string{"dec_1", "dec_2", "dec_1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.decide("dec_1", "h", "pol_first")
			b.decide("dec_2", "h", "pol_first")
			seen := newTally(b.one.unseen.decisions, b.one.passed.decisions)
			for _, id := range test.list {
				b.m.listedDecision(b.one, seen, toldDecision{ID: id, Hash: "h"})
			}
			seen.end(b.m, "nothing-lost", "the list")
			if test.promise == "" {
				b.holds()
			} else {
				b.broken(test.promise, test.of)
			}
			if len(b.one.unseen.decisions) > 0 {
				t.Error("something is still new")
			}
		})
	}
}

func TestTallyStopsWhenNothingIsNew(t *testing.T) {
	t.Parallel()
	wanted, passed := map[string]struct{}{"c": {}}, map[string]struct{}{"a": {}, "b": {}}
	seen := newTally(wanted, passed)
	seen.mark("b")
	if !seen.fresh() {
		t.Error("it stops before c")
	}
	seen.mark("c")
	if !seen.fresh() {
		t.Error("it stops on a page with something new")
	}
	seen.mark("a")
	if seen.fresh() {
		t.Error("it goes on past what was seen before")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	tell := func(used, quota int64, endpoint string) usage {
		var u usage
		u.Used, u.Quota, u.Period.Start = used, &quota, "2026-11-01"
		u.ByPath = append(u.ByPath, struct {
			Endpoint string `json:"endpoint"`
			Count    int64  `json:"count"`
			Billable bool   `json:"billable"`
		}{endpoint, used, true})
		u.Daily = append(u.Daily, struct {
			Count int64 `json:"count"`
		}{used})
		return u
	}
	const decisions = "POST /v1/decisions"
	split := tell(2, 10, decisions)
	split.Daily[0].Count = 1
	tests := []struct {
		name, promise string
		told          usage
		clock         bool
	}{
		{name: "as answered", told: tell(2, 10, decisions)},
		{name: "billed twice", promise: "usage-exact", told: tell(3, 10, decisions)},
		{name: "not billed", promise: "usage-exact", told: tell(1, 10, decisions)},
		{name: "not seen yet", told: tell(1, 10, decisions), clock: true},
		{name: "billed twice under a moving clock", promise: "usage-exact", told: tell(3, 10, decisions), clock: true},
		{name: "billed for something else", promise: "usage-exact", told: tell(2, 10, "POST /v1/evaluate")},
		{name: "beyond the quota", promise: "quota-kept", told: tell(2, 1, decisions)},
		{name: "days that do not add up", promise: "usage-exact", told: split},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.decide("dec_1", "h", "pol_first")
			b.decide("dec_2", "h", "pol_first")
			if test.clock {
				b.m.faults.mark("clock", true, b.tick())
			}
			if b.m.usageTold(b.one, test.told); test.promise == "" {
				b.holds()
				return
			}
			if err := b.m.verdict(); err == nil || !strings.HasPrefix(err.Error(), test.promise) {
				t.Errorf("want %s, got %v", test.promise, err)
			}
		})
	}
}

func TestAuditTrail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, promise string
		entries       []string
	}{
		{"all", "", []string{"dec_1"}},
		{"one is missing", "audit-complete", nil},
		{"one twice", "nothing-twice", []string{"dec_1", "dec_1"}},
		{"one that no answer contained", "nothing-twice", []string{"dec_1", "dec_2"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.decide("dec_1", "h", "pol_first")
			seen := newTally(b.one.unseen.deeds, b.one.passed.deeds)
			for _, id := range test.entries {
				b.m.auditTold(b.one, seen, deed{"decision.created", id})
			}
			if seen.end(b.m, "audit-complete", "the trail"); test.promise == "" {
				b.holds()
			} else {
				b.broken(test.promise, "dec_")
			}
		})
	}
}

func TestScanFindsWhatWasPlanted(t *testing.T) {
	t.Parallel()
	w := NewWorkload(3)
	w.secrets.add("session-token")
	s := newScope(&lender{}, "live", w.secrets.word("live", 1), "")
	for _, secret := range []string{
		s.word, w.secrets.account(s, "a"), w.secrets.mobile(5), w.secrets.ip(9), w.secrets.password(1), "session-token",
		"vk_live_0123456789012345678901234567890123456789",
	} {
		if err := w.Scan(strings.NewReader("all is well\n{\"note\":\"" + secret + "\"}\n")); err == nil ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s is not found: %v", secret, err)
		}
	}
	harmless := fmt.Sprintf("ready vk_live_0123 key_01M7FFCST0PENSFQZXWR59W91N took=19731586123 at 11:27:26.%s\n",
		mobileMark)
	if err := w.Scan(strings.NewReader(harmless)); err != nil {
		t.Error(err)
	}
}

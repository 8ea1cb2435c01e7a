package torture

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// bench is a model to which a test adds requests and answers, without a server.
type bench struct {
	*testing.T
	m          *model
	one, other *scope
	clock      time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	names := newSecrets(7)
	l := &lender{email: "one@example.in", word: names.word("tenant", 1), browser: &browser{}}
	k := &lender{email: "other@example.in", word: names.word("tenant", 2), browser: &browser{}}
	b := &bench{
		T: t, m: newModel(), clock: time.Unix(1_800_000_000, 0),
		one:   newScope(l, "sandbox", names.word("sandbox", 1), ""),
		other: newScope(k, "sandbox", names.word("sandbox", 2), ""),
	}
	b.m.scopes = []*scope{b.one, b.other}
	b.one.beginWith("pol_first", b.tick(), b.tick())
	return b
}

func (b *bench) tick() time.Time {
	b.clock = b.clock.Add(time.Second)
	return b.clock
}

// post returns a request of the first scope.
func (b *bench) post(path string, want ...int) *request {
	return &request{scope: b.one, method: http.MethodPost, path: path, once: path, writes: true, want: want}
}

// tell records that a request was sent and answered.
func (b *bench) tell(r *request, status int, body string) outcome {
	sent := b.tick()
	b.m.send(r, sent)
	header := http.Header{"Content-Type": {"application/json"}}
	if status >= 400 {
		header = http.Header{"Content-Type": {"application/problem+json"}, "Retry-After": {"1"}}
	}
	return b.m.take(r, answer{status: status, header: header, body: []byte(body), began: sent, ended: b.tick()})
}

func decisionBody(id, hash, policy string) string {
	return fmt.Sprintf(
		`{"decision_id":%q,"status":"APPROVED","policy":{"id":%q,"checksum":"c"},"decision_hash":%q,
			"environment":"sandbox"}`,
		id, policy, hash)
}

// decide adds an answered decision to the model.
func (b *bench) decide(id, hash, policy string) {
	r := b.post("/v1/decisions", http.StatusOK)
	r.once = id
	r.learn = learnDecision(r, "POST /v1/decisions", "profile", "")
	b.tell(r, http.StatusOK, decisionBody(id, hash, policy))
}

// holds checks that no guarantee was violated so far.
func (b *bench) holds() {
	b.Helper()
	if err := b.m.verdict(); err != nil {
		b.Errorf("a true history: %v", err)
	}
}

// broken checks that there is exactly one violation. The parameter promise is the violated guarantee, and the
// parameter of is a part of the violation's text.
func (b *bench) broken(promise, of string) {
	b.Helper()
	err := b.m.verdict()
	if err == nil || !strings.HasPrefix(err.Error(), promise+": ") || !strings.Contains(err.Error(), of) ||
		len(b.m.violations) != 1 {
		b.Errorf("want one violation of %s that tells of %s, got: %v", promise, of, err)
	}
}

func TestAnswersOutsideFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		history func(b *bench)
		promise string // "" if the history is valid
		of      string
	}{
		{name: "answered", history: func(b *bench) { b.decide("dec_1", "h", "pol_first") }},
		{
			name:    "the same decision again",
			history: func(b *bench) { b.decide("dec_1", "h", "pol_first"); b.decide("dec_2", "h", "pol_first") },
		},
		{"another hash", func(b *bench) { b.decide("dec_1", "h", "pol_first"); b.decide("dec_2", "i", "pol_first") },
			"hash-stable", "was h and is i"},
		{"an id twice", func(b *bench) { b.decide("dec_1", "h", "pol_first"); b.decide("dec_1", "h", "pol_first") },
			"nothing-twice", "dec_1"},
		{"a policy that nobody activated",
			func(b *bench) { b.decide("dec_1", "h", "pol_x") }, "one-active-policy", "pol_x"},
		{"a retry with other bytes", func(b *bench) {
			r := b.post("/v1/decisions", http.StatusOK)
			b.tell(r, http.StatusOK, `{"a":1}`)
			b.tell(r, http.StatusOK, `{"a":2}`)
		}, "retry-same-bytes", "another body"},
		{"another tenant's word", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusOK, `{"note":"`+b.other.word+`"}`)
		}, "no-foreign-byte", "other@example.in"},
		{"another tenant's name in a refusal", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusNotFound), http.StatusNotFound,
				`{"code":"x","status":404,"detail":"`+b.other.lender.word+`"}`)
		}, "no-foreign-byte", "other@example.in"},
		{name: "its own word", history: func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusOK,
				`{"note":"`+b.one.word+`","org":"`+b.one.lender.word+`"}`)
		}},
		{"500", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusInternalServerError), http.StatusInternalServerError,
				`{"code":"internal","status":500}`)
		}, "no-internal-error", "internal"},
		{"a refusal in another form", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusNotFound), http.StatusNotFound, `not found`)
		}, "problem-form", "not found"},
		{"a refusal that was not expected", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusNotFound, `{"code":"not_found","status":404}`)
		}, "only-expected-answers", "not_found"},
		{"503 for no reason", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusServiceUnavailable,
				`{"code":"unavailable","status":503}`)
		}, "available-without-fault", "unavailable"},
		{"a quota that is not small", func(b *bench) {
			b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusTooManyRequests,
				`{"code":"quota_exceeded","status":429}`)
		}, "available-without-fault", "quota_exceeded"},
		{name: "a quota that is raced", history: func(b *bench) {
			b.one.small = true
			b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusTooManyRequests,
				`{"code":"quota_exceeded","status":429}`)
		}},
		{"no answer for no reason", func(b *bench) {
			r := b.post("/v1/decisions", http.StatusOK)
			b.m.lost(r, b.tick(), b.tick(), http.ErrServerClosed)
		}, "always-answered", "Server closed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			if test.history(b); test.promise == "" {
				b.holds()
			} else {
				b.broken(test.promise, test.of)
			}
		})
	}
}

func TestFaultsExcuse(t *testing.T) {
	t.Parallel()
	const refusal = `{"code":"unavailable","status":503}`
	b := newBench(t)
	b.m.faults.mark("network", true, b.tick())
	if b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusServiceUnavailable, refusal) != unknown {
		t.Error("a refusal leaves no question")
	}
	b.m.faults.mark("network", false, b.tick())
	b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusServiceUnavailable, refusal)
	b.holds()
	b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusOK, `{}`)
	if got := b.m.count; got.LongestRecovery != 4*time.Second || got.LateRefusal != 1 ||
		got.LastRefusal != time.Second {
		t.Errorf("recovery %s, %d late refusals, the last after %s",
			got.LongestRecovery, got.LateRefusal, got.LastRefusal)
	}
	b.clock = b.clock.Add(grace)
	b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusServiceUnavailable, refusal)
	b.broken("available-without-fault", "unavailable")
}

// TestFaultOfOneLender checks that a fault of one lender excuses only that
// lender's refusals, and that the durations of the other lenders' requests are
// recorded.
func TestFaultOfOneLender(t *testing.T) {
	t.Parallel()
	const refusal = `{"code":"unavailable","status":503}`
	b := newBench(t)
	own := b.post("/v1/decisions", http.StatusOK)
	b.m.faults.markOf("scope locked", own.lender(), true, b.tick())
	b.tell(own, http.StatusServiceUnavailable, refusal)
	b.holds()
	if len(b.m.beside) != 0 {
		t.Errorf("noted %v", b.m.beside)
	}
	b.m.faults.markOf("scope locked", own.lender(), false, b.tick())
	b.clock = b.clock.Add(grace)
	b.m.faults.markOf("scope locked", &lender{}, true, b.tick())
	b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusOK, `{}`)
	if len(b.m.beside) != 1 {
		t.Errorf("noted %v", b.m.beside)
	}
	b.tell(b.post("/v1/decisions", http.StatusOK), http.StatusServiceUnavailable, refusal)
	b.broken("available-without-fault", "unavailable")
}

func TestRefusalSaysWhen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.m.faults.mark("network", true, b.tick())
	header := http.Header{"Content-Type": {"application/problem+json"}}
	b.m.take(b.post("/v1/decisions"), answer{
		status: http.StatusServiceUnavailable,
		header: header,
		body:   []byte(`{"code":"x","status":503}`),
		began:  b.clock,
		ended:  b.clock,
	})
	b.broken("refusal-says-when", "503 x")
}

func TestOpenRequestsAreHandedOverOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.post("/v1/decisions", http.StatusOK)
	b.m.leave(r) // it was never sent, so its outcome is known
	b.m.send(r, b.tick())
	b.m.leave(r)
	b.m.leave(r)
	if open := b.m.takeOpen(); len(open) != 1 || len(b.m.takeOpen()) != 0 {
		t.Errorf("%d are open", len(open))
	}
}

// violated reports whether a guarantee was violated.
func (b *bench) violated(promise string) bool {
	for _, err := range b.m.violations {
		if strings.HasPrefix(err.Error(), promise+": ") {
			return true
		}
	}
	return false
}

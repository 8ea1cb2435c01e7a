package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// request is something that is asked of the service, perhaps more than once.
type request struct {
	scope       *scope // whose it is; nil of a stranger
	key         string // of the caller; "" of a stranger
	method      string
	path        string
	once        string // the Idempotency-Key
	contentType string
	cookie      string // the session, of a page of the console
	body        []byte
	want        []int // what it may be answered with besides refusals that a fault excuses
	page        bool  // of the console: HTML, and redirects
	writes      bool  // it changes something, so that no answer leaves a question
	patience    int   // how often it is sent again at once when there is no answer
	unsettling  bool  // it cannot be sent again later: what became of it is not asked

	// learn is what the model makes of the first success.
	learn func(m *model, a answer)

	began, ended time.Time // the first time it was sent, and when it was first answered
	done         bool      // it was answered for good
	waiting      bool      // it is among the open ones
	status       int
	sum          [sha256.Size]byte
}

func (r *request) String() string {
	who := "a stranger"
	if r.scope != nil {
		who = r.scope.String()
	}
	return r.method + " " + r.path + " of " + who
}

// lender is whose it is; nil of a stranger.
func (r *request) lender() *lender {
	if r.scope == nil {
		return nil
	}
	return r.scope.lender
}

// decides tells whether it asks for a decision.
func (r *request) decides() bool {
	return r.method == http.MethodPost && (r.path == "/v1/decisions" || r.path == "/v1/evaluate")
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
	began  time.Time // of this sending
	ended  time.Time
}

func (a answer) good() bool { return a.status >= 200 && a.status < 400 }

// read decodes the body; what cannot be read leaves v as it is.
func (a answer) read(v any) bool { return json.Unmarshal(a.body, v) == nil }

// outcome is what a sending came to.
type outcome int

const (
	settled outcome = iota // it is answered for good
	busy                   // another one with the same key is under way
	unknown                // it may have been done or not
)

// send notes that a request goes out now.
func (m *model) send(r *request, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count.Requests++
	if r.began.IsZero() {
		r.began = now
	}
}

// lost notes that a sending had no answer.
func (m *model) lost(r *request, began, ended time.Time, err error) outcome {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count.Unanswered++
	if late, excused := m.faults.excuse(r.lender(), began, ended); !excused {
		m.violate("always-answered", "%s had no answer in a healthy world: %v", r, err)
	} else {
		m.lateRefusal(late)
	}
	return unknown
}

func (m *model) lateRefusal(late time.Duration) {
	if late > 0 {
		m.count.LateRefusal++
		m.count.LastRefusal = max(m.count.LastRefusal, late)
	}
}

// take holds an answer against everything that was promised of it, and learns
// from it.
func (m *model) take(r *request, a answer) outcome {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.foreignWords(r, a)
	if a.good() {
		return m.success(r, a)
	}
	code := m.problem(r, a)
	switch {
	case code == "idempotency_in_progress":
		return busy
	case a.status == http.StatusServiceUnavailable:
		m.count.Refused503++
		m.refused(r, a, code)
		return unknown
	case a.status == http.StatusTooManyRequests:
		m.count.Refused429++
		if code != "quota_exceeded" || r.scope == nil || !r.scope.small {
			m.refused(r, a, code)
			return unknown
		}
		r.scope.usedUp = true
	case slices.Contains(r.want, a.status):
		m.count.Refused4xx++
	default:
		m.violate("only-expected-answers", "%s: %d %s", r, a.status, short(a.body))
	}
	m.settle(r, a)
	return settled
}

// refused holds a refusal for want of something against the faults there were.
func (m *model) refused(r *request, a answer, code string) {
	if a.header.Get("Retry-After") == "" {
		m.violate("refusal-says-when", "%s: %d %s without Retry-After", r, a.status, code)
	}
	if late, excused := m.faults.excuse(r.lender(), a.began, a.ended); !excused {
		m.violate("available-without-fault", "%s: %d %s", r, a.status, short(a.body))
	} else {
		m.lateRefusal(late)
	}
}

// success is an answer as it was hoped for.
func (m *model) success(r *request, a answer) outcome {
	m.count.Answered++
	if r.decides() && m.faults.beside(r.lender(), a.began) {
		m.beside = append(m.beside, a.ended.Sub(a.began))
	}
	if a.header.Get("Idempotent-Replayed") == "true" {
		m.count.Replayed++
	}
	if !slices.Contains(r.want, a.status) {
		m.violate("only-expected-answers", "%s: %d %s", r, a.status, short(a.body))
	}
	if r.writes {
		if took, kind := m.faults.recovered(a.ended); took > m.count.LongestRecovery {
			m.count.LongestRecovery, m.count.SlowestAfter = took, kind
		}
	}
	sum := sha256.Sum256(a.body)
	if r.done && r.once != "" && (r.status != a.status || r.sum != sum) {
		m.violate("retry-same-bytes", "%s with the Idempotency-Key %s was %d and is %d with another body", r, r.once, r.status, a.status)
	}
	first := !r.done
	m.settle(r, a)
	if first && r.learn != nil {
		r.learn(m, a)
	}
	return settled
}

func (m *model) settle(r *request, a answer) {
	if !r.done {
		r.done, r.ended, r.status, r.sum = true, a.ended, a.status, sha256.Sum256(a.body)
	}
}

// leave puts a request that may or may not have been done among the open ones.
func (m *model) leave(r *request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.writes && !r.unsettling && !r.waiting && !r.done && !r.began.IsZero() {
		r.waiting = true
		m.open = append(m.open, r)
	}
}

// takeOpen hands the open requests over.
func (m *model) takeOpen() []*request {
	m.mu.Lock()
	defer m.mu.Unlock()
	open := m.open
	m.open = nil
	for _, r := range open {
		r.waiting = false
	}
	return slices.DeleteFunc(open, func(r *request) bool { return r.done })
}

// foreignWords looks for what was planted elsewhere: not a byte of another
// tenant, nor of the other environment, may be in any answer.
func (m *model) foreignWords(r *request, a answer) {
	var own []string
	if r.scope != nil {
		own = []string{r.scope.word, r.scope.lender.word}
	}
	if word, found := strange(a.body, own...); found {
		m.violate("no-foreign-byte", "%s was told the word %s of %s: %s", r, word, m.whose(word), around(a.body, word))
	}
}

// whose is who planted a word.
func (m *model) whose(word string) string {
	for _, s := range m.scopes {
		if s.word == word || s.lender.word == word {
			return s.String()
		}
	}
	return "nobody known"
}

// problem holds a refusal against the form that all of them have, and gives
// its code.
func (m *model) problem(r *request, a answer) string {
	if a.status >= 500 && a.status != http.StatusServiceUnavailable {
		m.violate("no-internal-error", "%s: %d %s", r, a.status, short(a.body))
	}
	if r.page || r.path == healthPath && a.status == http.StatusServiceUnavailable {
		return "" // the one is a page, the other tells of its checks
	}
	var told struct {
		Code   string `json:"code"`
		Status int    `json:"status"`
	}
	if a.header.Get("Content-Type") != "application/problem+json" || !a.read(&told) || told.Code == "" || told.Status != a.status {
		m.violate("problem-form", "%s: %d %s %s", r, a.status, a.header.Get("Content-Type"), short(a.body))
	}
	return told.Code
}

const healthPath = "/v1/health"

// short is the beginning of a body, for a message.
func short(body []byte) []byte { return body[:min(len(body), 300)] }

// around is where a word stands.
func around(body []byte, word string) []byte {
	at := bytes.Index(body, []byte(word))
	return body[max(0, at-80):min(len(body), at+len(word)+20)]
}

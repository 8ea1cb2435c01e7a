package torture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

// request is a request to the service, which may be sent more than once.
type request struct {
	scope       *scope // the owner; nil for a request without a tenant
	key         string // API key of the caller; "" for none
	method      string
	path        string
	once        string // Idempotency-Key
	contentType string
	prefer      string // header Prefer
	cookie      string // session cookie, for a page of the console
	body        []byte
	want        []int // the allowed statuses; refusals that a fault excuses are allowed too
	page        bool  // whether the answer is a page of the console: HTML or a redirect
	writes      bool  // the request changes data, so without an answer its outcome is unknown
	patience    int   // number of retries while there is no final answer
	unsettling  bool  // the request cannot be repeated later, and its outcome is ignored

	// learn updates the model with the first successful answer.
	learn func(m *model, a answer)
	// decline updates the model with the first refusal that want permits; nil if there is nothing to learn.
	decline func(m *model, a answer)

	began, ended time.Time // when the request was first sent, and when it was first answered
	done         bool      // the request has its final answer
	waiting      bool      // the request is in the list of open requests
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

// lender returns the lender of the request, or nil if the request has no
// tenant.
func (r *request) lender() *lender {
	if r.scope == nil {
		return nil
	}
	return r.scope.lender
}

// decides reports whether the request asks for a decision or an evaluation.
func (r *request) decides() bool {
	return r.method == http.MethodPost && (r.path == "/v1/decisions" || r.path == "/v1/evaluate")
}

// answer is an answer of the service.
type answer struct {
	status int
	header http.Header
	body   []byte
	began  time.Time // when this attempt was sent
	ended  time.Time
}

func (a answer) good() bool { return a.status >= 200 && a.status < 400 }

// read decodes the body into v and reports whether it succeeded.
func (a answer) read(v any) bool { return json.Unmarshal(a.body, v) == nil }

// outcome is the outcome of an attempt.
type outcome int

const (
	settled outcome = iota // the request has its final answer
	busy                   // another request with the same key is in progress
	unknown                // the request may or may not have been executed
)

// send records that a request is sent now.
func (m *model) send(r *request, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count.Requests++
	if r.began.IsZero() {
		r.began = now
	}
}

// lost records that an attempt had no answer.
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

// take checks an answer against all guarantees and updates the model.
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
		if r.decline != nil && !r.done {
			r.decline(m, a)
		}
	default:
		m.violate("only-expected-answers", "%s: %d %s", r, a.status, short(a.body))
	}
	m.settle(r, a)
	return settled
}

// refused checks that a refusal has a Retry-After header, and that a fault excuses the refusal.
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

// success processes an answer with a status below 400. It records a violation if the
// request does not expect that status.
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
		m.violate("retry-same-bytes", "%s with the Idempotency-Key %s was %d and is %d with another body",
			r, r.once, r.status, a.status)
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

// leave adds a request whose outcome is unknown to the open requests. It ignores a
// request that changes no data, was never sent or cannot be repeated.
func (m *model) leave(r *request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.writes && !r.unsettling && !r.waiting && !r.done && !r.began.IsZero() {
		r.waiting = true
		m.open = append(m.open, r)
	}
}

// takeOpen returns the open requests and clears the list.
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

// foreignWords checks that an answer contains no planted word of another tenant
// or of the other environment.
func (m *model) foreignWords(r *request, a answer) {
	var own []string
	if r.scope != nil {
		own = []string{r.scope.word, r.scope.lender.word}
	}
	if word, found := strange(a.body, own...); found {
		m.violate("no-foreign-byte", "%s was told the word %s of %s: %s", r, word, m.whose(word), around(a.body, word))
	}
}

// whose returns the name of the scope in which a word was planted.
func (m *model) whose(word string) string {
	for _, s := range m.scopes {
		if s.word == word || s.lender.word == word {
			return s.String()
		}
	}
	return "nobody known"
}

// problem checks the format of a refusal and returns its code.
func (m *model) problem(r *request, a answer) string {
	if a.status >= 500 && a.status != http.StatusServiceUnavailable {
		m.violate("no-internal-error", "%s: %d %s", r, a.status, short(a.body))
	}
	if r.page || r.path == healthPath && a.status == http.StatusServiceUnavailable {
		return "" // a page, or the answer of a health check
	}
	var told struct {
		Code   string `json:"code"`
		Status int    `json:"status"`
	}
	if a.header.Get("Content-Type") != "application/problem+json" || !a.read(&told) || told.Code == "" ||
		told.Status != a.status {
		m.violate("problem-form", "%s: %d %s %s", r, a.status, a.header.Get("Content-Type"), short(a.body))
	}
	return told.Code
}

const healthPath = "/v1/health"

// short returns the beginning of a body, for a message.
func short(body []byte) []byte { return body[:min(len(body), 300)] }

// around returns the part of a body around a word.
func around(body []byte, word string) []byte {
	at := bytes.Index(body, []byte(word))
	return body[max(0, at-80):min(len(body), at+len(word)+20)]
}

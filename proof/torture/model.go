package torture

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
)

// model is what the clients know: what they sent, what they were told, and
// what must therefore hold. It is an independent statement of the promises and
// knows nothing of how the service keeps them.
type model struct {
	mu     sync.Mutex
	scopes []*scope
	hashes map[hashKey]string // of decisions, by what they were made from
	open   []*request         // requests that change something and have no answer yet
	faults faults
	count  Figures
	beside []time.Duration // what decisions took while another lender had a fault of its own

	violations []error
	hidden     int // violations beyond those that are kept
}

func newModel() *model { return &model{hashes: map[hashKey]string{}} }

// hashKey is what a decision's hash is a function of: the profile that was
// sent, and the document of the policy.
type hashKey struct{ profile, checksum string }

// scope is one environment of one tenant, as its owner knows it.
type scope struct {
	lender *lender
	env    string
	word   string // planted in every text that is sent here
	key    string // may do everything
	small  bool   // its quota is raced
	usedUp bool   // and somebody was told that it is used up

	decisions   map[string]*decided
	runs        map[string]kept
	backtests   map[string]kept
	reviews     map[string][]string // ids, by decision
	ruleSets    map[string]string   // checksums, by id
	activations []*request
	alerts      map[string]*alert
	accounts    map[string]*account
	revoked     []string         // keys
	billed      map[string]int64 // units, by endpoint
	periods     map[string]int64 // what usage was last seen to be, by month
	deeds       map[deed]struct{}

	unseen looked
	passed looked // has been checked once and is only looked at again by CheckAll
	brief  bool   // a tenant of one story: it is checked once
}

// looked is which decisions and deeds a check has seen.
type looked struct {
	decisions map[string]struct{}
	deeds     map[deed]struct{}
	others    map[string]struct{} // runs, backtests, rule sets, alerts
}

func newLooked() looked {
	return looked{map[string]struct{}{}, map[deed]struct{}{}, map[string]struct{}{}}
}

// lender is one tenant.
type lender struct {
	id, email, password string
	word                string
	browser             *browser
}

// decided is a decision that was answered.
type decided struct {
	id, hash string
	body     kept // of size 0 when it was told of inside something else
	alerts   []string
}

// kept is an answer that a later reading must begin with: the bytes without
// the closing brace, since a reading may add members.
type kept struct {
	size int
	sum  [sha256.Size]byte
}

func keep(body []byte) kept {
	if len(body) == 0 {
		return kept{}
	}
	size := len(body) - 1
	return kept{size, sha256.Sum256(body[:size])}
}

// begins tells whether body begins with what was kept.
func (k kept) begins(body []byte) bool {
	return len(body) > k.size && sha256.Sum256(body[:k.size]) == k.sum
}

// deed is something that the audit trail must tell of.
type deed struct{ action, object string }

// alert is a fraud alert and the steps that were asked for.
type alert struct {
	id    string
	steps []*step
}

// step is one movement of an alert; its note is like no other.
type step struct {
	to, resolution, note string
	taken                bool // the answer said that it was this step that did it
}

// account is a beneficiary account that applicants share: who was sent with
// it, and when.
type account struct{ seen []sighting }

type sighting struct {
	applicant string
	request   *request
}

func newScope(l *lender, env, word, key string) *scope {
	return &scope{
		lender: l, env: env, word: word, key: key,
		decisions: map[string]*decided{}, runs: map[string]kept{}, backtests: map[string]kept{},
		reviews: map[string][]string{}, ruleSets: map[string]string{}, alerts: map[string]*alert{},
		accounts: map[string]*account{}, billed: map[string]int64{}, periods: map[string]int64{},
		deeds: map[deed]struct{}{}, unseen: newLooked(), passed: newLooked(),
	}
}

func (s *scope) String() string { return s.lender.email + " in " + s.env }

// bill counts what an answer costs.
func (s *scope) bill(endpoint string, units int64) { s.billed[endpoint] += units }

func (s *scope) totalBilled() int64 {
	var sum int64
	for _, units := range s.billed {
		sum += units
	}
	return sum
}

// did notes something that must be in the audit trail.
func (s *scope) did(action, object string) {
	d := deed{action, object}
	s.deeds[d], s.unseen.deeds[d] = struct{}{}, struct{}{}
}

func (s *scope) addDecision(d *decided) {
	s.decisions[d.id], s.unseen.decisions[d.id] = d, struct{}{}
	s.did("decision.created", d.id)
}

func (s *scope) alert(id string) *alert {
	a := s.alerts[id]
	if a == nil {
		a = &alert{id: id}
		s.alerts[id] = a
	}
	s.unseen.others[id] = struct{}{}
	return a
}

// keptViolations is how many violations are told in full.
const keptViolations = 50

// violate notes that a promise was broken. The name is that of the promise.
// The lock must be held.
func (m *model) violate(promise, format string, args ...any) {
	m.count.Bad++
	if len(m.violations) >= keptViolations {
		m.hidden++
		return
	}
	m.violations = append(m.violations, fmt.Errorf("%s: %s", promise, fmt.Sprintf(format, args...)))
}

// verdict is every violation so far.
func (m *model) verdict() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := errors.Join(m.violations...)
	if m.hidden > 0 {
		all = errors.Join(all, fmt.Errorf("and %d more", m.hidden))
	}
	return all
}

// sameHash holds a decision against others of the same facts under the same
// policy, on whatever node and at whatever time.
func (m *model) sameHash(profile, checksum, hash string) {
	if profile == "" {
		return
	}
	key := hashKey{profile, checksum}
	switch before, known := m.hashes[key]; {
	case hash == "" || checksum == "":
		m.violate("hash-stable", "a decision of %s has no hash or no policy", profile)
	case !known:
		m.hashes[key] = hash
	case before != hash:
		m.violate("hash-stable", "%s under %s was %s and is %s", profile, checksum, before, hash)
	}
}

// Figures are what happened.
type Figures struct {
	Requests    int64 // sent, repetitions included
	Answered    int64 // with success
	Refused503  int64
	Refused429  int64 // by a rate or a quota
	Refused4xx  int64 // other refusals, all of them expected
	Unanswered  int64 // the connection broke or time ran out
	Retried     int64 // sent again with the same Idempotency-Key after no answer
	Duplicates  int64 // sent twice at the same moment on purpose
	Replayed    int64 // answered from memory
	LateRefusal int64 // refused after a fault had ended, within the grace
	Checked     int64 // things that were read back
	Bad         int64 // violations

	LongestRecovery time.Duration // from the end of a fault to the next success
	SlowestAfter    string        // the kind of that fault
	Beside          time.Duration // the slowest of 99 in 100 decisions beside another lender's fault
	LastRefusal     time.Duration // the longest that a refusal came after the end of a fault
}

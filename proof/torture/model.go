package torture

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
)

// model holds the requests of the clients and the answers of the service, and
// checks what must therefore be true. It states the guarantees independently of
// how the service implements them.
type model struct {
	mu     sync.Mutex
	scopes []*scope
	hashes map[hashKey]string // hashes of decisions, by input
	open   []*request         // requests that change data and have no answer yet
	faults faults
	count  Figures
	beside []time.Duration // durations of decisions while another lender had a fault

	violations []error
	hidden     int // violations beyond keptViolations
}

func newModel() *model { return &model{hashes: map[hashKey]string{}} }

// hashKey identifies the input of a decision's hash: the profile that was sent
// and the checksum of the policy.
type hashKey struct{ profile, checksum string }

// scope holds the data that the clients have about one environment of one
// tenant.
type scope struct {
	lender *lender
	env    string
	word   string // included in every text that is sent in this scope
	key    string // a key with all scopes
	small  bool   // whether the tenant has the small quota
	usedUp bool   // whether a request was refused because the quota is used up

	decisions   map[string]*decided
	runs        map[string]kept
	backtests   map[string]kept
	reviews     map[string][]string // ids of reviews, by decision
	erasures    map[string]struct{} // ids of completed erasures
	batches     map[string]*batch
	ruleSets    map[string]string // checksums of rule sets, by id
	activations []*request
	alerts      map[string]*alert
	accounts    map[string]*account
	revoked     []string         // revoked keys
	billed      map[string]int64 // billed units, by endpoint
	periods     map[string]int64 // the usage that was last read, by month
	deeds       map[deed]struct{}

	history history

	unseen looked
	passed looked // items that passed a check; only a check of everything reads them again
	brief  bool   // whether only one story uses the tenant; see due
}

// looked is a set of decisions, deeds and other objects. Each scope has two such sets:
// unseen for objects that were not checked yet, and passed for objects that passed a
// check.
type looked struct {
	decisions map[string]struct{}
	deeds     map[deed]struct{}
	others    map[string]struct{} // ids of runs, backtests, batches, rule sets and alerts
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

// decided is a decision that an answer of the service contained.
type decided struct {
	id, hash string
	body     kept // size 0 if the decision was part of another answer
	alerts   []string
	erased   string // the reference of the applicant if the applicant was erased
	released string // the reference of the applicant if the service may erase the applicant at any time
}

// kept holds the length and the hash of an answer. A later read of the resource
// must begin with the same bytes, except for the closing brace, because a read
// may add members.
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

// begins reports whether body begins with the kept bytes.
func (k kept) begins(body []byte) bool {
	return len(body) > k.size && sha256.Sum256(body[:k.size]) == k.sum
}

// deed is an action that must be in the audit trail.
type deed struct{ action, object string }

// alert is a fraud alert with the steps that were requested.
type alert struct {
	id    string
	steps []*step
}

// step is one change of an alert. Its note is unique.
type step struct {
	to, resolution, note string
	taken                bool // whether the answer showed that this step made the change
}

// account is a beneficiary account that applicants share. seen records which
// applicants were sent with the account, and when.
type account struct{ seen []sighting }

type sighting struct {
	applicant string
	request   *request
}

func newScope(l *lender, env, word, key string) *scope {
	return &scope{
		lender: l, env: env, word: word, key: key,
		decisions: map[string]*decided{}, runs: map[string]kept{}, backtests: map[string]kept{},
		reviews: map[string][]string{}, erasures: map[string]struct{}{}, batches: map[string]*batch{},
		ruleSets: map[string]string{}, alerts: map[string]*alert{},
		accounts: map[string]*account{}, billed: map[string]int64{}, periods: map[string]int64{},
		deeds: map[deed]struct{}{}, history: newHistory(), unseen: newLooked(), passed: newLooked(),
	}
}

func (s *scope) String() string { return s.lender.email + " in " + s.env }

// bill adds units to the billed usage of an endpoint.
func (s *scope) bill(endpoint string, units int64) { s.billed[endpoint] += units }

func (s *scope) totalBilled() int64 {
	var sum int64
	for _, units := range s.billed {
		sum += units
	}
	return sum
}

// did adds an action to the actions that must be in the audit trail.
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

// keptViolations is the number of violations that are reported in full.
const keptViolations = 50

// violate records a violation of the named guarantee. The caller holds the
// lock.
func (m *model) violate(promise, format string, args ...any) {
	m.count.Bad++
	if len(m.violations) >= keptViolations {
		m.hidden++
		return
	}
	m.violations = append(m.violations, fmt.Errorf("%s: %s", promise, fmt.Sprintf(format, args...)))
}

// verdict returns all violations so far.
func (m *model) verdict() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := errors.Join(m.violations...)
	if m.hidden > 0 {
		all = errors.Join(all, fmt.Errorf("and %d more", m.hidden))
	}
	return all
}

// sameHash checks that decisions of the same facts under the same policy have
// the same hash, on any node and at any time.
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

// Figures holds counts of a run.
type Figures struct {
	Requests    int64 // requests sent, including repetitions
	Answered    int64 // requests answered with success
	Refused503  int64
	Refused429  int64 // requests refused with 429, because of a rate limit or a quota
	Refused4xx  int64 // other refusals, all of which are expected
	Unanswered  int64 // requests without an answer: the connection was lost or the request timed out
	Retried     int64 // repetitions of requests that had no final answer
	Duplicates  int64 // requests deliberately sent twice concurrently
	Replayed    int64 // requests answered with a stored answer
	LateRefusal int64 // requests refused or lost after the end of a fault, within the grace period
	Checked     int64 // answers that the checks have read
	Batches     int64 // batches that were accepted as jobs
	BatchRows   int64 // rows of batches that were found to be decided
	Checkpoints int64 // signed checkpoints that were read during the faults and compared with the log
	Bad         int64 // violations

	LongestRecovery time.Duration // the longest time from the end of a fault to the next successful write
	SlowestAfter    string        // kind of the fault with the longest recovery
	Beside          time.Duration // the 99th percentile of decisions during another lender's fault
	BesidePaused    time.Duration // the 90th percentile of decisions while another node was paused
	LastRefusal     time.Duration // the longest time from the end of a fault to a refused or lost request
}

package decisioning

import (
	"context"
	"slices"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/field"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// fraudCase has the identifiers of the people of an application and the assessment of their counts.
type fraudCase struct {
	config   signal.FraudConfig
	people   []fraudPerson // the primary applicant first
	together string        // a keyed hash of the references of the counted people; "" if they are fewer than two
	found    signal.Fraud
	derived  []string // names of the derived facts; the next assessment removes them
}

// fraudPerson is a person whose identifiers the request has.
type fraudPerson struct {
	role        string // "" for the primary applicant
	observation signal.Observation
	repeated    []signal.Entity // entities of the person that are part of another person's observation
	alias       string          // the name of the person in the counters after an erasure
	member      string          // the name under which the person was counted
	blocked     []string        // kinds of the person's entities on the block list; nil if the person is counted
}

// newFraudCase reads the identifiers of the request and assesses them without counts.
func (s *Service) newFraudCase(
	ctx context.Context, p tenant.Principal, c *creditCase, settings *frauddesk.Settings,
) error {
	key, err := s.core.Keyed(ctx, operation.ScopeOf(p))
	if err != nil {
		return err
	}
	c.fraud = &fraudCase{
		config: settings.Config.Fraud,
		people: []fraudPerson{{observation: signal.Observe(c.app.Facts, key)}},
	}
	c.fraud.addOthers(c.app.Others, key)
	for i := range c.fraud.people {
		person := &c.fraud.people[i]
		if ref := person.observation.ApplicantRef; ref != "" {
			person.alias = key(ErasedMember, ref)
		}
	}
	c.assess(nil)
	return nil
}

// addOthers adds the people other than the primary applicant whose identifiers the request has. The order of the
// entries in the request has no effect.
func (f *fraudCase) addOthers(others []application.Other, key func(kind, value string) string) {
	others = slices.SortedFunc(slices.Values(others), func(a, b application.Other) int {
		return strings.Compare(a.Role, b.Role)
	})
	for _, other := range others {
		if other.Fraud == nil {
			continue
		}
		o, repeated := signal.ObserveOther(other.Fraud, other.Ref, f.observations(-1), key)
		f.people = append(f.people, fraudPerson{role: other.Role, observation: o, repeated: repeated})
	}
	var refs []string
	for i := range f.people {
		if ref := f.people[i].observation.ApplicantRef; ref != "" {
			refs = append(refs, ref)
		}
	}
	if len(refs) > 1 {
		slices.Sort(refs)
		f.together = key(appliedTogether, strings.Join(refs, "\x00"))
	}
}

// appliedTogether is the kind of the keyed hash that identifies people who apply together by their references.
const appliedTogether = "people of an application"

// observations returns the observations of all people except the person at the index "except". If this index is -1,
// it returns all observations.
func (f *fraudCase) observations(except int) (list []signal.Observation) {
	for i := range f.people {
		if i != except {
			list = append(list, f.people[i].observation)
		}
	}
	return list
}

// ErasedMember is the kind of the keyed hash that replaces an erased applicant in the fraud counters.
const ErasedMember = "erased applicant"

// counted reports whether at least one person of the application is counted. A person is counted if the request has
// the person's identifiers and reference.
func (c *creditCase) counted() bool {
	return c.fraud != nil && slices.ContainsFunc(c.fraud.people, func(p fraudPerson) bool {
		return p.observation.Counted()
	})
}

// assess evaluates the fraud signals with the counts of the people who are counted, and sets the derived facts. If it
// is called again with other counts, the new facts replace the old ones. If counts is nil, all counts are unknown.
func (c *creditCase) assess(counts []signal.Counts) {
	f := c.fraud
	for _, name := range f.derived {
		c.app.Facts.Set(name, rule.Value{})
	}
	f.derived = f.derived[:0]
	add := func(name string, v rule.Value) {
		c.app.Facts.Set(name, v)
		f.derived = append(f.derived, name)
	}
	var others []signal.PersonFraud
	var before []signal.Fraud
	for i := range f.people {
		person := &f.people[i]
		n := signal.Counts{Blocklisted: person.blocked}
		if person.observation.Counted() && len(counts) > 0 {
			n, counts = counts[0], counts[1:]
		}
		found := signal.Assess(person.observation, n, f.config)
		before = append(before, found)
		if person.role == "" {
			f.found = found
			continue
		}
		other := signal.PersonFraud{Role: person.role, Fraud: found}
		other.IncludeRepeated(person.repeated, before)
		other.AddShared(person.observation.SharedWith(f.observations(i)))
		other.Derive(func(name string, v rule.Value) { add(field.OfRole(person.role, name), v) })
		others = append(others, other)
	}
	f.found.Include(others)
	f.found.Device, f.found.Location = c.app.Device, c.app.Location
	f.found.Derive(add)
}

// observed returns the observations of the people who are counted. erased says whether somebody of the scope was
// erased. In that case the counters may contain a person under the alias.
func (f *fraudCase) observed(decisionID string, now time.Time, erased bool) store.Joint {
	joint := store.Joint{Key: f.together}
	for i := range f.people {
		if person := &f.people[i]; person.observation.Counted() {
			joint.People = append(joint.People, store.JointPerson{
				Observation: person.observed(decisionID, now, erased),
				Windows:     f.windows(person.observation),
			})
		}
	}
	return joint
}

func (p *fraudPerson) observed(decisionID string, now time.Time, erased bool) store.Observation {
	o := store.Observation{ApplicantRef: p.observation.ApplicantRef, DecisionID: decisionID, NowMicros: now.UnixMicro()}
	if erased {
		o.Alias = p.alias
	}
	for _, e := range p.observation.Entities {
		o.Entities = append(o.Entities, store.ObservedEntity(e))
	}
	return o
}

// windows returns how far back each kind of entity is counted, and how far back it
// connects people into a ring.
func (f *fraudCase) windows(o signal.Observation) store.Windows {
	hours := func(n int64) int64 { return n * time.Hour.Microseconds() }
	days := func(n int64) int64 { return hours(24 * n) }
	ties := f.config.Ties(o)
	for kind, n := range ties {
		ties[kind] = days(n)
	}
	return store.Windows{
		Micros: map[string]int64{
			signal.KindPincode:            hours(f.config.PincodeSpike.WindowHours),
			signal.KindIP:                 hours(f.config.IPCluster.WindowHours),
			signal.KindAgent:              hours(f.config.AgentAnomaly.WindowHours),
			signal.KindBeneficiaryAccount: days(f.config.BeneficiaryReuse.WindowDays),
			signal.KindDevice:             days(f.config.DeviceReuse.WindowDays),
			signal.KindMobile:             days(f.config.MobileReuse.WindowDays),
			signal.KindEmail:              days(f.config.EmailReuse.WindowDays),
		},
		Ties:         ties,
		Parties:      partyKinds,
		BaselineDays: f.config.PincodeSpike.BaselineDays,
	}
}

// partyKinds are the kinds for which people who applied together count as one.
var partyKinds = func() map[string]bool {
	kinds := map[string]bool{}
	for _, kind := range signal.PartyKinds() {
		kinds[kind] = true
	}
	return kinds
}()

func countsOf(list []store.ObservedCounts) (counts []signal.Counts) {
	for i := range list {
		counts = append(counts, countOf(&list[i]))
	}
	return counts
}

func countOf(n *store.ObservedCounts) signal.Counts {
	return signal.Counts{
		PincodeApplicants:     n.Applicants[signal.KindPincode],
		IPApplicants:          n.Applicants[signal.KindIP],
		BeneficiaryApplicants: n.Applicants[signal.KindBeneficiaryAccount],
		AgentApplicants:       n.Applicants[signal.KindAgent],
		AgentPincodes:         n.AgentPincodes,
		DeviceApplicants:      n.Applicants[signal.KindDevice],
		MobileApplicants:      n.Applicants[signal.KindMobile],
		EmailApplicants:       n.Applicants[signal.KindEmail],
		BaselineApplicants:    n.BaselineApplicants,
		BaselineDays:          n.BaselineDays,
		Blocklisted:           n.Blocklisted,
		Muted:                 n.Muted,
		Ring:                  signal.RingCount(n.Ring),
	}
}

// erased reports whether the applicant may have been erased before. It returns true for a case without keys, such as
// a preview, so that the alias is looked up too.
func (c *creditCase) erased(environment string) bool {
	return c.keys == nil || c.keys.Erased(environment)
}

// peek counts without recording the application: a preview or an eligibility check
// records nothing, and an underwriting run records the application only when it stores
// the decision.
func (c *creditCase) peek(ctx context.Context, scope *store.Scope, now time.Time) error {
	if err := c.lookUp(ctx, scope, now); err != nil || !c.counted() {
		return err
	}
	joint := c.fraud.observed("", now, c.erased(scope.Environment()))
	own := *scope // a copy, so that the scope of a request that counts nothing stays on the stack
	counts, err := own.PeekAll(ctx, joint)
	if err != nil {
		return err
	}
	if len(joint.People) > 1 {
		if err := admission.Checkpoint(ctx); err != nil { // wait for the processor slot that the write gave up
			return err
		}
	}
	c.assess(countsOf(counts))
	return nil
}

// lookUp searches the block list for the entities of a primary applicant without a reference, who cannot be counted. It
// skips an applicant who is counted, because counting includes the search.
func (c *creditCase) lookUp(ctx context.Context, scope *store.Scope, now time.Time) error {
	if c.fraud == nil {
		return nil
	}
	primary := &c.fraud.people[0]
	if primary.observation.Counted() || len(primary.observation.Entities) == 0 {
		return nil
	}
	blocked, err := scope.Observations(ctx).Blocked(primary.observed("", now, false))
	if err != nil {
		return err
	}
	primary.blocked = blocked
	c.assess(nil)
	return nil
}

// observe records and counts the people of the application in the transaction of the decision, so that
// the second of two concurrent applications counts the first.
func (c *creditCase) observe(tx *store.Tx) ([]signal.Counts, error) {
	observed, err := tx.Observations().ObserveAll(c.fraud.observed(c.id, c.now, c.erased(tx.Environment())))
	if err != nil {
		return nil, err
	}
	at := 0
	for i := range c.fraud.people {
		if person := &c.fraud.people[i]; person.observation.Counted() {
			person.member = observed[at].Member
			at++
		}
	}
	counts := countsOf(observed)
	c.assess(counts)
	return counts, nil
}

// reassess evaluates the signals with counts other than the observed ones. It keeps the
// alerts that were raised for the observed counts.
func (c *creditCase) reassess(n []signal.Counts) {
	alerts := c.fraud.found.AlertIDs
	c.assess(n)
	c.fraud.found.AlertIDs = alerts
}

// raise opens an alert for each signal that requires one, or adds the people of the application to the
// alert that is already open.
func (s *Service) raise(tx *store.Tx, c *creditCase) error {
	c.fraud.found.AlertIDs = nil
	for _, want := range c.fraud.wantedAlerts() {
		id, _ := s.core.NewID(tenant.KindAlert, c.now)
		want.ID, want.DecisionID, want.NowMicros, want.Actor = id, c.id, c.now.UnixMicro(), operation.ActorSystem
		alert, _, err := tx.Alerts().Raise(want)
		if err != nil {
			return err
		}
		c.fraud.found.AlertIDs = append(c.fraud.found.AlertIDs, alert.ID)
	}
	return nil
}

// wantedAlerts returns the alerts about all people. If two people cause an alert about the same entity, the list has
// one alert with both people.
func (f *fraudCase) wantedAlerts() (list []store.AlertWant) {
	for i := range f.people {
		found := &f.found
		if i > 0 {
			found = &f.found.People[i-1].Fraud
		}
		for _, want := range found.Alerts(f.config) {
			at := slices.IndexFunc(list, func(w store.AlertWant) bool {
				return w.Type == want.Type && w.Entity.Kind == want.Entity.Kind && w.Entity.Key == want.Entity.Key
			})
			if at >= 0 {
				list[at].Also = append(list[at].Also, f.people[i].member)
				continue
			}
			list = append(list, store.AlertWant{
				Type:        want.Type,
				Severity:    want.Severity.String(),
				Entity:      store.ObservedEntity(want.Entity),
				Value:       want.Value,
				Threshold:   want.Threshold,
				WindowHours: want.WindowHours,
				Member:      f.people[i].member,
			})
		}
	}
	return list
}

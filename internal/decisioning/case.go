package decisioning

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/frauddesk"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// creditCase is an application that is being decided, with its feature vector and its
// fraud block.
type creditCase struct {
	endpoint string
	policy   *policydesk.Policy
	app      *application.Application
	vector   *feature.Vector // nil unless features are computed
	hash     string          // the hash of the vector; "" until vectorHash computes it
	fraud    *fraudCase      // nil if the request has no fraud block
	own      *ownCase        // nil if the policy reads no earlier decisions of the lender, or nobody is named
	keys     *journal.Tree   // the keys of the tenant; nil if the case is not stored
	profile  int64           // the version of the lender profile; 0 if there is none, or the case is not stored

	id        string    // the id of the decision; set shortly before the decision is stored
	made, now time.Time // now is the time of the request; made is the time in the id
}

// vectors is a pool, because each vector takes about 28 KB.
var vectors = sync.Pool{New: func() any { return new(feature.Vector) }}

// newCase reads a request with the tenant's settings and the active policy that the
// request names. It computes the features if the request or the policy asks for them.
// It adds to the facts only the features that the policy names, because other features
// cannot affect the decision.
func (s *Service) newCase(
	ctx context.Context, p tenant.Principal, endpoint string, request application.Request, o application.Options,
) (*creditCase, error) {
	return s.caseUnder(ctx, p, endpoint, request, "", o)
}

// caseUnder does the same as newCase, but with the policy of the rule set ruleSetID. If ruleSetID is "", it uses the
// active policy.
func (s *Service) caseUnder(
	ctx context.Context, p tenant.Principal, endpoint string,
	request application.Request, ruleSetID string, o application.Options,
) (*creditCase, error) {
	var settings *frauddesk.Settings
	var err error
	if request.HasSignals() {
		if o.Signals, settings, err = s.fraud.Signals(ctx, p); err != nil {
			return nil, err
		}
	}
	policy, err := s.policyFor(ctx, p, request, ruleSetID, o)
	if err != nil {
		return nil, err
	}
	app, err := request.Read(policy.Options(o))
	if err != nil {
		return nil, err
	}
	if err := admission.CheckpointIfLong(ctx); err != nil { // reading a long statement takes milliseconds
		return nil, err
	}

	c := &creditCase{endpoint: endpoint, policy: policy, app: app}
	if err := c.checkRef(); err != nil {
		return nil, err
	}
	if len(policy.Lookups) > 0 {
		at := s.core.Moment().UnixMicro()
		if err := s.lists.LookUp(ctx, operation.ScopeOf(p), policy.Lookups, app.Facts, at); err != nil {
			return nil, err
		}
	}
	if tables := policy.Plan.Tables(); len(tables) > 0 {
		if err := s.tables.LookUp(ctx, operation.ScopeOf(p), tables, app.Facts); err != nil {
			return nil, err
		}
	}
	c.measure()
	app.WarnBank(policy.Plan.Policy().AbsentBankFigures(app.Facts))
	if app.HasOthers && policy.Plan.LeavesOutIncome(app.Facts) {
		app.Warnings = append(app.Warnings, fault.Item{
			Pointer: "/applicants", Code: fault.CodeNotRead,
			Detail: "the co-applicant's income was not added, because the co-applicant's obligations are not known; " +
				"send foir or a report with the instalments",
		})
	}
	if policy.Plan.UsesOwn() {
		if app.HasUnnamed {
			app.Warnings = append(app.Warnings, fault.Item{
				Pointer: "/applicants", Code: fault.CodePeopleNotCounted,
				Detail: "what the lender decided before is not counted for a person without applicant_ref and id",
			})
		}
		if err := s.newOwnCase(ctx, p, c, request); err != nil {
			return nil, err
		}
	}
	if app.Endpoint == application.Evaluate && request.HasFraud() {
		err = s.newFraudCase(ctx, p, c, settings)
	}
	return c, err
}

// policyFor returns the policy that decides a request. If the policy_key is invalid, it
// also reads the rest of the request, so that the refusal lists all faults.
func (s *Service) policyFor(
	ctx context.Context, p tenant.Principal, request application.Request, ruleSetID string, o application.Options,
) (*policydesk.Policy, error) {
	if ruleSetID != "" {
		return s.ruleSet(ctx, p, ruleSetID)
	}
	key, ok := request.PolicyKey()
	if !ok {
		if _, err := request.Read(o); err != nil {
			return nil, err
		}
		return nil, operation.Invalid("/policy_key", fault.CodeInvalidField, "must be a policy_key")
	}
	return s.desk.ActivePolicy(ctx, p, cmp.Or(key, field.DefaultPolicyKey))
}

// measure computes the feature vector if the request or the policy asks for features.
func (c *creditCase) measure() {
	named := c.policy.Features
	if c.endpoint == EndpointEligibility {
		named = c.policy.Stage1Features // eligibility runs only the Stage 1 rules
	}
	c.app.WarnNotMeasured(named)
	if !c.app.MeasuresFeatures {
		return
	}
	c.vector, _ = vectors.Get().(*feature.Vector) // the pool holds only vectors
	c.app.Measure(c.policy.Catalogue, c.policy.Features, c.vector)
}

// vectorHash returns the hash of the vector. Computing the hash costs more than
// computing the vector, so it is computed only when the vector is stored or shown.
func (c *creditCase) vectorHash() string {
	if c.hash == "" {
		c.hash = c.vector.Hash()
	}
	return c.hash
}

// release returns the vector to the pool.
func (c *creditCase) release() {
	if c.vector != nil {
		vectors.Put(c.vector)
		c.vector = nil
	}
}

// applicantRef returns the caller's reference of the applicant, or "" if the request has none. If the policy reads
// earlier decisions of the lender, the reference in the fraud block takes precedence over applicant.id, because it
// identifies the person. Spaces around these two references are then ignored, as in the fraud counts; otherwise one
// person with two spellings would get two limits. A reference that consists of spaces counts as none, because all
// applicants with such a reference would seem to be one person.
func (c *creditCase) applicantRef() string {
	person := c.app.Facts.Get("fraud.applicant_ref").Text()
	if c.policy.Plan.UsesOwn() {
		return cmp.Or(c.app.ApplicantRef, strings.TrimSpace(person), strings.TrimSpace(c.app.ApplicantID))
	}
	return cmp.Or(c.app.ApplicantRef, unlessBlank(c.app.ApplicantID), unlessBlank(person))
}

// unlessBlank returns s, or "" if s has only spaces.
func unlessBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	return s
}

// checkRef refuses a reference that looks like the replacement of an erased reference. Data under such a reference
// could not be erased, and would be counted with the decisions of the erased person.
func (c *creditCase) checkRef() error {
	for _, other := range c.app.Others {
		if operation.IsReplacement(other.Ref) {
			return replacementRefused(other.Pointer)
		}
	}
	ref := c.applicantRef()
	if !operation.IsReplacement(ref) {
		return nil
	}
	pointer := "/applicant/id"
	switch ref {
	case c.app.ApplicantRef:
		pointer = "/applicant_ref"
	case strings.TrimSpace(c.app.Facts.Get("fraud.applicant_ref").Text()):
		pointer = "/fraud/applicant_ref"
	}
	return replacementRefused(pointer)
}

func replacementRefused(pointer string) error {
	return operation.Invalid(pointer, fault.CodeInvalidField,
		"looks like the replacement of an erased reference; send the reference of the applicant")
}

// storedFacts returns the facts to store with the decision. An identifier of an evaluate request is stored only if
// the policy reads it. A member that is not in the catalogue is stored only if the policy declares it as an input.
// The decision cannot be repeated without the facts that it reads; the service has no reason to store other personal
// data.
func (c *creditCase) storedFacts() []byte {
	c.keepRead()
	return document(c.app.Facts)
}

// splitFacts removes from the facts to store the facts about the other people whom the request names. The facts
// about each of them become a separate document, which is encrypted with that person's key. The facts about a
// person who is not named stay in rest.
func (c *creditCase) splitFacts(stored []byte) (rest []byte, people []store.DecisionPerson) {
	if len(c.app.Others) == 0 {
		return stored, nil
	}
	left := c.app.Facts
	for _, other := range c.app.Others {
		prefix := field.OfRole(other.Role, "")
		theirs := func(name string) bool { return strings.HasPrefix(name, prefix) }
		facts := document(left.Select(theirs))
		people = append(people, store.DecisionPerson{Role: other.Role, Ref: other.Ref, Facts: facts})
		left = left.Select(func(name string) bool { return !theirs(name) })
	}
	slices.SortFunc(people, func(a, b store.DecisionPerson) int { return strings.Compare(a.Role, b.Role) })
	return document(left), people
}

// document returns facts in the form in which they are stored.
func document(f *rule.Facts) []byte {
	w := wire.Writer{Buf: make([]byte, 0, 1<<10)}
	f.Write(&w)
	return w.Buf
}

// keepRead removes the facts that storedFacts must not store. It must be called after
// the decision.
func (c *creditCase) keepRead() {
	c.forget()
	if id, ok := field.Catalogue().Lookup(field.HasCoApplicant); ok && !c.policy.Plan.Reads(id) {
		c.app.Facts.Set(field.HasCoApplicant, rule.Value{})
	}
	c.app.Facts.KeepOthers(func(name string) bool {
		_, declared := c.policy.Inputs[name]
		return declared || c.isAnswer(name)
	})
}

// isAnswer reports whether a fact was looked up in a list or a table, or is the version of a list or a table.
func (c *creditCase) isAnswer(name string) bool {
	for i := range c.policy.Lookups {
		if l := &c.policy.Lookups[i]; name == l.Fact || name == l.Version {
			return true
		}
	}
	tables := c.policy.Plan.Tables()
	for i := range tables {
		if name == rule.TableVersionFact(tables[i].Name) {
			return true
		}
	}
	_, _, column := rule.FindTable(tables, name)
	return column
}

// forget removes from the facts of an evaluate request the identifiers that the policy
// does not read.
func (c *creditCase) forget() {
	if c.app.Endpoint != application.Evaluate {
		return
	}
	for name := range field.Identifying() {
		if id, ok := field.Catalogue().Lookup(name); ok && !c.policy.Plan.Reads(id) {
			c.app.Facts.Set(name, rule.Value{})
		}
	}
}

// warnings returns the warnings about the request, and warnings about inputs that the
// policy names and the request lacks.
func (c *creditCase) warnings(d *engine.Decision) []fault.Item {
	return c.app.WarnAbsent(d.AbsentInputs())
}

// tenurePointer returns the JSON pointer of the tenure in the request if the answer
// warns that the tenure is not available. Otherwise it returns "".
func (c *creditCase) tenurePointer(d *engine.Decision) string {
	if !d.Offer.TenureNotAvailable {
		return ""
	}
	return c.app.TenurePointer()
}

// storedFeatures returns the encoded vector and the history from which it was computed.
// It returns nil if there is no vector.
func (c *creditCase) storedFeatures() *store.Features {
	if c.vector == nil {
		return nil
	}
	return &store.Features{
		AsOf:   c.app.AsOf.String(),
		Hash:   c.vectorHash(),
		Vector: c.vector.Encode(nil),
		Source: report.Archive(c.app.History, c.app.Statement),
	}
}

// featureBlock returns the features block of the answer. It returns nil if the request
// did not ask for features.
func (c *creditCase) featureBlock(d *engine.Decision) *FeatureBlock {
	if c.vector == nil || !c.app.WantsFeatures {
		return nil
	}
	return &FeatureBlock{
		Count:     feature.Count,
		Catalogue: int(c.vector.Catalogue()),
		Populated: c.vector.Populated(),
		Hash:      c.vectorHash(),
		AsOf:      c.app.AsOf.String(),
		Top:       c.top(d),
		Used:      c.policy.Features,
	}
}

// maxContributors is the maximum number of contributors in an answer.
const maxContributors = 10

// top returns the features to show. First come the features that the policy names:
// features in a knockout that hit, then features with the most points earned or lost.
// The rest of the list is filled with the features whose values are the most unusual.
func (c *creditCase) top(d *engine.Decision) []Contributor {
	points, hits := d.PointsByField(), hitFeatures(c.policy, d)
	var list []weighed
	for _, f := range c.policy.Features {
		value, known := c.vector.Get(f.Index)
		if !known {
			continue
		}
		earned, scored := points[f.Name]
		hit := hits[f.Name]
		list = append(list, weighed{weight: hit.weight, Contributor: Contributor{
			Feature:   f.Name,
			Value:     value,
			HasPoints: scored || hit.delta != 0,
			Points:    earned + hit.delta,
			Used:      true,
		}})
	}
	slices.SortStableFunc(list, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(magnitude(b.Points), magnitude(a.Points)))
	})
	list = list[:min(len(list), maxContributors)]

	top := make([]Contributor, 0, maxContributors)
	shown := map[string]bool{}
	for _, t := range list {
		t.Direction = t.direction()
		top = append(top, t.Contributor)
		shown[t.Feature] = true
	}

	skip := func(index int) bool { return shown[feature.NameAt(index)] }
	others := feature.Top(c.vector, maxContributors-len(list), skip)
	for _, index := range others {
		value, _ := c.vector.Get(index)
		used := slices.ContainsFunc(c.policy.Features, func(f application.Feature) bool { return f.Index == index })
		top = append(top, Contributor{Feature: feature.NameAt(index), Value: value, Used: used})
	}
	return top
}

// weighed is a contributor. weight is the highest weight of the knockouts that hit and
// name the feature.
type weighed struct {
	Contributor
	weight hitWeight
}

func (t weighed) direction() string {
	switch {
	case t.HasPoints && t.Points > 0:
		return "favourable"
	case t.HasPoints && t.Points == 0:
		return "neutral"
	case t.HasPoints || t.weight > noHit:
		return "adverse"
	}
	return ""
}

func magnitude(n rule.Number) rule.Number { return max(n, -n) }

// FeaturePlaces is the maximum number of decimals in a feature's value.
const FeaturePlaces = 4

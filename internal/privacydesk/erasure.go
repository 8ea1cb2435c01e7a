package privacydesk

import (
	"context"
	"slices"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/exposuredesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Options configures a Service. A zero field gets its default.
type Options struct {
	MaxHolds int // the maximum number of legal holds in force in an environment (default DefaultMaxHolds)
}

// Service offers the operations on personal data. It is safe for concurrent use.
type Service struct {
	core      *operation.Core
	decisions *decisioning.Service
	exposures *exposuredesk.Service
	options   Options
	batch     int    // decisions, runs and exposures that are emptied in one transaction
	found     func() // called when a request has found something to erase; for tests
	emptied   func() // called after each transaction except the last; for tests
}

// batchSize is the number of decisions, of runs and of exposures that are emptied in one transaction. The writes
// of all tenants wait for this transaction.
const batchSize = 100

// New returns a Service over the database of core. It erases the decisions of the service decisions and the exposures
// of the service exposures.
func New(
	core *operation.Core, decisions *decisioning.Service, exposures *exposuredesk.Service, o Options,
) *Service {
	if o.MaxHolds == 0 {
		o.MaxHolds = DefaultMaxHolds
	}
	return &Service{core: core, decisions: decisions, exposures: exposures, options: o, batch: batchSize,
		found: func() {}, emptied: func() {}}
}

// Reasons returns the reasons of an erasure. A reason is not a free text, because people would write
// about the person who is to be erased.
func Reasons() []string {
	return []string{"applicant_request", "consent_withdrawn", "purpose_fulfilled", "legal_obligation", "other"}
}

// ReasonChoices lists all reasons, for the message about an invalid reason.
var ReasonChoices = strings.Join(Reasons()[:len(Reasons())-1], ", ") + " or " + Reasons()[len(Reasons())-1]

// maxReference is the maximum length of a reference in bytes.
const maxReference = operation.MaxReference

// NewErasure is an erasure to be made. Either ApplicantRef or DecisionID is set.
type NewErasure struct {
	ApplicantRef string
	DecisionID   string // of a decision that names no applicant
	Reason       string
}

// Check adds the faults of the erasure.
func (n NewErasure) Check(faults *fault.List) {
	c := faults.Check("")
	checkPerson(c, n.ApplicantRef, n.DecisionID)
	if c.Require("reason", n.Reason != "", ReasonChoices) {
		c.Choice("reason", n.Reason, Reasons()...)
	}
}

// checkPerson checks that either a reference or a decision is given.
func checkPerson(c fault.Check, applicantRef, decisionID string) {
	switch {
	case applicantRef != "" && decisionID != "":
		c.Fail("decision_id", fault.CodeInvalidField, "contradicts applicant_ref; send one or the other")
	case decisionID == "":
		c.Require("applicant_ref", applicantRef != "",
			"the reference of the applicant; or send decision_id for a decision that names no applicant")
	}
	c.Text("applicant_ref", applicantRef, maxReference)
}

// The states of an erasure.
const (
	Deferred  = store.ErasureDeferred
	Running   = store.ErasureRunning
	Completed = store.ErasureCompleted
	Withdrawn = store.ErasureWithdrawn
)

// Erasure is the receipt of an erasure.
type Erasure struct {
	ID              string
	State           string
	DecisionID      string // set if a decision without an applicant was erased
	Reason          string
	Actor           string
	RequestedMicros int64
	ErasedMicros    int64 // 0 while it is running
	// BeyondMicros is when the last copy of the person's key was destroyed, 0 if that is not
	// confirmed.
	BeyondMicros int64
	Counts       Counts
	Zones        []ZoneCount
	ReplacedBy   []string // the texts that replaced the reference in the stored rows
	Kept         []Kept   // set if the erasure is completed

	ApplicantRef        string   // set while the erasure is deferred
	Basis               []string // why the erasure is deferred
	DeferredUntilMicros int64    // when it can be carried out, 0 if that is not known
	WithdrawnMicros     int64    // 0 if it was not withdrawn
	WithdrawnBy         string
}

// Counts says how much was erased.
type Counts struct {
	Decisions int64
	Features  int64 // decisions with a feature vector
	Runs      int64
	Answers   int64 // stored answers to requests with an Idempotency-Key
	AlertRefs int64 // references in the evidence of alerts
	Links     int64 // links between the person and accounts, devices and the like
	Exposures int64
	// CoApplicants and Guarantors count the decisions on other applicants in which the person had that role.
	CoApplicants int64
	Guarantors   int64
}

// ZoneCount is the number of erased documents of a zone.
type ZoneCount struct {
	Zone  string
	Count int64
}

// zones returns the number of erased documents by zone. It leaves out zones without erased documents.
func (c Counts) zones() []ZoneCount {
	all := []ZoneCount{
		{sealing.Response.String(), c.Decisions + c.Runs + c.Answers},
		{sealing.History.String(), c.Features},
		{sealing.Features.String(), c.Features},
		{sealing.Combined.String(), c.Decisions},
		{sealing.Request.String(), c.Runs + c.Exposures},
	}
	all = append(all, c.roleZones()...)
	return slices.DeleteFunc(all, func(z ZoneCount) bool { return z.Count == 0 })
}

// Kept is a kind of data about the person that is kept after an erasure.
type Kept struct {
	What        string
	Basis       string
	UntilMicros int64 // 0 if it has no end
}

// The bases on which data is kept after an erasure.
const (
	BasisAccountability  = "accountability"   // the lender must be able to account for its decisions
	BasisFraudPrevention = "fraud_prevention" // a returning person is recognised by a keyed hash
	BasisRepeated        = "repeated_request" // answers to requests with an Idempotency-Key
	BasisUpload          = "uploaded_by_lender"
)

// answersKept is how long answers to requests with an Idempotency-Key are stored.
const answersKept = operation.RememberFor

// kept lists the data that is kept after an erasure.
func kept(erasedMicros int64, c Counts) []Kept {
	list := []Kept{
		{"decision_outcomes", BasisAccountability, 0},
		{"journal_hashes", BasisAccountability, 0},
		{"notes_of_reviewers", BasisAccountability, 0},
		{"fraud_links_as_keyed_hashes", BasisFraudPrevention, 0},
		{"answers_without_a_decision", BasisRepeated, erasedMicros + answersKept.Microseconds()},
		{"uploads_of_backtests", BasisUpload, 0},
		{"rows_of_unfinished_batches", BasisUpload, 0},
	}
	if c.CoApplicants+c.Guarantors > 0 { // the answers belong to the primary applicants
		list = append(list, Kept{"answers_of_decisions_of_others", BasisAccountability, 0})
	}
	return list
}

// receipt returns a stored erasure as callers see it.
func receipt(e *store.Erasure, epochs store.KeyEpochs) Erasure {
	out := Erasure{
		ID:              e.ID,
		State:           e.State,
		DecisionID:      e.Person.DecisionID,
		Reason:          e.Reason,
		Actor:           e.Actor,
		RequestedMicros: e.CreatedMicros,
		ErasedMicros:    e.ErasedMicros,
		Counts:          Counts(e.Counts),
		Zones:           Counts(e.Counts).zones(),
		WithdrawnMicros: e.WithdrawnMicros,
		WithdrawnBy:     e.WithdrawnBy,
	}
	if e.State == Deferred {
		out.ApplicantRef, out.Basis, out.DeferredUntilMicros = e.Person.ApplicantRef, e.Basis, e.DeferredUntilMicros
	}
	for _, ref := range e.Refs {
		out.ReplacedBy = append(out.ReplacedBy, store.ErasedPrefix+ref)
	}
	if e.State == Completed {
		out.BeyondMicros = epochs.BeyondRecovery(e.ErasedMicros)
		out.Kept = kept(e.ErasedMicros, out.Counts)
	}
	return out
}

// Erasure returns the receipt of an erasure, or NotFound if there is none.
func (s *Service) Erasure(ctx context.Context, p tenant.Principal, id string) (Erasure, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Erasure{}, err
	}
	if !tenant.Valid(tenant.KindErasure, id) {
		return Erasure{}, fault.Missing("erasure")
	}
	stored, err := s.core.Scope(p).Erasures(ctx).Get(id)
	if err != nil {
		return Erasure{}, err
	}
	epochs, err := s.core.DB.Secrets().KeyEpochs(ctx)
	return receipt(&stored, epochs), err
}

// Erasures lists receipts.
func (s *Service) Erasures(
	ctx context.Context, p tenant.Principal, l operation.List,
) (operation.Page[Erasure], error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return operation.Page[Erasure]{}, err
	}
	page, err := l.Page(p, "erasures")
	if err != nil {
		return operation.Page[Erasure]{}, err
	}
	rows, more, err := s.core.Scope(p).Erasures(ctx).List(page)
	if err != nil {
		return operation.Page[Erasure]{}, err
	}
	epochs, err := s.core.DB.Secrets().KeyEpochs(ctx)
	if err != nil {
		return operation.Page[Erasure]{}, err
	}
	list := make([]Erasure, len(rows))
	for i := range rows {
		list[i] = receipt(&rows[i], epochs)
	}
	key := func(e Erasure) (int64, string) { return e.RequestedMicros, e.ID }
	return operation.Paged(l, p, list, more, key, "erasures"), nil
}

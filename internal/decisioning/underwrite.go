package decisioning

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// EndpointUnderwrite is the endpoint for which a run of the underwriting agent is
// billed. The decision in the run is not billed separately.
const EndpointUnderwrite = "POST /v1/agents/underwrite"

// AgentUnderwriting is the name of the underwriting agent in stored runs.
const AgentUnderwriting = "underwriting"

// Underwriting is a decided application for an agent to study. It contains only data that
// is stored or will be stored, so that a repetition of the run gets the same data.
type Underwriting struct {
	Plan          *engine.Plan
	PolicyID      string
	PolicyVersion int64
	Facts         *rule.Facts
	StoredFacts   []byte
	Decision      *engine.Decision
}

// RunHead is the part of an answer that the study does not determine: the id and the
// time of the run, and its decision.
type RunHead struct {
	RunID     string
	CreatedAt string
	Decision  []byte // the encoded answer of the decision
}

// Study is the result of an agent's study.
type Study interface {
	// Outcome returns the recommendation.
	Outcome() string
	// Hash returns the hash of everything that a repetition must reproduce.
	Hash() string
	// Request returns the data that a repetition needs in addition to the facts and the
	// policy.
	Request() []byte
	// Encode returns the answer, which is stored unchanged.
	Encode(head RunHead) []byte
}

// Underwriter describes the agent to Underwrite.
type Underwriter struct {
	// Members are the top-level members of the request that the agent reads itself.
	Members []string
	// Today is the day from which ages are counted; 0 means the day of the request.
	Today civil.Day
	// Study studies a decided application. It may take seconds. If the fraud counts
	// change in the meantime, Study is called again with hurry set, and should then
	// skip optional work. Study returns an error when ctx ends.
	Study func(ctx context.Context, u *Underwriting, hurry bool) (Study, error)
}

// Underwritten is a run of the underwriting agent, stored together with its decision.
// The operation.Reply has the answer as it was stored.
type Underwritten struct {
	RunID    string
	Outcome  string // the recommendation
	Decision Decided
}

// Underwrite decides the request and lets the agent study the decision. It stores the
// decision and the run in one transaction, and bills both together as one run. The
// request has the form of a decision request or an evaluate request.
func (s *Service) Underwrite(
	ctx context.Context, p tenant.Principal, request application.Request, u Underwriter,
	r *operation.Reply[Underwritten],
) (Underwritten, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Underwritten{}, err
	}
	now := s.core.Moment()
	today := u.Today
	if today == 0 {
		today = civil.DayAt(now)
	}
	scope := s.core.Scope(p)
	attempt, done, err := r.Begin(ctx, s.core, scope)
	if err != nil || done {
		return Underwritten{}, err
	}
	defer attempt.End()

	options := application.Options{Members: u.Members, Today: today}
	c, err := s.newCase(ctx, p, EndpointUnderwrite, request, options)
	if err != nil {
		return Underwritten{}, err
	}
	defer c.release()
	if err := s.prepareToStore(ctx, p, c); err != nil {
		return Underwritten{}, err
	}
	if err := s.peek(ctx, scope, c, now); err != nil {
		return Underwritten{}, err
	}
	c.now, c.made = now, now

	o := borrow()
	defer o.Release()
	w := underwriting{s: s, p: p, c: c, o: o, study: u.Study, attempt: attempt}
	if err := w.prepare(ctx); err != nil {
		return Underwritten{}, err
	}
	err = w.commit(ctx)
	if done, err := r.Finish(ctx, attempt, w.answer, err); err != nil || done {
		return Underwritten{}, err
	}
	s.decided(p, c, o)
	return Underwritten{RunID: w.runID, Outcome: w.found.Outcome(), Decision: c.decided(o)}, nil
}

// underwriting is a run in progress.
type underwriting struct {
	s       *Service
	p       tenant.Principal
	c       *creditCase
	o       *Outcome
	study   func(context.Context, *Underwriting, bool) (Study, error)
	attempt operation.Attempt

	runID   string
	studied []byte          // the facts of the last study
	counts  []signal.Counts // the fraud counts of the last study; set from the second study on
	found   Study
	hash    string // the hash of found
	answer  operation.Answer
}

// maxStudies limits how often an application is studied if its fraud counts keep changing. mostStudies is the limit
// if the lender's earlier decisions about the person keep changing. mostStudies is higher than maxStudies, because
// the decision must take all of these earlier decisions into account.
const (
	maxStudies  = 4
	mostStudies = 10
)

// observed holds the facts and the fraud counts that a transaction found.
type observed struct {
	facts  []byte
	counts []signal.Counts
}

// errMoved rolls the transaction back if the counts changed since the study.
var errMoved = errors.New("the counts changed since the study")

// prepare decides with the current counts and lets the agent study the decision. It does
// so before the transaction, because a study inside the transaction would block all
// other writes.
func (w *underwriting) prepare(ctx context.Context) error {
	made := w.s.conclude(w.p, w.c, w.o)
	made.answer.Release() // the transaction decides again
	return w.look(ctx, made.facts, false)
}

// name gives the decision and the run their ids shortly before both are stored. Lists
// are sorted by id, and a study may take seconds. With an id from before the study, the
// run would appear on a page that clients have already read.
func (w *underwriting) name() {
	w.c.id, w.c.made = w.s.core.NewID(tenant.KindDecision, w.s.core.Moment())
	w.runID, _ = w.s.core.NewID(tenant.KindRun, w.c.made)
}

// look lets the agent study the decision with the facts that would be stored.
func (w *underwriting) look(ctx context.Context, stored []byte, hurry bool) error {
	facts, err := ReadFacts(stored)
	if err != nil {
		return fmt.Errorf("read the facts of a decision: %w", err)
	}
	w.found, err = w.study(ctx, &Underwriting{
		Plan:          w.c.policy.Plan,
		PolicyID:      w.c.policy.ID,
		PolicyVersion: w.c.policy.Version,
		Facts:         facts,
		StoredFacts:   stored,
		Decision:      &w.o.Decision,
	}, hurry)
	if err != nil {
		return err
	}
	w.studied, w.hash = stored, w.found.Hash()
	return nil
}

// commit stores the decision and the run. The study must be of the decision that is stored. If the counts changed
// since the study, commit therefore rolls the transaction back, studies again and starts another transaction, so
// that other writes never wait for a study. After maxStudies studies, commit decides with the fraud counts of the
// last study, which are only slightly out of date. The lender's earlier decisions must be exact; if they keep
// changing, commit returns Unavailable.
func (w *underwriting) commit(ctx context.Context) error {
	rekeyed := 0
	for studies := 1; ; studies++ {
		w.name()
		var now observed
		err := w.s.core.Scope(w.p).Write(ctx, func(tx *store.Tx) (err error) {
			now, err = w.store(tx, studies >= maxStudies)
			return err
		})
		if errors.Is(err, store.ErrKeysChanged) {
			if err := w.s.reloadKeys(ctx, w.c, w.p.TenantID, rekeyed); err != nil {
				return err
			}
			rekeyed, studies = rekeyed+1, studies-1 // this try ended before a study
			continue
		}
		if errors.Is(err, errNotPrepared) {
			if err := w.s.prepareOwn(ctx, w.s.core.Scope(w.p), w.c); err != nil {
				return err
			}
			studies-- // this try ended before a study
			continue
		}
		if !errors.Is(err, errMoved) {
			return err
		}
		if studies == mostStudies {
			return ownBusy()
		}
		if err := admission.Checkpoint(ctx); err != nil { // wait for the processor slot that the write gave up
			return err
		}
		if studies < maxStudies { // from maxStudies on, every try decides with the same counts
			w.counts = now.counts
		}
		if err := w.look(ctx, now.facts, true); err != nil {
			return err
		}
	}
}

// store runs in the transaction of the decision: it records the observations, counts them,
// decides, and stores the decision and the run. If the counts changed since the study, it
// returns errMoved and the new facts and counts. If the argument "last" is set, it decides with
// the fraud counts of the last study instead. store can run more than once.
func (w *underwriting) store(tx *store.Tx, last bool) (now observed, err error) {
	if w.c.counted() {
		if now.counts, err = w.c.observe(tx); err != nil {
			return now, err
		}
		if err := w.s.raise(tx, w.c); err != nil {
			return now, err
		}
		if last {
			w.c.reassess(w.counts)
		}
	}
	if err := w.c.countOwn(tx); err != nil {
		return now, err
	}
	made := w.s.conclude(w.p, w.c, w.o)
	if !bytes.Equal(made.facts, w.studied) {
		made.answer.Release()
		now.facts = made.facts
		return now, errMoved
	}
	body := w.found.Encode(RunHead{
		RunID:     w.runID,
		CreatedAt: w.c.made.Format(operation.ClockFormat),
		Decision:  made.answer.Body,
	})
	w.answer = operation.Answer{Status: operation.StatusOK, Body: body}
	made.write.Answer = w.attempt.RecordOf(w.runID, w.answer)
	if err := tx.Decisions().Insert(made.write); err != nil {
		return now, err
	}
	if err := w.c.rememberOwn(tx); err != nil {
		return now, err
	}
	run := store.Run{
		ID:            w.runID,
		Agent:         AgentUnderwriting,
		CreatedMicros: w.c.made.UnixMicro(),
		Actor:         operation.Actor(w.p),
		SubjectRef:    w.c.applicantRef(),
		DecisionID:    w.c.id,
		Outcome:       w.found.Outcome(),
		Hash:          w.hash,
		Request:       w.found.Request(),
		Response:      body,
	}
	w.c.keys.SealRun(string(w.p.Environment), &run)
	return now, tx.Runs().Insert(run, w.c.keys.Changes(string(w.p.Environment)))
}

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

// EndpointUnderwrite is what a run of the underwriting agent is billed as. The
// decision within it costs nothing besides.
const EndpointUnderwrite = "POST /v1/agents/underwrite"

// AgentUnderwriting is the agent's name in stored runs.
const AgentUnderwriting = "underwriting"

// Underwriting is a decided application in an agent's hands: what is stored of
// it and nothing else, so that a repetition sees the same.
type Underwriting struct {
	Plan          *engine.Plan
	PolicyID      string
	PolicyVersion int64
	Facts         *rule.Facts
	StoredFacts   []byte
	Decision      *engine.Decision
}

// RunHead is what differs between a run and its repetition.
type RunHead struct {
	RunID     string
	CreatedAt string
	Decision  []byte // the decision as it was answered
}

// Study is what an agent found.
type Study interface {
	// Outcome is the recommendation.
	Outcome() string
	// Hash is the hash of all that a repetition must come to again.
	Hash() string
	// Request is what a repetition needs besides the facts and the policy.
	Request() []byte
	// Encode writes the answer, which is stored as it is.
	Encode(head RunHead) []byte
}

// Underwriter is what Underwrite is asked for.
type Underwriter struct {
	// Members are the top-level names that the agent reads itself.
	Members []string
	// Today is the day that ages are counted from; 0 for the day of the request.
	Today civil.Day
	// Study looks at a decided application. It may take its time, and is asked
	// again, with hurry, when the counts moved while it was busy. It ends with
	// an error when ctx does.
	Study func(ctx context.Context, u *Underwriting, hurry bool) (Study, error)
}

// Underwritten is a run of the underwriting agent that was stored with its
// decision. The reply has the answer as it was stored.
type Underwritten struct {
	RunID    string
	Outcome  string // the recommendation
	Decision Decided
}

// Underwrite decides a decision or an evaluate request, has it studied, and
// stores the decision and the run together. Both are billed as one.
func (s *Service) Underwrite(
	ctx context.Context, p tenant.Principal, request application.Request, u Underwriter, r *operation.Reply[Underwritten],
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
	if err := c.peek(ctx, scope, now); err != nil {
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
	if done, err := r.Finish(w.answer, err); err != nil || done {
		return Underwritten{}, err
	}
	s.decided(c, o)
	return Underwritten{RunID: w.runID, Outcome: w.found.Outcome(), Decision: c.decided(o)}, nil
}

// underwriting is one run under way.
type underwriting struct {
	s       *Service
	p       tenant.Principal
	c       *creditCase
	o       *Outcome
	study   func(context.Context, *Underwriting, bool) (Study, error)
	attempt operation.Attempt

	runID   string
	studied []byte        // the facts that were looked at
	counts  signal.Counts // behind them, from the second study on
	found   Study
	hash    string // the study's
	answer  operation.Answer
}

// maxStudies is how often an application is studied whose counts keep moving.
const maxStudies = 4

// observed is what a transaction saw.
type observed struct {
	facts  []byte
	counts signal.Counts
}

// errMoved leaves the transaction when what is counted moved since the study.
var errMoved = errors.New("the counts moved since the study")

// prepare decides with the counts as they stand and has the decision studied,
// before anything is written: a study is no work for the one writer.
func (w *underwriting) prepare(ctx context.Context) error {
	decided, write := w.s.conclude(w.p, w.c, w.o)
	decided.Release() // it is decided again when it is stored
	return w.look(ctx, write.Decision.Facts, false)
}

// name gives the decision and the run their ids, when both are about to be
// stored: lists go by id, and one from before a study of seconds would appear
// among what others have already read.
func (w *underwriting) name() {
	w.c.id, w.c.made = w.s.core.NewID(tenant.KindDecision, w.s.core.Moment())
	w.runID, _ = w.s.core.NewID(tenant.KindRun, w.c.made)
}

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

// commit stores the decision and the run. A study must be of what was decided,
// so if what is counted moved meanwhile, the transaction is left, the study is
// made again, and the next transaction is tried: the one writer waits for no
// study. The last transaction decides with the counts of the last study, which
// are those of a moment ago.
func (w *underwriting) commit(ctx context.Context) error {
	for studies := 1; ; studies++ {
		w.name()
		var now observed
		err := w.s.core.Scope(w.p).Write(ctx, func(tx *store.Tx) (err error) {
			now, err = w.store(tx, studies == maxStudies)
			return err
		})
		if !errors.Is(err, errMoved) {
			return err
		}
		if err := admission.Checkpoint(ctx); err != nil { // a write gives the slot up
			return err
		}
		w.counts = now.counts
		if err := w.look(ctx, now.facts, true); err != nil {
			return err
		}
	}
}

// store observes, decides and keeps everything. If what is counted moved since
// the study, it returns errMoved and what it saw; the last try takes the counts
// that were studied. It may run more than once.
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
	decided, write := w.s.conclude(w.p, w.c, w.o)
	if !bytes.Equal(write.Decision.Facts, w.studied) {
		decided.Release()
		now.facts = write.Decision.Facts
		return now, errMoved
	}
	body := w.found.Encode(RunHead{
		RunID:     w.runID,
		CreatedAt: w.c.made.Format(operation.ClockFormat),
		Decision:  decided.Body,
	})
	w.answer = operation.Answer{Status: operation.StatusOK, Body: body}
	write.Answer = w.attempt.Record(w.answer)
	if err := tx.Decisions().Insert(write); err != nil {
		return now, err
	}
	return now, tx.Runs().Insert(store.Run{
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
	})
}

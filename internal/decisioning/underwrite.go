package decisioning

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
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
	// Write writes the answer.
	Write(w *wire.Writer, head RunHead)
}

// Underwriter is what Underwrite is asked for.
type Underwriter struct {
	// Members are the top-level names that the agent reads itself.
	Members []string
	// Today is the day that ages are counted from; 0 for the day of the request.
	Today civil.Day
	// Strict refuses members that are not known.
	Strict bool
	// Study looks at a decided application. It may take its time, and is asked
	// again, with hurry, when the counts moved while it was busy. It ends with
	// an error when ctx does.
	Study func(ctx context.Context, u *Underwriting, hurry bool) (Study, error)
}

// Underwrite decides a decision or an evaluate request, has it studied, and
// stores the decision and the run together. Both are billed as one.
func (s *Service) Underwrite(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once, u Underwriter) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	now := s.core.Moment()
	today := u.Today
	if today == 0 {
		today = civil.DayAt(now)
	}
	return s.core.Once(ctx, s.core.Scope(p), o, func(keep operation.Keep) (operation.Answer, error) {
		policy, c, err := s.newCase(ctx, p, body, EndpointUnderwrite, application.Options{Members: u.Members, Today: today, Strict: u.Strict},
			func(o application.Options) (*policydesk.Policy, *application.Application, error) {
				return s.read(ctx, p, body, o, application.Read)
			})
		if err != nil {
			return operation.Answer{}, err
		}
		defer c.release()
		if err := s.peek(ctx, s.core.Scope(p), c, now); err != nil {
			return operation.Answer{}, err
		}
		d := borrow()
		defer decisions.Put(d)
		w := underwriting{s: s, p: p, policy: policy, c: c, d: d, now: now, study: u.Study}
		if err := w.prepare(ctx); err != nil {
			return operation.Answer{}, err
		}
		if err := w.commit(ctx, keep); err != nil {
			return operation.Answer{}, err
		}
		s.decided(policy, d)
		return w.answer, nil
	})
}

// underwriting is one run under way.
type underwriting struct {
	s      *Service
	p      tenant.Principal
	policy *policydesk.Policy
	c      *creditCase
	d      *engine.Decision
	now    time.Time
	study  func(context.Context, *Underwriting, bool) (Study, error)

	id, runID string
	made      time.Time
	studied   []byte        // the facts that were looked at
	counts    signal.Counts // behind them, from the second study on
	found     Study
	hash      string // the study's
	answer    operation.Answer
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
	decided, write := w.s.conclude(w.p, w.policy, w.c, w.d, "", w.now, w.now)
	decided.Release() // it is decided again when it is stored
	return w.look(ctx, write.Decision.Facts, false)
}

// name gives the decision and the run their ids, when both are about to be
// stored: lists go by id, and one from before a study of seconds would appear
// among what others have already read.
func (w *underwriting) name() {
	w.id, w.made = w.s.core.NewID(tenant.KindDecision, w.s.core.Moment())
	w.runID, _ = w.s.core.NewID(tenant.KindRun, w.made)
}

func (w *underwriting) look(ctx context.Context, stored []byte, hurry bool) error {
	facts, err := ReadFacts(stored)
	if err != nil {
		return fmt.Errorf("read the facts of a decision: %w", err)
	}
	w.found, err = w.study(ctx, &Underwriting{
		Plan: w.policy.Plan, PolicyID: w.policy.ID, PolicyVersion: w.policy.Version, Facts: facts, StoredFacts: stored, Decision: w.d,
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
func (w *underwriting) commit(ctx context.Context, keep operation.Keep) error {
	for studies := 1; ; studies++ {
		w.name()
		var now observed
		err := w.s.core.Scope(w.p).Write(ctx, func(tx *store.Tx) (err error) {
			now, err = w.store(tx, keep, studies == maxStudies)
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
func (w *underwriting) store(tx *store.Tx, keep operation.Keep, last bool) (now observed, err error) {
	if w.c.counted() {
		if now.counts, err = w.c.observe(tx, w.id, w.now); err != nil {
			return now, err
		}
		if err := w.s.raise(tx, w.c, w.id, w.now); err != nil {
			return now, err
		}
		if last {
			w.c.reassess(w.counts)
		}
	}
	decided, write := w.s.conclude(w.p, w.policy, w.c, w.d, w.id, w.made, w.now)
	if !bytes.Equal(write.Decision.Facts, w.studied) {
		decided.Release()
		now.facts = write.Decision.Facts
		return now, errMoved
	}
	var out wire.Writer
	w.found.Write(&out, RunHead{RunID: w.runID, CreatedAt: w.made.Format(operation.ClockFormat), Decision: decided.Body})
	w.answer = operation.Answer{Status: operation.StatusOK, Body: out.Buf}
	write.Answer = keep(w.answer)
	if err := tx.Decisions().Insert(write); err != nil {
		return now, err
	}
	return now, tx.Runs().Insert(store.Run{
		ID: w.runID, Agent: AgentUnderwriting, CreatedMicros: w.made.UnixMicro(), Actor: operation.Actor(w.p), SubjectRef: w.c.applicantRef(),
		DecisionID: w.id, Outcome: w.found.Outcome(), Hash: w.hash, Request: w.found.Request(), Response: out.Buf,
	})
}

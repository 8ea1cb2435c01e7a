package agentdesk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Run is a stored run of an agent.
type Run struct {
	ID            string
	Agent         string
	CreatedMicros int64
	Actor         string
	SubjectRef    string // the caller's reference of the applicant or the loan
	DecisionID    string // "" if the agent makes no decision
	Outcome       string
	Hash          string // the hash of the part of the result that a repetition must reproduce
	Request       []byte // the data needed to repeat the run; nil in lists
	Response      []byte // the bytes of the answer; nil in lists
}

// AgentRun returns a stored run of any agent. It returns NotFound if there is no such run, and Gone if the
// subject of the run was erased.
func (s *Service) AgentRun(ctx context.Context, p tenant.Principal, id string) (Run, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Run{}, err
	}
	if !tenant.Valid(tenant.KindRun, id) {
		return Run{}, fault.Missing("run")
	}
	scope := s.core.Scope(p)
	stored, err := scope.Runs(ctx).Get(id)
	if err != nil {
		return Run{}, err
	}
	if len(stored.Response) == 0 {
		return Run{}, operation.Erased("run")
	}
	if err := s.core.OpenRun(ctx, scope, &stored); err != nil {
		return Run{}, err
	}
	return Run(stored), nil
}

// Underwritten makes the decision of a stored run again, from the stored facts and policy, so that the run can
// be repeated. It also returns the head of the stored run. It returns nil and an empty head if the decision,
// its facts or its policy can no longer be read. The error is Gone (the facts were erased), Forbidden, or a
// failure of storage.
func (s *Service) Underwritten(
	ctx context.Context, p tenant.Principal, r Run,
) (*decisioning.Underwriting, decisioning.RunHead, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, decisioning.RunHead{}, err
	}
	scope := s.core.Scope(p)
	stored, err := scope.Decisions(ctx).Get(r.DecisionID)
	if err == nil && inputsErased(&stored) {
		return nil, decisioning.RunHead{}, operation.Erased("decision")
	}
	if err == nil {
		err = s.core.OpenDecision(ctx, scope, &stored, nil)
	}
	var policy *policydesk.Policy
	if err == nil {
		policy, err = s.policies.Policy(ctx, scope, stored.PolicyID)
	}
	var unreadable operation.Defect
	switch err = operation.MissingIsDefect(err); {
	case errors.As(err, &unreadable):
		return nil, decisioning.RunHead{}, nil
	case err != nil:
		return nil, decisioning.RunHead{}, fmt.Errorf("read the decision of run %s: %w", r.ID, err)
	}
	facts, err := decisioning.FactsOf(stored.Facts, stored.OthersFacts())
	if err != nil {
		return nil, decisioning.RunHead{}, nil //nolint:nilerr // the caller reports the run as not verified
	}

	whole := stored.Facts
	if len(stored.People) > 0 { // the agent has studied the facts of all people together
		var w wire.Writer
		facts.Write(&w)
		whole = w.Buf
	}
	d := new(engine.Decision)
	policy.Plan.Decide(facts, d)
	return &decisioning.Underwriting{
		Plan:          policy.Plan,
		PolicyID:      policy.ID,
		PolicyVersion: policy.Version,
		Facts:         facts,
		StoredFacts:   whole,
		Decision:      d,
	}, decisioning.RunHead{RunID: r.ID, CreatedAt: operation.Clock(r.CreatedMicros), Decision: stored.Response}, nil
}

// inputsErased reports whether documents were erased that are needed to make a stored decision again.
func inputsErased(d *store.Decision) bool {
	return len(d.Response) == 0 || len(d.Facts) == 0 ||
		slices.ContainsFunc(d.OthersFacts(), func(facts []byte) bool { return len(facts) == 0 })
}

// Head returns the head of a run without a decision, in the form that the answer
// contains.
func (r Run) Head() decisioning.RunHead {
	return decisioning.RunHead{RunID: r.ID, CreatedAt: operation.Clock(r.CreatedMicros)}
}

// RunFilter selects runs. An empty field matches every run.
type RunFilter struct{ Agent, Outcome, SubjectRef string }

// AgentRuns lists stored runs.
func (s *Service) AgentRuns(
	ctx context.Context, p tenant.Principal, f RunFilter, l operation.List,
) (operation.Page[Run], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Run]{}, err
	}
	filters := []string{"runs", f.Agent, f.Outcome, f.SubjectRef}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Run]{}, err
	}
	rows, more, err := s.core.Scope(p).Runs(ctx).List(store.RunFilter(f), page)
	if err != nil {
		return operation.Page[Run]{}, err
	}
	list := make([]Run, len(rows))
	for i := range rows {
		list[i] = Run(rows[i])
	}
	key := func(r Run) (int64, string) { return r.CreatedMicros, r.ID }
	return operation.Paged(l, p, list, more, key, filters...), nil
}

// RunRecord is the result of a run without a decision, to be stored.
type RunRecord struct {
	Agent, SubjectRef, Outcome, Hash string
	Request, Response                []byte
}

// KeepAgentRun calls the function work for a run that needs no decision, stores its result and bills one unit
// of the endpoint. The reply has the response of the run as it was stored.
func (s *Service) KeepAgentRun(
	ctx context.Context, p tenant.Principal, endpoint string,
	work func(head decisioning.RunHead, now time.Time) (RunRecord, error), r *operation.Reply[Run],
) (Run, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Run{}, err
	}
	scope := s.core.Scope(p)
	attempt, done, err := r.Begin(ctx, s.core, scope)
	if err != nil || done {
		return Run{}, err
	}
	defer attempt.End()

	now := s.core.Moment()
	id, made := s.core.NewID(tenant.KindRun, now)
	record, err := work(decisioning.RunHead{RunID: id, CreatedAt: made.Format(operation.ClockFormat)}, now)
	if err != nil {
		return Run{}, err
	}
	run := Run{
		ID:            id,
		Agent:         record.Agent,
		CreatedMicros: made.UnixMicro(),
		Actor:         operation.Actor(p),
		SubjectRef:    record.SubjectRef,
		Outcome:       record.Outcome,
		Hash:          record.Hash,
		Request:       record.Request,
		Response:      record.Response,
	}
	answer := operation.Answer{Status: operation.StatusOK, Body: run.Response}
	err = s.insert(ctx, scope, run, func(tx *store.Tx) error {
		if err := s.decisions.Usage.Bill(tx, p, endpoint, 1, now); err != nil {
			return err
		}
		if record := attempt.RecordOf(id, answer); record != nil {
			return tx.Answers().Insert(*record)
		}
		return nil
	})
	if done, err := r.Finish(ctx, attempt, answer, err); err != nil || done {
		return Run{}, err
	}
	return run, nil
}

// insert seals a run and stores it. It calls the function "also" in the same transaction. If somebody was
// erased since the keys were read, it seals the run again with the current keys.
func (s *Service) insert(
	ctx context.Context, scope *store.Scope, run Run, also func(*store.Tx) error,
) error {
	tree, err := s.core.Keys.Tree(ctx, scope.Tenant())
	if err != nil {
		return err
	}
	for tries := 0; ; tries++ {
		row := store.Run(run)
		tree.SealRun(scope.Environment(), &row)
		err := scope.Write(ctx, func(tx *store.Tx) error {
			if err := also(tx); err != nil {
				return err
			}
			return tx.Runs().Insert(row, tree.Changes(scope.Environment()))
		})
		if !errors.Is(err, store.ErrKeysChanged) {
			return err
		}
		if tries == operation.MaxKeyTries {
			return operation.KeysBusy()
		}
		if tree, err = s.core.Keys.Reload(ctx, scope.Tenant()); err != nil {
			return err
		}
	}
}

package decisioning

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Verification is the result of replaying stored decisions.
type Verification struct {
	Checked int64
	Wrong   []WrongDecision // at most maxWrong
	Failed  int64           // number of decisions that were not reproduced
}

// WrongDecision is a stored decision that the replay did not reproduce.
type WrongDecision struct {
	TenantID, Environment, ID string
	EngineVersion             string // the engine version that made the decision
	Why                       string
}

// maxWrong limits the list of wrong decisions, because a release that breaks decisions
// can break all of them.
const maxWrong = 1_000

// Verify replays the stored decisions of one tenant, or of all tenants if tenantID is
// "", and returns those that were not reproduced. progress, unless nil, is called with
// the number of replayed decisions and their total, by one goroutine at a time.
//
// The newest decisions come first. Verify does not replay decisions that are made while
// it runs, so Verify ends however busy the service is. It holds only a few decisions in
// memory at a time and uses all processors.
func (s *Service) Verify(ctx context.Context, tenantID string, progress func(done, total int64)) (Verification, error) {
	scopes, total, err := s.scopes(ctx, tenantID)
	if err != nil {
		return Verification{}, err
	}
	v := verifier{total: total, progress: progress}
	for _, scope := range scopes {
		if err = s.verifyScope(ctx, scope, &v); err != nil {
			break
		}
	}
	slices.SortFunc(v.found.Wrong, func(a, b WrongDecision) int { return cmp.Compare(a.ID, b.ID) })
	return v.found, err
}

// verifyScope reads decisions in one goroutine and replays them in one goroutine for
// each processor. The first failure of storage ends them all.
func (s *Service) verifyScope(ctx context.Context, scope *store.Scope, v *verifier) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	read := make(chan *store.Decision)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for d := range read {
				again, err := s.reexplain(ctx, scope, d)
				if err != nil {
					cancel(err) // storage failed, so it is unknown whether the decision can be reproduced
					continue
				}
				v.note(scope, d, again)
			}
		})
	}
	enqueue := func(d *store.Decision) error {
		select {
		case read <- d:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := scope.Decisions(ctx).Walk(store.DecisionFilter{}, store.Page{Descending: true}, enqueue)
	close(read)
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx) // the walk may have wrapped or replaced the first error
	}
	return err
}

// verifier collects the results of a running verification.
type verifier struct {
	mu       sync.Mutex
	found    Verification
	total    int64
	progress func(done, total int64)
}

// note records the replay of a decision.
func (v *verifier) note(scope *store.Scope, d *store.Decision, again ReExplanation) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Checked++
	if !again.Verified {
		v.found.Failed++
		if len(v.found.Wrong) < maxWrong {
			v.found.Wrong = append(v.found.Wrong, WrongDecision{
				TenantID:      scope.Tenant(),
				Environment:   scope.Environment(),
				ID:            d.ID,
				EngineVersion: d.EngineVersion,
				Why:           why(again, d),
			})
		}
	}
	if v.progress != nil {
		// Decisions made between the count and the walk could make Checked exceed the
		// total.
		v.progress(min(v.found.Checked, v.total), v.total)
	}
}

// why returns in a few words why a decision was not reproduced.
func why(again ReExplanation, d *store.Decision) string {
	if again.RecomputedHash != "" && again.RecomputedHash != d.Hash {
		return "another hash: " + again.RecomputedHash
	}
	return again.Text[len(again.Text)-1]
}

// scopes returns the scopes that have decisions, and the total number of decisions.
func (s *Service) scopes(ctx context.Context, tenantID string) ([]*store.Scope, int64, error) {
	var ids []string
	if tenantID != "" {
		t, err := s.core.DB.System().Tenant(ctx, tenantID)
		if err != nil {
			return nil, 0, err
		}
		ids = append(ids, t.ID)
	}
	for after := ""; tenantID == ""; {
		rows, err := s.core.DB.System().ListTenants(ctx, after)
		if err != nil {
			return nil, 0, err
		}
		if len(rows) == 0 {
			break
		}
		for _, t := range rows {
			ids = append(ids, t.ID)
		}
		after = rows[len(rows)-1].ID
	}
	var scopes []*store.Scope
	var total int64
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			scope := s.core.DB.Scope(id, string(e))
			n, err := scope.Decisions(ctx).Count()
			if err != nil {
				return nil, 0, err
			}
			if n > 0 {
				scopes, total = append(scopes, scope), total+n
			}
		}
	}
	return scopes, total, nil
}

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

// Verification is the outcome of replaying stored decisions.
type Verification struct {
	Checked int64
	Wrong   []WrongDecision // at most maxWrong of them
	Failed  int64           // how many there are
}

// WrongDecision is one that did not come out again as it was stored.
type WrongDecision struct {
	TenantID, Environment, ID string
	EngineVersion             string // that decided
	Why                       string
}

// maxWrong bounds the list; a release that breaks decisions breaks many.
const maxWrong = 1_000

// Verify replays the stored decisions of one tenant, or of all for "", and
// tells of each that did not reproduce. Progress, unless nil, is called with
// how many are done, of how many; not by two goroutines at once.
//
// The newest come first: those that are decided while this runs are behind it,
// so it comes to an end however busy the service is. It holds a few decisions
// at a time, whatever their number, and takes every processor.
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

// verifyScope has one goroutine read and as many as there are processors
// replay. The first failure of storage ends them all.
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
					cancel(err) // storage failed, which says nothing about the decision
					continue
				}
				v.note(scope, d, again)
			}
		})
	}
	err := scope.Decisions(ctx).Walk(store.DecisionFilter{}, store.Page{Descending: true}, func(d *store.Decision) error {
		select {
		case read <- d:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(read)
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx) // and not what the walk made of it
	}
	return err
}

// verifier is a verification while it goes on.
type verifier struct {
	mu       sync.Mutex
	found    Verification
	total    int64
	progress func(done, total int64)
}

// note counts a decision that was replayed.
func (v *verifier) note(scope *store.Scope, d *store.Decision, again ReExplanation) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Checked++
	if !again.Verified {
		v.found.Failed++
		if len(v.found.Wrong) < maxWrong {
			v.found.Wrong = append(v.found.Wrong, WrongDecision{scope.Tenant(), scope.Environment(), d.ID, d.EngineVersion, why(again, d)})
		}
	}
	if v.progress != nil {
		// Some may have been decided between the count and the walk.
		v.progress(min(v.found.Checked, v.total), v.total)
	}
}

// why says in a few words what is wrong with a decision.
func why(again ReExplanation, d *store.Decision) string {
	if again.RecomputedHash != "" && again.RecomputedHash != d.Hash {
		return "another hash: " + again.RecomputedHash
	}
	return again.Text[len(again.Text)-1]
}

// scopes are all places with decisions, and how many there are.
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

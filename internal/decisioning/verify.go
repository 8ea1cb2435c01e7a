package decisioning

import (
	"context"

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
// how many are done, of how many.
func (s *Service) Verify(ctx context.Context, tenantID string, progress func(done, total int64)) (Verification, error) {
	scopes, total, err := s.scopes(ctx, tenantID)
	if err != nil {
		return Verification{}, err
	}
	var v Verification
	for _, scope := range scopes {
		err := scope.WalkDecisions(ctx, store.Page{}, func(d *store.Decision) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			v.Checked++
			again, err := s.reexplain(ctx, scope, d)
			if err != nil {
				return err // storage failed, which says nothing about the decision
			}
			if !again.Verified {
				v.Failed++
				if len(v.Wrong) < maxWrong {
					v.Wrong = append(v.Wrong, WrongDecision{scope.Tenant(), scope.Environment(), d.ID, d.EngineVersion, why(again, d)})
				}
			}
			if progress != nil {
				progress(v.Checked, total)
			}
			return nil
		})
		if err != nil {
			return v, err
		}
	}
	return v, nil
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
		t, err := s.db.System().Tenant(ctx, tenantID)
		if err != nil {
			return nil, 0, err
		}
		ids = append(ids, t.ID)
	}
	for after := ""; tenantID == ""; {
		rows, err := s.db.System().ListTenants(ctx, after)
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
			scope := s.db.Scope(id, string(e))
			n, err := scope.CountDecisions(ctx)
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

package decisioning

import (
	"context"
	"errors"

	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// Forgotten is a stored decision that cannot be decrypted: its applicant was erased after the
// backup that was restored.
type Forgotten struct {
	Scope        operation.ScopeID
	DecisionID   string
	ApplicantRef string // "" if the decision names nobody
}

// forgottenBatch is the number of decisions that Forgotten reads at a time.
const forgottenBatch = 200

// Forgotten calls visit for every stored decision that the present key trees cannot decrypt,
// the oldest of each tenant first. After an older backup was restored with the newest keys,
// these are the decisions of people who were erased since. Forgotten reads every decision.
func (s *Service) Forgotten(ctx context.Context, visit func(Forgotten) error) error {
	ids, err := s.core.TenantIDs(ctx, "")
	if err != nil {
		return err
	}
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			if err := s.forgottenOf(ctx, operation.ScopeID{Tenant: id, Environment: string(e)}, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) forgottenOf(ctx context.Context, id operation.ScopeID, visit func(Forgotten) error) error {
	scope := s.core.DB.Scope(id.Tenant, id.Environment)
	for after := ""; ; {
		rows, next, err := scope.Decisions(ctx).WithSealed(after, forgottenBatch)
		if err != nil {
			return err
		}
		tree, err := s.core.Keys.Tree(ctx, id.Tenant)
		if err != nil {
			return err
		}
		for i := range rows {
			err := tree.Open(id.Environment, &rows[i], nil)
			var unreadable journal.Unreadable
			if errors.As(err, &unreadable) {
				err = visit(Forgotten{Scope: id, DecisionID: rows[i].ID, ApplicantRef: rows[i].ApplicantRef})
			}
			if err != nil {
				return err
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

package privacydesk

import (
	"context"

	"verdict/internal/decisioning"
	"verdict/internal/journal"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// roles reads the newest maxListed decisions in which the person is not the primary applicant.
func (s *Service) roles(
	ctx context.Context, p tenant.Principal, out *Applicant, how []decisioning.Option,
) (err error) {
	out.Roles, out.RoleCount, err = s.decisions.Roles(ctx, p, out.Ref, maxListed, how...)
	return err
}

// treesOfPerson returns the key trees that may have the key of a person's facts. Facts that were erased at the end
// of their retention period no longer name their tree, so any tree may have the key.
func treesOfPerson(keys *journal.Tree, p *store.HeldPerson) []int64 {
	if len(p.Head) == 0 {
		return keys.Numbers()
	}
	return []int64{keys.TreeOf(p.Head)}
}

// emptyRoles empties the facts of the person in decisions in which the person is not the primary applicant. The rest of
// these decisions stays. The decision contains the replacement of the reference, so no key is needed to compute it.
func (w *work) emptyRoles(tx *store.Tx, e *store.Erasure, people []store.HeldPerson) error {
	for i := range people {
		p := &people[i]
		ref := journal.PersonReplacement(p.Plain, p.Role)
		if ref == "" {
			ref = "unknown" // the decision was altered; Verify reports it
		}
		for _, number := range treesOfPerson(w.keys, p) {
			w.noteNumber(e, number)
		}
		noteRef(e, ref)
		if err := tx.Erasures().EmptyPerson(p.DecisionID, p.Role, ref, &e.Counts); err != nil {
			return err
		}
	}
	return nil
}

// others erases the forgotten people who occur only in decisions on other applicants.
func (f *forgotten) others(ctx context.Context) error {
	for before := ""; ; {
		rows, err := f.scope.Erasures(ctx).PeopleBefore(before, forgottenBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		done := map[store.Person]bool{}
		for i := range rows {
			person := store.Person{ApplicantRef: rows[i].Ref}
			if done[person] {
				continue
			}
			gone, err := f.s.core.Keys.Forgotten().Person(ctx, f.scope, &rows[i])
			if err == nil && gone {
				done[person] = true
				err = f.erase(ctx, person)
			}
			if err != nil {
				return err
			}
		}
		before = rows[len(rows)-1].DecisionID
	}
}

// roleZones returns the number of erased documents of people in other roles, by zone.
func (c Counts) roleZones() []ZoneCount {
	return []ZoneCount{
		{sealing.CoApplicant.String(), c.CoApplicants},
		{sealing.Guarantor.String(), c.Guarantors},
	}
}

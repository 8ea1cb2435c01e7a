package storetest_test

import (
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestDecisionPeople stores a decision with people other than the primary applicant, finds it by their references,
// erases one of them, and checks that nothing else about them can be changed. Another scope sees nothing.
func TestDecisionPeople(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope, other := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		ctx := t.Context()
		w := decision("dec_1", store.Unmetered)
		w.Decision.ApplicantRef, w.Decision.Plain = "A-1", `{"people":{"co_applicant":"c","guarantor":"g"}}`
		w.Decision.People = []store.DecisionPerson{
			{Role: "co_applicant", Ref: "A-2", Facts: []byte("{}")},
			{Role: "guarantor", Ref: "A-3", Facts: []byte("{1}")},
		}
		if err := scope.InsertDecision(ctx, w); err != nil {
			t.Fatal(err)
		}
		if err := scope.InsertDecision(ctx, decision("dec_2", store.Unmetered)); err != nil {
			t.Fatal(err)
		}
		got, err := scope.Decisions(ctx).Get("dec_1")
		if err != nil || len(got.People) != 2 || got.People[0].Ref != "A-2" || string(got.People[1].Facts) != "{1}" {
			t.Fatalf("the people are %+v, %v", got.People, err)
		}
		roles, count, err := scope.Erasures(ctx).Roles("A-3", 10)
		if err != nil || count != 1 || len(roles) != 1 || roles[0].Role != "guarantor" || roles[0].PrimaryRef != "A-1" {
			t.Errorf("the roles are %+v, %d, %v", roles, count, err)
		}
		if roles, count, err := other.Erasures(ctx).Roles("A-3", 10); err != nil || count != 0 || len(roles) != 0 {
			t.Errorf("another tenant sees %+v, %d, %v", roles, count, err)
		}
		held, err := scope.Erasures(ctx).Held(store.Person{ApplicantRef: "A-2"}, 10)
		if err != nil || held.Empty() || len(held.People) != 1 || held.People[0].Plain != w.Decision.Plain {
			t.Errorf("held is %+v, %v", held, err)
		}
		raw := storetest.Raw(t, databaseURL)
		for _, change := range []string{
			"person_ref = 'A-9'", "facts = 'x'", "role = 'guarantor_2'", "decision_id = 'dec_2'",
			"environment = 'live'",
			"person_ref = 'erased:c'", // without emptying the facts
		} {
			update := "UPDATE decision_people SET " + change + " WHERE role = 'co_applicant'"
			if err := errOf(ctx, raw, db.Kind(), update); err == nil {
				t.Errorf("%s is permitted", change)
			}
		}
		if err := errOf(ctx, raw, db.Kind(), "DELETE FROM decision_people"); err == nil {
			t.Error("rows can be deleted")
		}
		var counts store.ErasedCounts
		err = scope.Write(ctx, func(tx *store.Tx) error {
			counts = store.ErasedCounts{}
			return tx.Erasures().EmptyPerson("dec_1", "co_applicant", "c", &counts)
		})
		if want := (store.ErasedCounts{CoApplicants: 1}); err != nil || counts != want {
			t.Errorf("emptied %+v, %v", counts, err)
		}
		got, err = scope.Decisions(ctx).Get("dec_1")
		if err != nil || got.People[0].Ref != "erased:c" || len(got.People[0].Facts) != 0 ||
			string(got.People[1].Facts) != "{1}" || len(got.Response) == 0 {
			t.Errorf("after the erasure the people are %+v, %v", got.People, err)
		}
	})
}

package demo_test

import (
	"slices"
	"testing"

	"verdict/internal/batchdesk"
	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/offerdesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// checkProduct checks that the second product has something for every page: the lender profile with documents, lists, a
// table, loans, batches, co-applicants, and decisions of each status.
func checkProduct(t *testing.T, service *usecase.Set, p tenant.Principal) {
	t.Helper()
	ctx, all := t.Context(), operation.List{Limit: 100}
	if profile, err := service.Offers.Profile(ctx, p, 0); err != nil || profile.Version != 1 {
		t.Errorf("the profile is version %d, %v", profile.Version, err)
	}
	lists, err := service.Lists.Lists(ctx, p)
	if err != nil || len(lists) != 2 {
		t.Errorf("%d lists, %v", len(lists), err)
	}
	tables, err := service.Tables.Tables(ctx, p)
	if err != nil || len(tables) != 1 {
		t.Errorf("%d tables, %v", len(tables), err)
	}
	loans, err := service.Exposures.Exposures(ctx, p, "", all)
	if err != nil || len(loans.Data) < 3 {
		t.Errorf("%d loans, %v", len(loans.Data), err)
	}
	batches, err := service.Batches.List(ctx, p, "", all)
	var states []string
	for _, b := range batches.Data {
		states = append(states, b.Status)
	}
	slices.Sort(states)
	if err != nil || !slices.Equal(states, []string{batchdesk.Cancelled, batchdesk.Completed}) {
		t.Errorf("the batches are %v, %v", states, err)
	}
	made, err := service.Decisions.Decisions(ctx, p, decisioning.DecisionFilter{PolicyKey: "two_wheeler"}, all)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	want := offerdesk.Wanted{Language: "hi", DisbursedOn: civil.NoDay}
	for _, d := range made.Data {
		counts[d.Status]++
		if letter, err := service.Offers.Letter(ctx, p, d.ID, want); err == nil {
			counts[letter.Kind]++
		}
	}
	for _, status := range []string{"APPROVED", "REFERRED", "DECLINED", "decline"} {
		if counts[status] == 0 {
			t.Errorf("no decision is %s: %v", status, counts)
		}
	}
}

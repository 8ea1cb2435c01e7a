package frauddesk

import (
	"fmt"
	"testing"

	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestSettingsAreKeptOnce checks that the cache holds only the current settings
// of a tenant after many changes, and counts their weight.
func TestSettingsAreKeptOnce(t *testing.T) {
	t.Parallel()
	core := operation.New(storetest.Open(t, storetest.SQLite(t), store.Options{}), operation.Options{})
	service := New(core, Options{})
	seed := store.Seed{Tenant: store.Tenant{ID: "ten_A"}, User: store.User{ID: "usr_1", Email: "a@example.in"}}
	if err := service.core.DB.Accounts().CreateTenant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	p := tenant.Principal{TenantID: "ten_A", Environment: tenant.Sandbox, Scopes: tenant.PolicyWrite}
	for i := range 20 {
		entry := signal.PincodeRisk{
			Pincode: fmt.Sprint(400001 + i),
			Risk:    signal.RiskHigh,
			Score:   signal.RiskHigh.Score(),
			Reason:  "seen",
		}
		if _, err := service.SetPincodeRisks(t.Context(), p, []signal.PincodeRisk{entry}, false); err != nil {
			t.Fatal(err)
		}
		found, err := service.settings(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if _, known := found.risks.Lookup(fmt.Sprint(400001+i), 1); !known {
			t.Fatalf("change %d is not seen", i)
		}
	}
	held, weight, most := service.loaded.Usage()
	if held != 1 || weight < 20*len("seen") || most == 0 {
		t.Errorf("%d sets are kept, of weight %d in room for %d", held, weight, most)
	}
}

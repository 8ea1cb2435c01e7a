//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func risk(pincode, class string) store.PincodeRisk {
	return store.PincodeRisk{
		Pincode:       pincode,
		Risk:          class,
		Score:         80_000_000,
		Reason:        "roll-rate",
		UpdatedMicros: 5,
		UpdatedBy:     "key_1",
		ExpiresMicros: 9,
	}
}

func pincodes(t *testing.T, scope *store.Scope, f store.PincodeRiskFilter, limit int) (found []string) {
	t.Helper()
	p := store.Page{Limit: limit}
	for more := true; more; {
		var rows []store.PincodeRisk
		var err error
		rows, more, err = scope.PincodeRisks(t.Context()).List(f, p)
		if err != nil || more && len(rows) != limit {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, r := range rows {
			found = append(found, r.Pincode)
			p.AfterID = r.Pincode
		}
	}
	return found
}

func TestPincodeRisks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		entries := []store.PincodeRisk{
			risk("400001", "LOW"), risk("400001", "HIGH"), risk("400", "MEDIUM"), risk("40100", "HIGH"),
			risk("400999", "LOW"), risk("110001", "BLOCKED"),
		}
		doing(t, scope, func(tx *store.Tx) error { return tx.PincodeRisks().Put(entries) })
		all, err := scope.PincodeRisks(t.Context()).All()
		want := []store.PincodeRisk{entries[5], entries[2], entries[1], entries[4], entries[3]}
		if diff := cmp.Diff(want, all); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, c := range []struct {
			filter store.PincodeRiskFilter
			want   []string
		}{
			{store.PincodeRiskFilter{}, []string{"110001", "400", "400001", "400999", "40100"}},
			{store.PincodeRiskFilter{Prefix: "400"}, []string{"400", "400001", "400999"}},
			{store.PincodeRiskFilter{Prefix: "40"}, []string{"400", "400001", "400999", "40100"}},
			{store.PincodeRiskFilter{Prefix: "4009", Risk: "LOW"}, []string{"400999"}},
			{store.PincodeRiskFilter{Risk: "HIGH"}, []string{"400001", "40100"}},
			{store.PincodeRiskFilter{Pincode: "400"}, []string{"400"}},
			{store.PincodeRiskFilter{Pincode: "4"}, nil},
		} {
			if diff := cmp.Diff(c.want, pincodes(t, scope, c.filter, 2)); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.filter, diff)
			}
		}
		before := changes(t, scope)
		for who, other := range others {
			doing(t, other, func(tx *store.Tx) error {
				n, err := tx.PincodeRisks().Remove([]string{"400001", "400"})
				if n != 0 {
					t.Errorf("%s removed %d", who, n)
				}
				return err
			})
			doing(t, other, func(tx *store.Tx) error { return tx.PincodeRisks().Replace(nil) })
			if found := pincodes(t, other, store.PincodeRiskFilter{}, 2); found != nil {
				t.Errorf("%s sees %v", who, found)
			}
			if all, err := other.PincodeRisks(t.Context()).All(); err != nil || all != nil {
				t.Errorf("%s sees %v, %v", who, all, err)
			}
		}
		if changes(t, scope) != before {
			t.Error("a change in another scope was counted")
		}
		doing(t, scope, func(tx *store.Tx) error {
			n, err := tx.PincodeRisks().Remove([]string{"400001", "999999", "400", "400"})
			if n != 2 {
				t.Errorf("removed %d", n)
			}
			return err
		})
		doing(t, scope,
			func(tx *store.Tx) error { return tx.PincodeRisks().Put([]store.PincodeRisk{risk("110001", "LOW")}) })
		if diff := cmp.Diff([]string{"110001", "400999"},
			pincodes(t, scope, store.PincodeRiskFilter{Risk: "LOW"}, 5)); diff != "" || changes(t, scope) < before+2 {
			t.Errorf("(-want +got):\n%s", diff)
		}
		doing(t, scope,
			func(tx *store.Tx) error { return tx.PincodeRisks().Replace([]store.PincodeRisk{risk("560001", "LOW")}) })
		if diff := cmp.Diff([]string{"560001"}, pincodes(t, scope, store.PincodeRiskFilter{}, 5)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestManyPincodeRisks checks that MaxPincodeRisks entries can be stored, and that one
// more is refused.
func TestManyPincodeRisks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		const atOnce = 5000
		var digits []string
		for i := range store.MaxPincodeRisks / atOnce {
			entries := make([]store.PincodeRisk, atOnce)
			for k := range entries {
				entries[k] = risk(fmt.Sprint(100000+i*atOnce+k), "LOW")
				digits = append(digits, entries[k].Pincode)
			}
			doing(t, scope, func(tx *store.Tx) error { return tx.PincodeRisks().Put(entries) })
		}
		more := func(tx *store.Tx) error { return tx.PincodeRisks().Put([]store.PincodeRisk{risk("999", "LOW")}) }
		wantKind(t, scope.Write(t.Context(), more), fault.Invalid, fault.CodeTooMany)
		if all, err := scope.PincodeRisks(t.Context()).All(); err != nil || len(all) != store.MaxPincodeRisks {
			t.Errorf("%d entries, %v", len(all), err)
		}
		doing(t, scope, func(tx *store.Tx) error {
			n, err := tx.PincodeRisks().Remove(digits[:atOnce])
			if n != atOnce {
				t.Errorf("removed %d", n)
			}
			return err
		})
		wantKind(t, scope.Write(t.Context(), more), 0, "")
	})
}

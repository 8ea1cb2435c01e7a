//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// fillBy fills a database with a statement, bypassing package store.
func fillBy(t *testing.T, databaseURL, kind, statement string) {
	t.Helper()
	tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "postgres" {
		execIn(t, tx, "SELECT set_config('verdict.role', 'system', true)")
	}
	execIn(t, tx, statement)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// TestScanLimit searches for rare decisions among many. It checks that every page ends
// after a limited scan, that all pages together contain all matching decisions in
// order, and that a search without results ends.
func TestScanLimit(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		fillBy(t, databaseURL, db.Kind(), manyDecisions)
		scope := db.Scope("ten_0", "sandbox") // has every third decision
		for _, filter := range []store.DecisionFilter{
			{Status: "REFERRED", Grade: "A"},
			{Status: "APPROVED", Grade: "A", PolicyID: "pol_1"},
			{Grade: "B", PolicyID: "pol_2"},
			{Status: "APPROVED", PolicyID: "none"},
			{Status: "DECLINED", Grade: "B"},
			{Endpoint: "none"},
			{PolicyKey: "none", Grade: "B"},
		} {
			for _, descending := range []bool{false, true} {
				found := wholeList(t, scope, filter, store.Page{Limit: 50, Descending: descending})
				if diff := cmp.Diff(wantedIDs(filter, descending), found); diff != "" {
					t.Errorf("%+v, descending %v (-want +got):\n%s", filter, descending, diff)
				}
			}
		}
		_, next, err := scope.Decisions(t.Context()).List(store.DecisionFilter{Status: "DECLINED", Grade: "B"},
			store.Page{})
		if err != nil || next.ID != "dec_106015" { // the 2,000th decision with grade B
			t.Errorf("a page in which nothing is found ends at %v: %v", next, err)
		}
		trail := wholeTrail(t, scope, store.AuditFilter{Actor: "key_2"}, store.Page{Descending: true})
		if len(trail) != 0 {
			t.Errorf("a key that did nothing has %d entries", len(trail))
		}
		trail = wholeTrail(t, scope, store.AuditFilter{Actor: "key_1"}, store.Page{Limit: 200, Descending: true})
		if !slices.IsSortedFunc(trail, func(a, b store.AuditEntry) int { return strings.Compare(b.ID, a.ID) }) ||
			len(trail) != 20_000/3 {
			t.Errorf("a key that decided everything has %d entries", len(trail))
		}
	})
}

// wantedIDs returns the ids of the decisions in manyDecisions that match the filter. It computes them from the numbers
// in the ids.
func wantedIDs(f store.DecisionFilter, descending bool) (ids []string) {
	for i := 3; i <= 20_000; i += 3 {
		status, grade, policy := "APPROVED", "B", "pol_1"
		if i%500 == 0 {
			status = "REFERRED"
		}
		if i%400 == 0 {
			grade = "A"
		}
		if i%300 == 0 {
			policy = "pol_2"
		}
		is := func(wanted, value string) bool { return wanted == "" || wanted == value }
		if is(f.Status, status) && is(f.Grade, grade) && is(f.PolicyID, policy) && is(f.PolicyKey,
			"default") && is(f.Endpoint, "e") {
			ids = append(ids, fmt.Sprintf("dec_%d", 100_000+i))
		}
	}
	if descending {
		slices.Reverse(ids)
	}
	return ids
}

// wholeList reads all pages and returns the ids. Some pages have few results, because
// each page scans a limited number of rows.
func wholeList(t *testing.T, scope *store.Scope, f store.DecisionFilter, p store.Page) (ids []string) {
	t.Helper()
	for pages := 0; ; pages++ {
		rows, next, err := scope.Decisions(t.Context()).List(f, p)
		if err != nil || pages > 1000 {
			t.Fatalf("page %d: %v", pages, err)
		}
		for _, d := range rows {
			ids = append(ids, d.ID)
		}
		if p.AfterMicros, p.AfterID = next.Micros, next.ID; next.ID == "" {
			return ids
		}
	}
}

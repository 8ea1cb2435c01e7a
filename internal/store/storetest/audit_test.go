//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestListAudit checks that stored entries and decisions are listed together in one order, with pages of any
// size. Every decision counts as an audit entry.
func TestListAudit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := db.Scope("ten_A", sandbox)
		want := trail(t, scope)
		for _, c := range []struct {
			name   string
			filter store.AuditFilter
			page   store.Page
			want   []store.AuditEntry
		}{
			{"all", store.AuditFilter{}, store.Page{}, want},
			{"decisions", store.AuditFilter{Action: store.ActionDecided}, store.Page{},
				chosen(want, func(e store.AuditEntry) bool { return e.Action == store.ActionDecided })},
			{"another action", store.AuditFilter{Action: "looked"}, store.Page{},
				chosen(want, func(e store.AuditEntry) bool { return e.Action == "looked" })},
			{"an actor", store.AuditFilter{Actor: "key_1"}, store.Page{},
				chosen(want, func(e store.AuditEntry) bool { return e.Actor == "key_1" })},
			{"an object", store.AuditFilter{Object: "dec_004"}, store.Page{},
				chosen(want, func(e store.AuditEntry) bool { return e.Object == "dec_004" })},
			{"no such object", store.AuditFilter{Object: "dec_999"}, store.Page{}, nil},
			{"from", store.AuditFilter{}, store.Page{FromMicros: 1002, FromID: "dec_004"},
				chosen(want, func(e store.AuditEntry) bool { return e.CreatedMicros >= 1002 })},
			{"until", store.AuditFilter{}, store.Page{ToMicros: 1003, ToID: "dec_006"},
				chosen(want, func(e store.AuditEntry) bool { return e.CreatedMicros < 1003 })},
			{"times alone", store.AuditFilter{}, store.Page{
				FromMicros: 1001,
				ToMicros:   1003,
			}, chosen(want,
				func(e store.AuditEntry) bool { return e.CreatedMicros >= 1001 && e.CreatedMicros < 1003 })},
		} {
			for _, limit := range []int{0, 1, 2, 3, len(want)} {
				for _, descending := range []bool{false, true} {
					c.page.Limit, c.page.Descending = limit, descending
					got := wholeTrail(t, scope, c.filter, c.page)
					if descending {
						slices.Reverse(got)
					}
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("%s by %d, descending %t (-want +got):\n%s", c.name, limit, descending, diff)
					}
				}
			}
		}
		for who, other := range neighbours(t, db, "ten_B") {
			if got := wholeTrail(t, other, store.AuditFilter{Actor: "key_1"}, store.Page{}); len(got) != 0 {
				t.Errorf("%s sees %v", who, got)
			}
		}
	})
}

// trail creates decisions and stored entries, two with each timestamp, and returns the audit entries that a list must
// return.
func trail(t *testing.T, scope *store.Scope) (want []store.AuditEntry) {
	t.Helper()
	for i := range 10 {
		micros := int64(1000 + i/2)
		e := store.AuditEntry{ID: numbered("aud", i), Environment: sandbox, CreatedMicros: micros, Actor: "key_1"}
		var err error
		if i%3 == 1 {
			e.Actor, e.Action, e.Object, e.Note = "usr_1", "looked", numbered("dec", i), "why"
			err = scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Audit().Add(e) })
		} else {
			w := decision(numbered("dec", i), store.Unmetered)
			w.Decision.CreatedMicros = micros
			e.Action, e.Object = store.ActionDecided, w.Decision.ID
			err = scope.InsertDecision(t.Context(), w)
		}
		wantKind(t, err, 0, "")
		want = append(want, e)
	}
	unasked := decision("dec_100", store.Unmetered)
	unasked.Decision.Actor = ""
	wantKind(t, scope.InsertDecision(t.Context(), unasked), 0, "")
	return want
}

func chosen(entries []store.AuditEntry, which func(store.AuditEntry) bool) (list []store.AuditEntry) {
	for _, e := range entries {
		if which(e) {
			list = append(list, e)
		}
	}
	return list
}

// wholeTrail reads all pages.
func wholeTrail(t *testing.T, scope *store.Scope, f store.AuditFilter, p store.Page) (list []store.AuditEntry) {
	t.Helper()
	for {
		rows, next, err := scope.Audit(t.Context()).List(f, p)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rows...)
		if p.AfterMicros, p.AfterID = next.Micros, next.ID; next.ID == "" {
			return list
		}
	}
}

//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestRuleSet(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		stored, err := storetest.InsertRuleSet(ctx, scope, draft("pol_2"),
			store.AuditEntry{ID: "aud_2", Action: "rule_set.created", Object: "pol_2"})
		want := draft("pol_2")
		want.Version, want.Status = 2, store.StatusDraft
		if diff := cmp.Diff(want, stored); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		got, err := scope.RuleSets(ctx).Get("pol_2")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.RuleSets(ctx).Get("pol_none")
		wantNotFound(t, err)
		_, err = storetest.InsertRuleSet(ctx, scope, draft("pol_2"), store.AuditEntry{})
		wantKind(t, err, fault.Conflict, fault.CodeVersionConflict)
		another := draft("pol_gold")
		another.PolicyKey = "gold"
		if stored, err := storetest.InsertRuleSet(ctx, scope, another, store.AuditEntry{}); err != nil ||
			stored.Version != 1 {
			t.Errorf("got %+v, %v", stored, err)
		}
		_, err = scope.RuleSets(ctx).Active("gold")
		wantNotFound(t, err)
		for who, other := range others {
			t.Log(who)
			_, err := other.RuleSets(ctx).Get("pol_2")
			wantNotFound(t, err)
			if sets, _, err := other.RuleSets(ctx).List(store.RuleSetFilter{PolicyKey: "gold"},
				store.Page{}); err != nil || len(sets) != 0 {
				t.Errorf("got %v, %v", sets, err)
			}
		}
	})
}

// TestVersions checks that concurrent inserts get every version number once, without a
// gap.
func TestVersions(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const n = 24
		db := storetest.Open(t, databaseURL, store.Options{})
		scopes := []*store.Scope{signUp(t, db, "ten_A"), secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
		versions := make([]int64, n)
		errs := race(n, func(i int) error {
			stored, err := storetest.InsertRuleSet(t.Context(), scopes[i%len(scopes)], draft(numbered("pol", i)),
				store.AuditEntry{})
			versions[i] = stored.Version
			return err
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Fatalf("%d of %d inserted", got, n)
		}
		slices.Sort(versions)
		for i, version := range versions {
			if version != int64(i+2) { // the seed is version 1
				t.Fatalf("got versions %v", versions)
			}
		}
	})
}

// secondNode returns another handle on a PostgreSQL database, like another process. Only one process uses a
// SQLite file, so for SQLite secondNode returns the same handle.
func secondNode(t *testing.T, db *store.DB, databaseURL string) *store.DB {
	t.Helper()
	if db.Kind() == "sqlite" {
		return db
	}
	return storetest.Open(t, databaseURL, store.Options{})
}

func TestListRuleSets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 7 {
			set := draft(numbered("pol", i))
			set.CreatedMicros = int64(1000 + i/2) // two rule sets have the same time and differ by id
			if _, err := storetest.InsertRuleSet(ctx, scope, set, store.AuditEntry{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, descending := range []bool{false, true} {
			var ids []string
			page := store.Page{Limit: 3, Descending: descending, FromMicros: 1000, ToMicros: 1003}
			for range 5 {
				sets, more, err := scope.RuleSets(ctx).List(
					store.RuleSetFilter{Status: store.StatusDraft, PolicyKey: "default"}, page)
				if err != nil {
					t.Fatal(err)
				}
				for _, set := range sets {
					ids = append(ids, set.ID)
				}
				if !more {
					break
				}
				last := sets[len(sets)-1]
				page.AfterMicros, page.AfterID = last.CreatedMicros, last.ID
			}
			want := []string{"pol_000", "pol_001", "pol_002", "pol_003", "pol_004", "pol_005"}
			if descending {
				slices.Reverse(want)
			}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("descending %t (-want +got):\n%s", descending, diff)
			}
		}
		active, more, err := scope.RuleSets(ctx).List(store.RuleSetFilter{Status: store.StatusActive}, store.Page{})
		if err != nil || more || len(active) != 1 {
			t.Errorf("got %v, %t, %v", active, more, err)
		}
	})
}

func TestScorecards(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		card := store.Scorecard{
			ID:            "sc_1",
			Name:          "PL",
			Document:      []byte(`{"base_points":650}`),
			Checksum:      "sha256:c",
			CreatedMicros: 200,
			CreatedBy:     "key_1",
		}
		stored, err := storetest.InsertScorecard(ctx, scope, card,
			store.AuditEntry{ID: "aud_sc", Action: "scorecard.created", Object: "sc_1"})
		card.Version = 1
		if diff := cmp.Diff(card, stored); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		again := card
		again.ID = "sc_2"
		if stored, err := storetest.InsertScorecard(ctx, scope, again, store.AuditEntry{}); err != nil ||
			stored.Version != 2 {
			t.Errorf("got %+v, %v", stored, err)
		}
		got, err := scope.Scorecards(ctx).Get("sc_1")
		if diff := cmp.Diff(card, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Scorecards(ctx).Get("sc_none")
		wantNotFound(t, err)
		_, err = storetest.InsertScorecard(ctx, scope, card, store.AuditEntry{})
		wantKind(t, err, fault.Conflict, fault.CodeVersionConflict)
		cards, more, err := scope.Scorecards(ctx).List("PL", store.Page{Limit: 1})
		if err != nil || !more || len(cards) != 1 || cards[0].ID != "sc_1" {
			t.Errorf("got %v, %t, %v", cards, more, err)
		}
		for who, other := range others {
			t.Log(who)
			_, err := other.Scorecards(ctx).Get("sc_1")
			wantNotFound(t, err)
			if cards, _, err := other.Scorecards(ctx).List("PL", store.Page{}); err != nil || len(cards) != 0 {
				t.Errorf("got %v, %v", cards, err)
			}
		}
	})
}

// TestPagesOfLargeDocuments checks that a page of large documents ends early but has
// at least one row, and that the next page continues after the last row of the page.
func TestPagesOfLargeDocuments(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		const mib = 1 << 20
		sizes := []int{3 * mib, mib, 1, 5 * mib, 5 * mib, 100} // a page has at most 4 MiB
		for i, size := range sizes {
			set := draft(numbered("pol", i))
			set.PolicyKey, set.CreatedMicros, set.Document = "large", int64(1000+i), bytes.Repeat([]byte("x"), size)
			if _, err := storetest.InsertRuleSet(ctx, scope, set, store.AuditEntry{}); err != nil {
				t.Fatal(err)
			}
			card := store.Scorecard{
				ID:            numbered("sc", i),
				Name:          "large",
				Document:      set.Document,
				CreatedMicros: set.CreatedMicros,
			}
			if _, err := storetest.InsertScorecard(ctx, scope, card, store.AuditEntry{}); err != nil {
				t.Fatal(err)
			}
		}
		for name, read := range map[string]func(store.Page) (lengths []int, last store.Position, more bool, err error){
			"rule sets": func(p store.Page) (lengths []int, last store.Position, more bool, err error) {
				sets, more, err := scope.RuleSets(ctx).List(store.RuleSetFilter{PolicyKey: "large"}, p)
				for _, set := range sets {
					lengths, last = append(lengths, len(set.Document)),
						store.Position{Micros: set.CreatedMicros, ID: set.ID}
				}
				return lengths, last, more, err
			},
			"scorecards": func(p store.Page) (lengths []int, last store.Position, more bool, err error) {
				cards, more, err := scope.Scorecards(ctx).List("large", p)
				for _, card := range cards {
					lengths, last = append(lengths, len(card.Document)),
						store.Position{Micros: card.CreatedMicros, ID: card.ID}
				}
				return lengths, last, more, err
			},
		} {
			var pages [][]int
			for page, more := (store.Page{}), true; more && len(pages) <= len(sizes); {
				var lengths []int
				var last store.Position
				var err error
				if lengths, last, more, err = read(page); err != nil {
					t.Fatal(err)
				}
				pages = append(pages, lengths)
				page.AfterMicros, page.AfterID = last.Micros, last.ID
			}
			if diff := cmp.Diff([][]int{{3 * mib, mib}, {1}, {5 * mib}, {5 * mib}, {100}}, pages); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

package policydesk_test

import (
	"bytes"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestUnreadableRuleSet checks that a version that this service can no longer
// read is still listed and shown, does not hide other versions, and cannot be
// activated.
func TestUnreadableRuleSet(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	var logged bytes.Buffer
	h := usecasetest.Open(t, storetest.Open(t, databaseURL, store.Options{}),
		usecase.Options{Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	old, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, `{"name":"old"}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	id := old.ID
	_, err = storetest.Raw(t, databaseURL).ExecContext(t.Context(),
		"UPDATE rule_sets SET document = $1 WHERE id = $2",
		[]byte(`{"name":"old","policy_key":"default","from":"another time"}`), id)
	if err != nil {
		t.Fatal(err)
	}
	list := operation.List{Limit: 50}
	sets, err := h.Service.Policies.RuleSets(t.Context(), h.Caller, policydesk.RuleSetFilter{}, list)
	if err != nil || len(sets.Data) != 3 {
		t.Errorf("%d versions are listed, %v", len(sets.Data), err)
	}
	// loggedOnce checks that the last operation wrote one line that names the rule set and
	// shows nothing of its document.
	loggedOnce := func(operation string) {
		t.Helper()
		line := logged.String()
		logged.Reset()
		if strings.Count(line, id) != 1 || strings.Count(line, "\n") != 1 || strings.Contains(line, "another time") {
			t.Errorf("%s logged %q", operation, line)
		}
	}
	loggedOnce("the list of rule sets")
	if shown, err := h.Service.Policies.RuleSet(t.Context(), h.Caller, id); err != nil || shown.ID != id {
		t.Errorf("shown %v, %v", shown.ID, err)
	}
	loggedOnce("the rule set")
	views, err := h.Service.Policies.Policies(t.Context(), h.Caller, policydesk.PolicyFilter{}, list)
	if err != nil || len(views.Data) != 2 {
		t.Errorf("%d policies are rendered, %v", len(views.Data), err)
	}
	loggedOnce("the list of policies")
	_, err = h.Service.Policies.Activate(t.Context(), h.Caller, id, policydesk.Activation{}, nil)
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != fault.CodeInvalidTransition {
		t.Errorf("activated: %v", err)
	}
}

// TestPagesOfUnreadableRuleSets checks that a page on which no policy can be
// rendered is empty, and that its cursor leads to the next page.
func TestPagesOfUnreadableRuleSets(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t)
	h := usecasetest.Open(t, storetest.Open(t, databaseURL, store.Options{}), usecase.Options{})
	for range 3 {
		_, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, `{"name":"old"}`), nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(),
		"UPDATE rule_sets SET document = $1 WHERE name = 'old'",
		[]byte(`{"name":"old","policy_key":"default","from":"another time"}`)); err != nil {
		t.Fatal(err)
	}
	for limit, want := range map[int][]int{1: {0, 0, 0, 1, 1}, 2: {0, 1, 1}, 3: {0, 2}, 5: {2}} {
		var found []int
		list := operation.List{Limit: limit}
		for range 6 {
			views, err := h.Service.Policies.Policies(t.Context(), h.Caller, policydesk.PolicyFilter{}, list)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, len(views.Data))
			if list.Cursor = views.NextCursor; list.Cursor == "" {
				break
			}
		}
		if !slices.Equal(found, want) {
			t.Errorf("pages of %d have %v policies, want %v", limit, found, want)
		}
	}
}

// TestUnreadableRuleSetIsNotCompared checks that a version that this service can no longer read is not compared with
// any other: neither as the new version, nor as the old one, nor if it is active. The refusal names the version.
func TestUnreadableRuleSetIsNotCompared(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.SQLite(t) // with PostgreSQL, a connection of the test may not change the document
	db := storetest.Open(t, databaseURL, store.Options{})
	h := usecasetest.Open(t, db, usecase.Options{})
	spoil := func(id string) {
		t.Helper()
		result, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(),
			"UPDATE rule_sets SET document = $1 WHERE id = $2",
			[]byte(`{"name":"old","policy_key":"default","from":"another time"}`), id)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := result.RowsAffected(); err != nil || n != 1 {
			t.Fatalf("%d documents are changed, %v", n, err)
		}
	}
	var ids []string
	for _, text := range []string{`{"name":"old"}`, `{"name":"new","limit_step":500}`} {
		set, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, text), nil)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, set.ID)
	}
	old, readable := ids[0], ids[1]
	spoil(old)
	refused := func(desk *policydesk.Service, id, against, names string) {
		t.Helper()
		d, err := desk.Diff(t.Context(), h.Caller, id, policydesk.Comparison{Against: against})
		if fault.KindOf(err) != fault.Conflict || fault.CodeOf(err) != fault.CodeInvalidTransition ||
			!strings.Contains(err.Error(), names) || d.Equal || d.Complete {
			t.Errorf("%s against %q: %v, equal is %v", id, against, err, d.Equal)
		}
	}
	desk := h.Service.Policies
	refused(desk, old, "", old)
	refused(desk, old, readable, old)
	refused(desk, readable, old, old)
	refused(desk, old, old, old)
	d, err := desk.Diff(t.Context(), h.Caller, readable, policydesk.Comparison{})
	if err != nil || !d.Complete {
		t.Fatalf("%v, complete is %v", err, d.Complete)
	}
	spoil(d.FromID)
	another, err := usecase.New(db, usecase.Options{ // another node, whose cache is empty
		PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey, Now: usecasetest.NewClock().Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	refused(another.Policies, readable, policydesk.AgainstActive, d.FromID)
}

package tabledesk_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/table"
	"verdict/internal/tabledesk"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

// bench is a service with a clock that the test advances.
type bench struct {
	*usecasetest.House
	clock *usecasetest.Clock
	db    *store.DB
	url   string
}

// each runs a test on both databases.
func each(t *testing.T, test func(b *bench)) {
	t.Helper()
	for kind, migrated := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { t.Helper(); return storetest.MigratedSQLite(t) },
		"postgres": func(t *testing.T) string { t.Helper(); return storetest.MigratedPostgres(t) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			url := migrated(t)
			db := storetest.Open(t, url, store.Options{})
			clock := usecasetest.NewClock()
			house := usecasetest.Open(t, db, usecase.Options{Now: clock.Now})
			test(&bench{House: house, clock: clock, db: db, url: url})
		})
	}
}

// upload reads the JSON of a table.
func upload(tb testing.TB, name, text string) tabledesk.Upload {
	tb.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	var faults fault.List
	f := wire.NewForm(v, &faults)
	definition := table.ReadDefinition(&f, name, &faults)
	rows := table.ReadRows(f.Array("rows", table.MaxRows), &faults)
	f.Done()
	if err := faults.Err(); err != nil {
		tb.Fatal(err)
	}
	return tabledesk.Upload{Definition: &definition, Rows: rows}
}

// replace replaces a table.
func (b *bench) replace(name, text string) tabledesk.Changed {
	b.Helper()
	changed, err := b.Service.Tables.Replace(b.Context(), b.Caller, name, upload(b.T, name, text), operation.AnyVersion)
	if err != nil {
		b.Fatal(err)
	}
	return changed
}

// draft stores a draft with a condition in its knockout.
func (b *bench) draft(condition string) (policydesk.RuleSet, error) {
	const policy = `{"name":"ltv","inputs":[{"name":"applicant.pin","type":"string"},
		{"name":"applicant.ltv","type":"number"}],
		"patch":{"knockouts":{"set":[{"id":"KO_LTV","reason_code":"LTV_HIGH","condition_ast":CONDITION}]}}}`
	return b.Service.Policies.CreateRuleSet(b.Context(), b.Caller,
		usecasetest.Draft(b.T, strings.Replace(policy, "CONDITION", condition, 1)), nil)
}

// activate stores and activates a draft.
func (b *bench) activate(condition string) policydesk.RuleSet {
	b.Helper()
	set, err := b.draft(condition)
	if err == nil {
		set, err = b.Service.Policies.Activate(b.Context(), b.Caller, set.ID, policydesk.Activation{}, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// from returns an application with further members of the applicant.
func from(members string) string {
	return strings.Replace(usecasetest.Sample, `"id":"A-1"`, `"id":"A-1"`+members, 1)
}

// explained returns a stored decision with its explanation, and its decoded response.
func (b *bench) explained(id string) (decisioning.Explained, map[string]any) {
	b.Helper()
	shown, err := b.Service.Decisions.Decision(b.Context(), b.Caller, id, decisioning.WithFacts)
	if err != nil {
		b.Fatal(err)
	}
	return shown, usecasetest.Object(b.T, shown.Response)
}

// equalJSON reports whether a decoded value equals the value of a JSON text.
func equalJSON(t *testing.T, got any, text string) bool {
	t.Helper()
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(got, want)
}

package listdesk_test

import (
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
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

// replace replaces a text list.
func (b *bench) replace(name string, values ...string) listdesk.Changed {
	b.Helper()
	u := listdesk.Upload{Type: list.Text}
	for _, v := range values {
		u.Entries = append(u.Entries, listdesk.NewEntry{Value: v})
	}
	changed, err := b.Service.Lists.Replace(b.Context(), b.Caller, name, u, operation.AnyVersion)
	if err != nil {
		b.Fatal(err)
	}
	return changed
}

// employerRule is a draft with a knockout on the employer.
const employerRule = `{"name":"employers","inputs":[{"name":"applicant.employer","type":"string"}],
	"patch":{"knockouts":{"set":[{"id":"KO_EMPLOYER","reason_code":"EMP_LISTED","condition_ast":CONDITION}]}}}`

// draft stores a draft with a condition in its knockout.
func (b *bench) draft(condition string) (policydesk.RuleSet, error) {
	return b.Service.Policies.CreateRuleSet(b.Context(), b.Caller,
		usecasetest.Draft(b.T, strings.Replace(employerRule, "CONDITION", condition, 1)), nil)
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

const (
	inBad    = `{"op":"in_list","field":"applicant.employer","list":"bad_employers"}`
	notInBad = `{"op":"not_in_list","field":"applicant.employer","list":"bad_employers"}`
)

// from returns an application with an employer, or without one if employer is "".
func from(employer string) string {
	if employer == "" {
		return usecasetest.Sample
	}
	return strings.Replace(usecasetest.Sample, `"id":"A-1"`, `"id":"A-1","employer":"`+employer+`"`, 1)
}

// explained returns a stored decision, explained again.
func (b *bench) explained(id string) (decisioning.Explained, map[string]any) {
	b.Helper()
	shown, err := b.Service.Decisions.Decision(b.Context(), b.Caller, id, decisioning.WithFacts)
	if err != nil {
		b.Fatal(err)
	}
	return shown, usecasetest.Object(b.T, shown.Response)
}

// TestDecideByList decides with a list, and checks what the decision says about it: the status, the reason, the
// version and the stored facts. Then the list changes, and the decision is still explained in the same way.
func TestDecideByList(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("bad_employers", "Acme  Ltd", "Globex")
		b.activate(inBad)
		listed, free, silent := b.Decided(b.T, from(" ACME ltd ")), b.Decided(b.T, from("Initech")),
			b.Decided(b.T, from(""))

		b.replace("bad_employers", "Initech")
		b.clock.Pass(time.Second)

		shown, answer := b.explained(listed)
		if answer["status"] != "DECLINED" || !shown.Again.Verified {
			b.Errorf("status %v, verified %v", answer["status"], shown.Again.Verified)
		}
		text := strings.Join(shown.Again.Text, "\n")
		if !strings.Contains(text, "applicant.employer is in the list bad_employers") ||
			strings.Contains(text, "ACME") {
			b.Errorf("the explanation is %s", text)
		}
		if versions := usecasetest.Object(b.T, shown.Response)["lists"]; !equalJSON(b.T, versions,
			`[{"name":"bad_employers","version":1}]`) {
			b.Errorf("the lists of the answer are %v", versions)
		}
		if got := shown.Facts.Get("list.bad_employers.applicant.employer"); !got.IsTrue() {
			b.Errorf("the fact is %v", got)
		}
		if got := shown.Facts.Get("list_version.bad_employers").String(); got != "1" {
			b.Errorf("the version is %s", got)
		}

		shown, answer = b.explained(free)
		if answer["status"] != "APPROVED" || !shown.Again.Verified {
			b.Errorf("status %v, verified %v", answer["status"], shown.Again.Verified)
		}
		shown, answer = b.explained(silent)
		if answer["status"] != "APPROVED" || !shown.Again.Verified || answer["lists"] != nil {
			b.Errorf("without an employer: status %v, verified %v, lists %v", answer["status"], shown.Again.Verified,
				answer["lists"])
		}
		found := false
		for _, n := range shown.Again.NotEvaluated {
			found = found || n.ID == "KO_EMPLOYER" && len(n.Missing) == 1 && n.Missing[0] == "applicant.employer"
		}
		if !found {
			b.Errorf("not evaluated: %v", shown.Again.NotEvaluated)
		}

		again := b.Decided(b.T, from("Initech"))
		if _, answer = b.explained(again); answer["status"] != "DECLINED" ||
			!equalJSON(b.T, answer["lists"], `[{"name":"bad_employers","version":2}]`) {
			b.Errorf("after the change: %v with %v", answer["status"], answer["lists"])
		}
		report, err := b.Service.Decisions.Audit.Verify(b.Context(), "", nil)
		if err != nil || report.Failed > 0 {
			b.Errorf("verify: %+v, %v", report, err)
		}
	})
}

// TestAbsentSatisfiesNeither checks that an application without the field satisfies neither "in_list" nor
// "not_in_list", nor the negation of one of them.
func TestAbsentSatisfiesNeither(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("bad_employers", "Acme")
		for condition, want := range map[string]map[string]string{
			inBad:                                 {"": "APPROVED", "acme": "DECLINED", "other": "APPROVED"},
			notInBad:                              {"": "APPROVED", "acme": "APPROVED", "other": "DECLINED"},
			`{"op":"not","arg":` + inBad + `}`:    {"": "APPROVED", "acme": "APPROVED", "other": "DECLINED"},
			`{"op":"not","arg":` + notInBad + `}`: {"": "APPROVED", "acme": "DECLINED", "other": "APPROVED"},
		} {
			b.activate(condition)
			b.clock.Pass(time.Second)
			for employer, status := range want {
				if _, answer := b.explained(b.Decided(b.T, from(employer))); answer["status"] != status {
					b.Errorf("%s with %q: %v, want %s", condition, employer, answer["status"], status)
				}
			}
		}
	})
}

// TestListsThatAreMissing checks the refusals of drafts, activations, previews and deletions.
func TestListsThatAreMissing(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		_, err := b.draft(inBad)
		if got := usecasetest.Pointers(b.T, err); usecasetest.CodeOf(err) != fault.CodeUnknownList ||
			got[0] != "/patch/knockouts/set/0/condition_ast/list" {
			b.Errorf("an unknown list: %v at %v", err, got)
		}
		b.replace("bad_employers", "Acme")
		set, err := b.draft(inBad)
		if err != nil {
			b.Fatal(err)
		}
		if err := b.Service.Lists.Delete(b.Context(), b.Caller, "bad_employers", operation.AnyVersion); err != nil {
			b.Fatal(err)
		}
		_, err = b.Service.Policies.Activate(b.Context(), b.Caller, set.ID, policydesk.Activation{}, nil)
		if usecasetest.CodeOf(err) != fault.CodeListMissing {
			b.Errorf("activated without its list: %v", err)
		}
		preview := decisioning.WhatIf{
			Request: application.DecisionRequest(usecasetest.Parse(b.T, from("acme"))), RuleSetID: set.ID,
		}
		if _, err = b.Service.Decisions.Preview(b.Context(), b.Caller, preview); usecasetest.CodeOf(err) !=
			fault.CodeListMissing {
			b.Errorf("previewed without its list: %v", err)
		}

		b.replace("bad_employers", "Acme")
		before, err := b.Service.Policies.Activate(b.Context(), b.Caller, set.ID, policydesk.Activation{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		err = b.Service.Lists.Delete(b.Context(), b.Caller, "bad_employers", operation.AnyVersion)
		if usecasetest.CodeOf(err) != fault.CodeListInUse {
			b.Errorf("a list in use was deleted: %v", err)
		}
		b.activate(`{"op":"false"}`)
		err = b.Service.Lists.Delete(b.Context(), b.Caller, "bad_employers", operation.AnyVersion)
		if usecasetest.CodeOf(err) != fault.CodeListInUse {
			b.Errorf("a list of the previous rule set was deleted: %v", err)
		}
		if _, err = b.Service.Policies.Activate(
			b.Context(), b.Caller, before.ID, policydesk.Activation{}, nil,
		); err != nil {
			b.Errorf("the rollback failed: %v", err)
		}
		b.activate(`{"op":"false"}`)
		b.activate(`{"op":"not","arg":{"op":"true"}}`)
		if err := b.Service.Lists.Delete(b.Context(), b.Caller, "bad_employers", operation.AnyVersion); err != nil {
			b.Errorf("a list that nothing needs was not deleted: %v", err)
		}
	})
}

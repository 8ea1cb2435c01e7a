package listdesk_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// BenchmarkMillion uploads a list of a million entries, and compares decisions of the same policy with and without
// a lookup in it. Each decision is stored. The employers of the applications are all different.
func BenchmarkMillion(b *testing.B) {
	db := storetest.Open(b, storetest.MigratedSQLite(b), store.Options{})
	service, err := usecase.New(db, usecase.Options{PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey})
	if err != nil {
		b.Fatal(err)
	}
	caller := signedUp(b, service)
	started := time.Now()
	upload := listdesk.Upload{Type: list.Text, CSV: strings.NewReader(file(1, list.MaxEntries))}
	if _, err := service.Lists.Replace(b.Context(), caller, "bad_employers", upload, operation.AnyVersion); err != nil {
		b.Fatal(err)
	}
	b.Logf("the upload took %v", time.Since(started))
	b.Run("patch", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			patch := listdesk.Patch{Add: []listdesk.NewEntry{{Value: fmt.Sprint("employer ", i%1000+1)}}}
			if _, err := service.Lists.Change(b.Context(), caller, "bad_employers", patch, operation.AnyVersion); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lookup", func(b *testing.B) {
		ref := rule.Ref{Name: "applicant.employer", ID: rule.Undeclared, Type: rule.StringType}
		questions := []rule.NamedLookup{rule.Lookup{List: "bad_employers", Field: ref}.Named()}
		facts := rule.NewFacts(field.Catalogue())
		values := make([]rule.Value, 10_000)
		for i := range values {
			values[i] = rule.Str(fmt.Sprint("Employer ", i*211))
		}
		lookUp := func(i int) {
			facts.Reset()
			facts.Set(ref.Name, values[i%len(values)])
			if err := service.Lists.LookUp(context.Background(), operation.ScopeOf(caller), questions, facts, 1); err != nil {
				b.Fatal(err)
			}
		}
		for i := range values { // loads all chunks
			lookUp(i)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			lookUp(i)
		}
	})
	for _, c := range []struct{ name, condition string }{
		{"decide/without", `{"op":"eq","field":"applicant.employer","value":"nobody"}`}, {"decide/with", inBad},
	} {
		draft := engine.NewDraft(parsed(b, strings.Replace(employerRule, "CONDITION", c.condition, 1)))
		set, err := service.Policies.CreateRuleSet(b.Context(), caller, draft, nil)
		if err == nil {
			_, err = service.Policies.Activate(b.Context(), caller, set.ID, policydesk.Activation{}, nil)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				request := application.DecisionRequest(parsed(b, from(fmt.Sprint("Employer ", i*211%2_000_000))))
				if _, err := service.Decisions.Decide(b.Context(), caller, request, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

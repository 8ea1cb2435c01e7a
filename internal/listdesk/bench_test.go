package listdesk_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
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
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// BenchmarkMillion uploads a list of a million entries, and compares decisions under two policies: one looks the
// employer up in the list, and the other does not. Each decision is stored. The employers of the applications are
// all different, and none is in the list, so that both policies approve.
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
			if _, err := service.Lists.Change(
				b.Context(), caller, "bad_employers", patch, operation.AnyVersion,
			); err != nil {
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
			if err := service.Lists.LookUp(
				context.Background(), operation.ScopeOf(caller), questions, facts, 1,
			); err != nil {
				b.Fatal(err)
			}
		}
		for i := range values { // loads all chunks
			lookUp(i)
		}
		b.ReportAllocs()
		before := cpuTime(b)
		for i := 0; b.Loop(); i++ {
			lookUp(i)
		}
		reportCPU(b, before)
	})
	without := activated(b, service, caller, `{"op":"eq","field":"applicant.employer","value":"nobody"}`)
	with := activated(b, service, caller, inBad)
	for range 5 { // alternate between the two, because the database grows
		benchmarkDecide(b, "decide/without", service, caller, without)
		benchmarkDecide(b, "decide/with", service, caller, with)
	}
}

// activated stores and activates a rule set with a condition, and returns its id.
func activated(b testing.TB, service *usecase.Set, caller tenant.Principal, condition string) string {
	b.Helper()
	return activatedDraft(b, service, caller, strings.Replace(employerRule, "CONDITION", condition, 1))
}

// activatedDraft stores and activates a rule set, and returns its id.
func activatedDraft(b testing.TB, service *usecase.Set, caller tenant.Principal, draft string) string {
	b.Helper()
	set, err := service.Policies.CreateRuleSet(b.Context(), caller, engine.NewDraft(parsed(b, draft)), nil)
	if err == nil {
		_, err = service.Policies.Activate(b.Context(), caller, set.ID, policydesk.Activation{}, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
	return set.ID
}

// benchmarkDecide decides and stores applications with a rule set.
func benchmarkDecide(b *testing.B, name string, service *usecase.Set, caller tenant.Principal, ruleSetID string) {
	b.Helper()
	if _, err := service.Policies.Activate(b.Context(), caller, ruleSetID, policydesk.Activation{}, nil); err != nil {
		b.Fatal(err)
	}
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		before := cpuTime(b)
		for i := 0; b.Loop(); i++ {
			request := application.DecisionRequest(parsed(b, from(fmt.Sprint("Other ", i))))
			if _, err := service.Decisions.Decide(b.Context(), caller, request, nil); err != nil {
				b.Fatal(err)
			}
		}
		reportCPU(b, before)
	})
}

// cpuTime returns the processor time that the process has used. Unlike the time on the clock, it hardly depends on
// what else the machine does.
func cpuTime(b testing.TB) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// reportCPU reports the processor time of each iteration.
func reportCPU(b *testing.B, before time.Duration) {
	b.Helper()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
}

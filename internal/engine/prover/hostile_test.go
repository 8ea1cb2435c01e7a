package prover

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
)

// hostilePolicies returns the policies of enginetest, and further ones that maximise the work of a comparison.
func hostilePolicies(tb testing.TB) map[string]*engine.Policy {
	tb.Helper()
	out := map[string]*engine.Policy{}
	for name := range enginetest.HostileDocuments() {
		out[name] = enginetest.HostilePolicy(tb, name)
	}
	join := func(n int, one func(i int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = one(i)
		}
		return strings.Join(list, ",")
	}
	names := []string{
		"requested_amount", "enquiries_6m", "foir", "monthly_income", "bureau_score", "age", "active_tradelines",
		"max_dpd_12m", "requested_tenure_months", "bureau_own_emi", "bureau_own_overdue_amount",
	}
	of := func(i int) string { return `{"field":"` + names[i%len(names)] + `"}` }
	band := func(i int, more string) string {
		return fmt.Sprintf(`{"id":"B%d","grade":"G%d","min_score":300,"max_score":900,"action":"approve",
			"interest_rate":12,"tenure_months":24,"min_limit":50000,"max_limit":9000000,"default_limit":50000,
			"foir_cap":0.5%s}`, i, i%7, more)
	}
	add := func(name, sections string) {
		document := `{"name":"hostile","semantics":2,"include_defaults":false,"limit_step":100,` + sections
		if !strings.Contains(sections, `"pricing_bands"`) {
			document += `,"pricing_bands":[` + band(0, "") + `]`
		}
		if !strings.Contains(sections, `"knockouts"`) {
			document += `,"knockouts":[]`
		}
		document += `,"scorecard":{"base_points":700,"factors":[]}}`
		p, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			tb.Fatalf("%s: %.300s", name, err)
		}
		out[name] = p
	}
	add("fields", `"knockouts":[`+join(1_500, func(i int) string {
		return fmt.Sprintf(
			`{"id":"K%d","reason_code":"R","condition_ast":{"op":"gt","left":%s,"right":{"op":"add","args":[%s,
			{"value":%d}]}}}`, i, of(i), of(i+1+i/11), i)
	})+`]`)
	add("caps", `"limit_caps":[`+join(60, func(i int) string {
		deep := of(i)
		for k := range 6 {
			deep = fmt.Sprintf(`{"op":%q,"args":[%s,{"op":"div","args":[%s,%s]}]}`,
				[]string{"add", "mul", "sub", "max"}[k%4], deep, of(i+k), of(i+k+3))
		}
		return fmt.Sprintf(`{"id":"C%d","of":%s,"when":{"op":"gt","field":%q,"value":%d}}`, i, deep,
			names[(i+5)%len(names)], i)
	})+`]`)
	add("segments", `"pricing_bands":[`+join(60, func(i int) string {
		return band(i, fmt.Sprintf(`,"when":{"op":"gt","field":%q,"value":%d}`, names[i%8], 60-i))
	})+`,`+band(99, "")+`]`)
	add("prices", `"knockouts":[`+join(20, func(i int) string {
		return fmt.Sprintf(`{"id":"K%d","reason_code":"R","stage":2,"action":"refer","condition_ast":{"op":"gt",
			"field":"offer_apr","value":%d}}`, i, 20+3*i)
	})+`],"charges":[`+join(20, func(i int) string {
		return fmt.Sprintf(`{"id":"H%d","to":"lender","kind":"percent","amount":%d,"min":%d}`, i, 1+i/19, 100*(i+1))
	})+`]`)
	return out
}

// TestHostilePolicies compares policies that maximise one kind of work. Each comparison must end, call Check often,
// and end soon after Check returns an error. It must never report policies as equal if they are not.
func TestHostilePolicies(t *testing.T) {
	t.Parallel()
	gone := errors.New("the caller is gone")
	for name, p := range hostilePolicies(t) {
		q := *p
		q.Bands = append([]engine.Band{}, p.Bands...)
		q.Bands[0].RateBP += 100
		old, changed := engine.Compile(p, field.Catalogue()), engine.Compile(&q, field.Catalogue())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		calls := 0
		r, err := Diff(old, changed, Options{MaxStates: 2_000, MaxBytes: 64 << 20, Check: func() error {
			if calls++; calls == 20_000 {
				return ErrOutOfTime // with this budget, only a policy that is hostile to the search needs so many calls
			}
			return nil
		}})
		runtime.ReadMemStats(&after)
		t.Logf("%s: %d calls, %d MiB allocated, complete %v", name, calls, (after.TotalAlloc-before.TotalAlloc)>>20,
			r.Complete)
		if err != nil || r.Equal {
			t.Errorf("%s: %v, equal is %v", name, err, r.Equal)
		}
		if calls < 10 {
			t.Errorf("%s: the caller was asked %d times", name, calls)
		}
		for _, last := range []int{1, calls / 2} {
			n := 0
			_, err = Diff(old, changed, Options{MaxStates: 2_000, MaxBytes: 64 << 20, Check: func() error {
				if n++; n >= last {
					return gone
				}
				return nil
			}})
			if !errors.Is(err, gone) {
				t.Errorf("%s: the caller is gone after %d calls, but the comparison returns %v", name, last, err)
			}
			if n > last+3 {
				t.Errorf("%s: the caller was asked %d times after it was gone", name, n-last)
			}
		}
	}
}

// serviceBudget has the budget of a comparison in the service, apart from Check.
var serviceBudget = Options{MaxStates: 1_000_000, MaxBytes: 128 << 20}

// changedEverywhere returns a policy of which every knockout and band differs from p, so that a comparison has many
// changed entries.
func changedEverywhere(p *engine.Policy) *engine.Policy {
	q := *p
	q.Knockouts, q.Bands = slices.Clone(p.Knockouts), slices.Clone(p.Bands)
	for i := range q.Knockouts {
		if q.Knockouts[i].Action = engine.Refer; p.Knockouts[i].Action == engine.Refer {
			q.Knockouts[i].Action = engine.Decline
		}
	}
	for i := range q.Bands {
		q.Bands[i].RateBP += 25
		q.Bands[i].DefaultLimitPaise += q.LimitStepPaise
	}
	return &q
}

// alone is set in the process that TestHostilePoliciesWithinTheBudgetOfTheService starts to measure its memory.
const alone = "VERDICT_PROVER_ALONE"

// TestHostilePoliciesWithinTheBudgetOfTheService compares hostile policies, of which all entries differ, with the
// budget of the service. In the long form the time is real: a comparison gets 10 seconds, must end soon after them, and
// may use only bounded memory. The heap belongs to the whole process, so the long form runs in a process of its own. In
// the short form, a comparison may call Check a number of times.
func TestHostilePoliciesWithinTheBudgetOfTheService(t *testing.T) {
	t.Parallel()
	long := os.Getenv("VERDICT_LONG") != ""
	if long && os.Getenv(alone) == "" {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
		child.Env = append(os.Environ(), alone+"=1")
		out, err := child.CombinedOutput()
		if t.Logf("%s", out); err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
			t.Errorf("in a process of its own: %v", err)
		}
		return
	}
	for name, p := range hostilePolicies(t) {
		old, changed := engine.Compile(p, field.Catalogue()), engine.Compile(changedEverywhere(p), field.Catalogue())
		budget, begun, calls, peak := serviceBudget, time.Now(), 0, uint64(0)
		if !long {
			budget = Options{MaxStates: 5_000, MaxBytes: 32 << 20}
		}
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		budget.Check = func() error {
			if calls++; long && calls%20 == 1 {
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
			if long && time.Since(begun) > 10*time.Second || !long && calls >= 100 {
				return ErrOutOfTime
			}
			return nil
		}
		r, err := Diff(old, changed, budget)
		took := time.Since(begun)
		t.Logf("%s: %d changes, %d classes, %v, %d calls, %d MiB more on the heap, complete %v", name, len(r.Changes),
			len(r.Classes), took.Round(time.Millisecond), calls, (max(peak, before.HeapAlloc)-before.HeapAlloc)>>20,
			r.Complete)
		if err != nil || r.Equal {
			t.Errorf("%s: %v, equal is %v", name, err, r.Equal)
		}
		if took > time.Minute && long { // a fail-safe, because other processes use the processors too
			t.Errorf("%s: the comparison took %v", name, took)
		}
		// The heap also has garbage, which the collector lets grow to as much as is in use.
		if most := uint64(4 * serviceBudget.MaxBytes); peak > before.HeapAlloc+most {
			t.Errorf("%s: the heap grew by %d MiB", name, (peak-before.HeapAlloc)>>20)
		}
		redecide(t, old, changed, &r)
	}
}

// TestEndOfAComparisonAsksItsCaller checks the part of a comparison after the search, which describes the classes. This
// part calls Check for each class, as the search before it does. If the time is over, the descriptions that are missing
// are left out, and the result is not complete. If the caller has disconnected, there is no result.
func TestEndOfAComparisonAsksItsCaller(t *testing.T) {
	t.Parallel()
	old, changed := edited(t), edited(t, `"value": 21}`, `"value": 23}`, `"points": -8`, `"points": -9`,
		`"interest_rate": 14.0`, `"interest_rate": 14.5`, `"max_limit": 500000`, `"max_limit": 600000`)
	all := 0
	whole, err := Diff(old, changed, Options{Check: func() error { all++; return nil }})
	if err != nil || !whole.Complete {
		t.Fatalf("%v, %v", err, whole.Incomplete)
	}
	if least := len(whole.Classes); all < least {
		t.Fatalf("Check was called %d times for %d classes", all, least)
	}
	gone := errors.New("the caller is gone")
	described := 0
	few := len(whole.Classes) / 4
	for _, last := range []int{all / 2, all - 3*few, all - 2*few, all - few, all - 3, all} {
		stop := func(with error) func() error {
			n := 0
			return func() error {
				if n++; n >= last {
					return with
				}
				return nil
			}
		}
		if _, err := Diff(old, changed, Options{Check: stop(gone)}); !errors.Is(err, gone) {
			t.Errorf("gone at call %d of %d: %v", last, all, err)
		}
		r, err := Diff(old, changed, Options{Check: stop(ErrOutOfTime)})
		if err != nil || r.Complete || r.Equal || len(r.Incomplete) == 0 {
			t.Fatalf("out of time at call %d of %d: %v, complete is %v", last, all, err, r.Complete)
		}
		if len(r.Classes) != len(whole.Classes) {
			continue // the search had not ended yet
		}
		described++
		for i, c := range r.Classes {
			if c.Kind != whole.Classes[i].Kind || c.Confirmed != whole.Classes[i].Confirmed {
				t.Errorf("out of time at call %d of %d: class %d is %+v", last, all, i, c.Kind)
			}
			if c.Bounded && (c.FromLimit != whole.Classes[i].FromLimit || c.ToLimit != whole.Classes[i].ToLimit) {
				t.Errorf("out of time at call %d of %d: class %d has other limits", last, all, i)
			}
		}
	}
	if described < 3 {
		t.Errorf("only %d comparisons ended while the classes were described", described)
	}
}

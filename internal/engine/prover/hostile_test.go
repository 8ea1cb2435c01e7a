package prover

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

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
		return fmt.Sprintf(`{"id":"K%d","reason_code":"R","condition_ast":{"op":"gt","left":%s,"right":{"op":"add","args":[%s,
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

// TestHostilePolicies compares policies that maximise one kind of work. Each comparison ends, asks its caller often
// whether to go on, ends soon after the caller says no, and is never taken for a proof that the policies are equal if
// they are not.
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
				return ErrOutOfTime // no policy needs so many with this budget unless it is hostile to the search
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

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/internal/engine"
	"verdict/internal/engine/prover"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The comparisons for which the benchmark limits the time or the memory.
const (
	diffDraft     = "diff-draft"
	diffRepointed = "diff-repointed"
)

// policyPair is a pair of policies that is compared for all applicants.
type policyPair struct {
	name, what   string
	old, changed []byte
}

// edit replaces the first occurrence of each text in a document.
func edit(document []byte, pairs ...string) []byte {
	text := string(document)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			panic("the policy does not contain " + pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return []byte(text)
}

// comparisons returns the pairs of policies to compare. Two pairs compare the default policy with a draft, and
// with a copy that has other points in every bin. The other pairs show how the time grows with the number of
// rules, the number of fields, and the number of thresholds of one field.
func comparisons() []policyPair {
	base := engine.DefaultPolicyJSON()
	draft := func(document []byte) []byte {
		return edit(document, `"value": 21}`, `"value": 23}`, `"field": "enquiries_6m", "value": 12}`,
			`"field": "enquiries_6m", "value": 10}`, `"interest_rate": 14.0`, `"interest_rate": 14.5`)
	}
	list := []policyPair{
		{diffDraft, "default policy against a draft: two knockouts and a rate", base, draft(base)},
		{diffRepointed, "default policy with other points in every bin", base, repoint(base)},
	}
	grow := func(what string, n int, condition func(i int) string) {
		var rules strings.Builder
		for i := range n {
			fmt.Fprintf(&rules, `{"id": "RF_X%d", "action": "refer", "reason_code": "POLICY", "condition_ast": %s}, `,
				i, condition(i))
		}
		larger := edit(base, `"knockouts": [`, `"knockouts": [`+rules.String())
		list = append(list, policyPair{
			fmt.Sprintf("diff-%s-%d", what, n), fmt.Sprintf("a draft, %d more %s", n, what), larger, draft(larger),
		})
	}
	for _, n := range []int{100, 400} {
		grow("rules", n, func(i int) string {
			return fmt.Sprintf(`{"op": "and", "args": [{"op": "gt", "field": "enquiries_6m", "value": %d},
				{"op": "gt", "field": "bureau_own_active_tradelines", "value": %d}]}`, i%12, 3+i/12%9)
		})
	}
	names := numberFields(base)
	for _, n := range []int{20, 40} {
		grow("fields", n, func(i int) string { return fmt.Sprintf(`{"op": "gt", "field": %q, "value": 5}`, names[i]) })
	}
	for _, n := range []int{50, 200} {
		grow("thresholds", n, func(i int) string {
			return fmt.Sprintf(`{"op": "eq", "field": "bureau_own_overdue_amount", "value": %d}`, 10*i)
		})
	}
	return list
}

// repoint returns a policy with other points in every bin.
func repoint(document []byte) []byte {
	var policy map[string]any
	must(json.Unmarshal(document, &policy))
	n := 0
	card, _ := policy["scorecard"].(map[string]any)
	factors, _ := card["factors"].([]any)
	for _, f := range factors {
		factor, _ := f.(map[string]any)
		bins, _ := factor["bins"].([]any)
		for _, b := range bins {
			bin, _ := b.(map[string]any)
			points, _ := bin["points"].(float64)
			n++
			bin["points"] = points + float64(n%5) - 2
		}
	}
	out, err := json.Marshal(policy)
	must(err)
	return out
}

// numberFields lists the bureau's number fields that a policy does not read.
func numberFields(document []byte) (names []string) {
	for id := range field.Catalogue().Len() {
		f := field.Catalogue().Field(rule.FieldID(id))
		if f.Type == rule.NumberType && strings.HasPrefix(f.Name, "bureau_") &&
			!strings.Contains(string(document), `"`+f.Name+`"`) && f.Semantics <= engine.NewestSemantics {
			names = append(names, f.Name)
		}
	}
	return names
}

func proverContestants() (list []measure.Contestant) {
	for _, c := range comparisons() {
		list = append(list, measure.Contestant{Name: c.name, Start: func() (func(int), int) {
			old, changed := compiled(c.old), compiled(c.changed)
			return func(int) {
				r, err := prover.Diff(old, changed, prover.Options{})
				must(err)
				if !r.Complete {
					panic(c.name + " is not complete: " + strings.Join(r.Incomplete, "; "))
				}
			}, 1
		}})
	}
	return list
}

// contestProver measures the comparison of two policies for all applicants.
func contestProver(ctx context.Context, s *settings) (board.Section, error) {
	all := comparisons()
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	found, err := measure.All(ctx, names, s.measure())
	if err != nil {
		return board.Section{}, err
	}
	out := board.Section{
		Name: "prover", Title: "Comparing two policies for all applicants",
		Note: fmt.Sprintf("The default policy and changes of it; %d rounds; medians of the CPU time on one core, and "+
			"the largest memory of the process.", s.rounds),
		Tables: []board.Table{{Head: []string{
			"comparison", "CPU time", "least – most", "its time ÷ the draft", "memory", "states", "kinds of change",
		}}},
	}
	states := map[string]float64{}
	for _, c := range all {
		nanos := found.Nanos(c.name)
		r, err := prover.Diff(compiled(c.old), compiled(c.changed), prover.Options{Check: ctx.Err})
		if err != nil {
			return board.Section{}, err
		}
		states[c.name] = float64(r.States)
		out.Tables[0].Add(c.what, nanos.Show(board.Nanos), nanos.Between(board.Nanos),
			found.Ratio(c.name, diffDraft).Text(board.Times), found.Peak(c.name).Show(board.Mebibytes),
			strconv.Itoa(r.States), strconv.Itoa(len(r.Classes)))
	}
	const second = 1e9
	out.AtMost("default policy against a draft", "1 s", found.Nanos(diffDraft), second, board.Nanos)
	out.AtMost("all bins with other points", "5 s", found.Nanos(diffRepointed), 5*second, board.Nanos)
	out.AtMost("memory of that comparison", "256 MiB", found.Peak(diffRepointed), 256<<20, board.Mebibytes)
	const budget = prover.DefaultStates // a comparison that needs more states is not complete
	out.AtMost("states of that comparison", "2 million", board.Of(states[diffRepointed]), budget, board.Count)
	out.AtMost("states of every comparison of the table", "2 million",
		board.Of(slices.Max(slices.Collect(maps.Values(states)))), budget, board.Count)
	return out, nil
}

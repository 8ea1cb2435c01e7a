package main

import (
	"encoding/json"
	"fmt"

	"verdict/bench/measure"
	"verdict/internal/engine"
)

// growthSizes lists the numbers of knockouts that are measured: the number in
// the policy, two larger numbers, and the maximum that the engine reads.
var growthSizes = []int{25, 500, 5_000, 10_000}

func growthName(rules int) string  { return fmt.Sprintf("decide-%d-rules", rules) }
func compileName(rules int) string { return fmt.Sprintf("compile-%d-rules", rules) }

// growthBook is the number of applicants that the grown policies decide.
const growthBook = 100

func growthContestants() (list []measure.Contestant) {
	for _, rules := range growthSizes {
		list = append(list,
			measure.Contestant{Name: growthName(rules), Start: func() (func(int), int) {
				facts := prepared(applicants()[:growthBook])
				plan, d := compiled(grown(rules)), new(engine.Decision)
				return func(i int) { decideWhole(plan, facts[i], d) }, len(facts)
			}},
			measure.Contestant{Name: compileName(rules), Start: func() (func(int), int) {
				document := grown(rules)
				return func(int) { keep(compiled(document)) }, 1
			}})
	}
	return list
}

// grown returns the policy with its knockouts repeated under new ids.
func grown(rules int) []byte {
	var document map[string]json.RawMessage
	must(json.Unmarshal(policyJSON, &document))
	var knockouts, out []map[string]json.RawMessage
	must(json.Unmarshal(document["knockouts"], &knockouts))
	for i := range rules {
		k := map[string]json.RawMessage{}
		for name, value := range knockouts[i%len(knockouts)] {
			k[name] = value
		}
		k["id"] = json.RawMessage(fmt.Sprintf("%q", fmt.Sprintf("KO_%05d", i)))
		out = append(out, k)
	}
	var err error
	document["knockouts"], err = json.Marshal(out)
	must(err)
	grown, err := json.Marshal(document)
	must(err)
	return grown
}

// must panics if err is not nil, which only an invalid policy.json can cause.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("the benchmark's policy: %v", err))
	}
}

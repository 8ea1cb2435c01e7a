package engine

import (
	_ "embed" // the default policy is part of the binary
	"fmt"
	"slices"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

//go:embed default_policy.json
var defaultPolicyJSON []byte

// DefaultPolicyJSON is the policy every tenant starts with, as a document.
func DefaultPolicyJSON() []byte { return append([]byte(nil), defaultPolicyJSON...) }

// DefaultPolicy is the same, read.
func DefaultPolicy() *Policy { return defaultPolicy() }

var defaultPolicy = sync.OnceValue(func() *Policy {
	p, err := ParsePolicy(defaultPolicyJSON, Sources{Catalogue: field.Catalogue()})
	if err != nil {
		// The document is embedded and read by every test run.
		panic(fmt.Sprintf("the embedded default policy: %v", err))
	}
	return p
})

// systemRules are the knockouts that include_defaults merges, so that what
// the interface documents as default holds for every tenant's policy. The
// first of them belong to every semantics, the others to later ones.
const systemRules = `[
 {"id":"KO_DEVICE_EMULATOR","reason_code":"FR_EMULATOR","condition_ast":{"op":"eq","field":"device_is_emulator","value":true}},
 {"id":"KO_FRAUD_MULE_ACCOUNT","reason_code":"FR_MULE","condition_ast":{"op":"eq","field":"fraud_beneficiary_reuse","value":true}},
 {"id":"KO_FRAUD_BLOCKLISTED","reason_code":"FR_RING","condition_ast":{"op":"eq","field":"fraud_blocklisted","value":true}}
]`

// firstSystemRules is how many system rules a policy of FirstSemantics has.
const firstSystemRules = 2

var parsedSystemRules = sync.OnceValue(func() []wire.Value {
	v, err := wire.Parse([]byte(systemRules))
	if err != nil {
		panic(fmt.Sprintf("the system rules: %v", err))
	}
	var rules []wire.Value
	for _, e := range v.Elements() {
		rules = append(rules, e)
	}
	return rules
})

// systemRulesOf lists the system rules of a semantics.
func systemRulesOf(semantics int) []wire.Value {
	rules := parsedSystemRules()
	if semantics == FirstSemantics {
		return rules[:firstSystemRules]
	}
	return rules
}

// isSystemRule reports whether an id is one of theirs.
func isSystemRule(id string, semantics int) bool {
	return slices.ContainsFunc(systemRulesOf(semantics), func(v wire.Value) bool { return v.Get("id").Text() == id })
}

// systemKnockouts reads the system rules whose ids are not taken. A catalogue
// without their fields (a test's own) has no system rules.
func systemKnockouts(semantics int, c *rule.Catalogue, taken map[string]bool) []Knockout {
	var out []Knockout
	for _, v := range systemRulesOf(semantics) {
		if taken[v.Get("id").Text()] {
			continue
		}
		r := policyReader{
			src: Sources{Catalogue: c}, scope: rule.Scope{Catalogue: c}, ids: taken,
			policy: &Policy{Semantics: semantics},
		}
		k := Knockout{}
		r.knockout(v, &k)
		k.System = true
		if r.faults.Len() == 0 {
			out = append(out, k)
		}
	}
	return out
}

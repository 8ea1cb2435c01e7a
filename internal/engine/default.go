package engine

import (
	_ "embed" // the default policy is part of the binary
	"fmt"
	"slices"
	"strconv"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

//go:embed default_policy.json
var defaultPolicyJSON []byte

// DefaultPolicyJSON returns a copy of the document of the policy that every
// tenant starts with.
func DefaultPolicyJSON() []byte { return append([]byte(nil), defaultPolicyJSON...) }

// DefaultPolicy returns the policy of DefaultPolicyJSON, parsed.
func DefaultPolicy() *Policy { return defaultPolicy() }

var defaultPolicy = sync.OnceValue(func() *Policy {
	p, err := ParsePolicy(defaultPolicyJSON, Sources{Catalogue: field.Catalogue()})
	if err != nil {
		// Every test run reads the embedded document, so a broken document
		// cannot be released.
		panic(fmt.Sprintf("the embedded default policy: %v", err))
	}
	return p
})

// systemRules are the knockouts that include_defaults adds to a policy. Every policy has them unless it turns
// include_defaults off. The first firstSystemRules rules apply under every semantics, the others only under
// semantics 2.
const systemRules = `[
 {"id":"KO_DEVICE_EMULATOR","reason_code":"FR_EMULATOR",` +
	`"condition_ast":{"op":"eq","field":"device_is_emulator","value":true}},
 {"id":"KO_FRAUD_MULE_ACCOUNT","reason_code":"FR_MULE",` +
	`"condition_ast":{"op":"eq","field":"fraud_beneficiary_reuse","value":true}},
 {"id":"KO_FRAUD_BLOCKLISTED","reason_code":"FR_RING",` +
	`"condition_ast":{"op":"eq","field":"fraud_blocklisted","value":true}}
]`

// firstSystemRules is the number of system rules in a policy of FirstSemantics.
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

func systemRulesOf(semantics int) []wire.Value {
	rules := parsedSystemRules()
	if semantics == FirstSemantics {
		return rules[:firstSystemRules]
	}
	return rules
}

func isSystemRule(id string, semantics int) bool {
	return slices.ContainsFunc(systemRulesOf(semantics), func(v wire.Value) bool { return v.Get("id").Text() == id })
}

// turnsDefaultsOff reports whether a request turns off include_defaults
// although its base has it on.
func turnsDefaultsOff(request, base wire.Value) bool {
	return base.Kind() == wire.Object && mergesDefaults(base) && request.Get(memberDefaults).Given() &&
		!mergesDefaults(request)
}

const memberDefaults = "include_defaults"

func mergesDefaults(document wire.Value) bool {
	v := document.Get(memberDefaults)
	return !v.Given() || v.IsTrue()
}

// semanticsOf returns the semantics that the request names. If it names none, semanticsOf returns the semantics that
// its base names. If neither of them names any, it returns FirstSemantics.
func semanticsOf(request, base wire.Value) int {
	for _, document := range []wire.Value{request, base} {
		if v := document.Get(sectionSemantics); v.Given() {
			if v.Text() == strconv.Itoa(FirstSemantics) {
				return FirstSemantics
			}
			return NewestSemantics
		}
	}
	return FirstSemantics
}

// isDefaultKnockout reports whether an entry of a stored document is one of the system rules. A rule that has the id,
// the condition and the outcome of a system rule counts as a system rule, even if it is not marked as a system rule.
// A tenant's own rule that only has the same id does not count.
func isDefaultKnockout(entry wire.Value, semantics int) bool {
	if entry.Get("system").IsTrue() {
		return true
	}
	says := func(name, usual string) bool {
		v := entry.Get(name)
		return !v.Given() || v.Text() == usual
	}
	if !says("action", Decline.String()) || !says("on_absent", PassWhenAbsent.String()) || !says("stage", "1") {
		return false
	}
	for _, rule := range systemRulesOf(semantics) {
		if rule.Get("id").Text() != entry.Get("id").Text() {
			continue
		}
		want, got := rule.Get("condition_ast"), entry.Get("condition_ast")
		return want.Get("op").Text() == got.Get("op").Text() && want.Get("field").Text() == got.Get("field").Text() &&
			got.Get("value").IsTrue()
	}
	return false
}

// systemKnockouts returns the system rules whose ids are not taken. It leaves out a rule whose fields are not in the
// catalogue, as in some tests.
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

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

// turnsDefaultsOff reports whether a request turns off the include_defaults of
// its base.
func turnsDefaultsOff(request, base wire.Value) bool {
	return base.Kind() == wire.Object && mergesDefaults(base) && request.Get(memberDefaults).Given() && !mergesDefaults(request)
}

const memberDefaults = "include_defaults"

func mergesDefaults(document wire.Value) bool {
	v := document.Get(memberDefaults)
	return !v.Given() || v.IsTrue()
}

// semanticsOf is the semantics of a request with a base.
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

// isDefaultKnockout reports whether an entry of a stored document is one of the
// system rules, be it written there as an ordinary rule: it hits the same
// applicants with the same outcome. A rule of a tenant's own that only has the
// id is none.
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

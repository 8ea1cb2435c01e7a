package field

import (
	"strings"

	"verdict/internal/wire"
)

// DefaultPolicyKey is the policy_key of a request that names none.
const DefaultPolicyKey = "default"

// PolicyKeyText is the error text for an invalid policy_key.
const PolicyKeyText = "must be 1 to 64 lower-case letters, digits, - and _, and not begin with - or _"

// IsPolicyKey reports whether a text is a valid policy_key. A policy_key names
// the series of policies for one product.
func IsPolicyKey(s string) bool {
	return s != "" && len(s) <= 64 && s[0] != '_' && s[0] != '-' && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-'
	})
}

// PolicyKeyOf returns the policy_key that a body names, or DefaultPolicyKey if
// it names none. ok is false if the key is invalid. The key is a copy, because
// a substring would keep the whole body in memory.
func PolicyKeyOf(body wire.Value) (key string, ok bool) {
	v := body.Get("policy_key")
	if !v.Given() {
		return DefaultPolicyKey, true
	}
	return strings.Clone(v.Text()), v.Kind() == wire.String && IsPolicyKey(v.Text())
}

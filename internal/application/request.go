package application

import (
	"strings"

	"verdict/internal/field"
	"verdict/internal/wire"
)

// Request is the body of a decision or an evaluate request before it is read:
// how it is read depends on the policy that it names. It is valid as long as the
// document that it was made from.
type Request struct {
	// Strict refuses unknown members instead of warning about them.
	Strict bool

	body      wire.Value
	read      func(wire.Value, Options) (*Application, error)
	policyKey string // instead of the one that the body names
}

// DecisionRequest is a body of POST /v1/decisions.
func DecisionRequest(body wire.Value) Request { return Request{body: body, read: ReadDecision} }

// EvaluateRequest is a body of POST /v1/evaluate.
func EvaluateRequest(body wire.Value) Request { return Request{body: body, read: ReadEvaluate} }

// EitherRequest is a body of one of the two, which its members tell apart.
func EitherRequest(body wire.Value) Request { return Request{body: body, read: Read} }

// ForPolicy returns the request for another policy than the one that it names.
func (r Request) ForPolicy(key string) Request {
	r.policyKey = key
	return r
}

// PolicyKey returns the policy_key that the request names, "" if it names none. ok
// is false if what it says is no such key; Read then refuses it with all else that
// is wrong. The text is a copy, which outlives the body in a cache.
func (r Request) PolicyKey() (key string, ok bool) {
	if r.policyKey != "" {
		return r.policyKey, true
	}
	v := r.body.Get("policy_key")
	if !v.Given() {
		return "", true
	}
	return strings.Clone(v.Text()), v.Kind() == wire.String && field.IsPolicyKey(v.Text())
}

// HasSignals reports whether the request has a block that a tenant's thresholds
// and tables are applied to.
func (r Request) HasSignals() bool {
	return r.body.Get("device").Given() || r.body.Get("location").Given() || r.body.Get("fraud").Given()
}

// HasFraud reports whether the request has a fraud block.
func (r Request) HasFraud() bool { return r.body.Get("fraud").Kind() == wire.Object }

// Read reads the request. Options.Strict is the request's own.
func (r Request) Read(opt Options) (*Application, error) {
	opt.Strict = r.Strict
	return r.read(r.body, opt)
}

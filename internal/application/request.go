package application

import (
	"strings"

	"verdict/internal/field"
	"verdict/internal/wire"
)

// Request is the body of a decision or an evaluate request that has not been read
// yet, because reading depends on the policy that the body names. It is valid as
// long as the document that it was made from.
type Request struct {
	// Strict refuses unknown members instead of warning about them.
	Strict bool

	body      wire.Value
	read      func(wire.Value, Options) (*Application, error)
	policyKey string // if not "", it replaces the policy_key of the body
}

// DecisionRequest returns the request for a body of POST /v1/decisions.
func DecisionRequest(body wire.Value) Request { return Request{body: body, read: ReadDecision} }

// EvaluateRequest returns the request for a body of POST /v1/evaluate.
func EvaluateRequest(body wire.Value) Request { return Request{body: body, read: ReadEvaluate} }

// EitherRequest returns the request for a body of either endpoint, which Read
// recognizes by the body's members.
func EitherRequest(body wire.Value) Request { return Request{body: body, read: Read} }

// ForPolicy returns the request with key in place of the policy_key that it names.
func (r Request) ForPolicy(key string) Request {
	r.policyKey = key
	return r
}

// PolicyKey returns the policy_key that the request names, or "" if it names none. ok is false if the policy_key is
// invalid; Read reports this fault together with all others. The returned key is a copy, because a cache may store it
// longer than the body is valid.
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

// Append appends a text of the request to dst. Two requests have the same text if they have the same policy_key and
// the same members and values in the same order.
func (r Request) Append(dst []byte) []byte {
	w := wire.Writer{Buf: append(append(dst, r.policyKey...), '\n')}
	return w.Value(r.body).Buf
}

// HasSignals reports whether the request has a block that a tenant's thresholds
// and tables are applied to.
func (r Request) HasSignals() bool {
	return r.body.Get("device").Given() || r.body.Get("location").Given() || r.body.Get("fraud").Given() ||
		hasOtherFraud(r.body)
}

// HasFraud reports whether the request has a fraud block, or identifiers of a person other than the primary applicant.
func (r Request) HasFraud() bool {
	return r.body.Get("fraud").Kind() == wire.Object || hasOtherFraud(r.body)
}

// Read reads the request. It sets Options.Strict to the request's Strict.
func (r Request) Read(opt Options) (*Application, error) {
	opt.Strict = r.Strict
	return r.read(r.body, opt)
}

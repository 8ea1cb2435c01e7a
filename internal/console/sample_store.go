package console

import (
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// The fields of a stored sample besides sampleFields.
const (
	formReference = "applicant_ref"
	formPolicyKey = "policy_key"
)

// newSample renders the form of a sample that is decided by an active policy and stored. In live the page only links to
// the sandbox, because a stored decision about an invented applicant would be counted and billed like any other.
func (p *samplePages) newSample(v *visit) error {
	active, err := p.policies.RuleSets(v.ctx, v.as(tenant.Sandbox), policydesk.RuleSetFilter{Status: "active"},
		operation.List{Limit: perPage})
	if err != nil {
		return err
	}
	var keys []option
	for _, set := range active.Data {
		keys = append(keys, option{Value: set.PolicyKey, Label: set.Name + ", " + set.PolicyKey})
	}
	return v.render("decision_new", "Decide a sample", struct {
		Fields  []sampleField
		Keys    []option
		Sandbox string // the address of this page in the sandbox
	}{sampleFields, keys, atEnvironment(tenant.Sandbox, "/decisions/new")})
}

// storeSample decides a sample in the sandbox as a request of the API would, and shows the stored decision.
func (p *samplePages) storeSample(v *visit) error {
	if v.env == tenant.Live {
		return v.redraw(fault.New(fault.Forbidden, fault.CodeInsufficientScope,
			"samples are decided in the sandbox only; send real applications to live with the API"), p.newSample)
	}
	pasted := v.form.Value(formRequest) != ""
	redraw := func(err error) error { return v.redraw(sampleFaults(err, pasted), p.newSample) }
	request, err := sampleRequest(v.form)
	if err != nil {
		return redraw(err)
	}
	decided, err := p.store(v, request)
	if err != nil {
		return redraw(err)
	}
	return v.done("The sample was decided and stored.", "/decisions/"+decided.ID)
}

// store decides a request with the endpoint that accepts requests of this shape.
func (p *samplePages) store(v *visit, request wire.Value) (decisioning.Decided, error) {
	if report := request.Get("report"); report.Kind() != wire.Missing {
		return p.decisions.Evaluate(v.ctx, v.caller(), document.EvaluateRequest(request, false), nil)
	}
	asked := document.DecisionRequest(request, false)
	if key := v.form.Value(formPolicyKey); key != "" && v.form.Value(formRequest) == "" {
		asked = asked.ForPolicy(key)
	}
	return p.decisions.Decide(v.ctx, v.caller(), asked, nil)
}

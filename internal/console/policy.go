package console

import (
	"fmt"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

const (
	statsDays   = 30 // how far back the page of a version counts what its rules did
	trailLength = 20 // how much of the audit trail it shows
)

// version is one version of a policy for a page.
type version struct {
	Set    policydesk.RuleSet
	Doc    wire.Value
	Active *policydesk.RuleSet // the version that decides now, nil for none
}

// Analysed reports whether the static analysis has run: a document that this
// release does not take any more has no findings because nothing looked.
func (s *version) Analysed() bool { return s.Set.Findings != nil }

// Decides reports whether this is the version that decides.
func (s *version) Decides() bool { return s.Active != nil && s.Active.ID == s.Set.ID }

// version finds the version that the path names.
func (c *Console) version(v *visit) (*version, error) {
	set, err := c.service.Policies.RuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return nil, err
	}
	doc, err := ours(set.Document)
	if err != nil {
		return nil, fmt.Errorf("rule set %s: %w", set.ID, err)
	}
	active, err := c.activeOf(v, set.PolicyKey)
	return &version{set, doc, active}, err
}

// ours reads a document that the service itself has written. What is wrong
// with one must not pass for a mistake in the request.
func ours(document []byte) (wire.Value, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return v, fmt.Errorf("a document of ours: %s", err.Error())
	}
	return v, nil
}

// policy shows one version as it reads.
func (c *Console) policy(v *visit) error {
	found, err := c.version(v)
	if err != nil {
		return err
	}
	stats, err := c.service.Policies.RuleStats(v.ctx, v.caller(), found.Set.ID, statsDays)
	if err != nil {
		return err
	}
	trail, err := c.service.Account.Audit(v.ctx, v.caller(), account.AuditFilter{Object: found.Set.ID}, operation.List{Limit: trailLength})
	if err != nil {
		return err
	}
	names, err := c.names(v)
	if err != nil {
		return err
	}
	said := remarksOn(policydesk.Reading{Findings: found.Set.Findings})
	return v.render("policy", fmt.Sprintf("%s, version %d", found.Set.Name, found.Set.Version), struct {
		*version
		Text         *policyText
		Trail        []account.AuditEntry
		Names        map[string]string
		JSON         string
		StatsDays    int
		SecondPerson bool // the version waits for somebody else than its author
	}{
		found, readable(found.Doc, said, stats), trail.Data, names, indented(found.Doc), statsDays,
		v.code == fault.CodeSecondPersonRequired,
	})
}

// deletePolicy deletes a draft, or archives one that something refers to.
func (c *Console) deletePolicy(v *visit) error {
	archived, err := c.service.Policies.DeleteRuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return v.again(err, c.policy)
	}
	if archived {
		return v.done("The draft was archived, because something refers to it. No list shows it, but its address still works.", "/policies")
	}
	return v.done("The draft was deleted.", "/policies")
}

// activatePolicy makes a version the one that decides. The form says which one
// it takes over from, so that nobody replaces what they have not seen.
func (c *Console) activatePolicy(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, c.policy)
	}
	body, err := c.activation(v)
	if err != nil {
		return v.again(err, c.policy)
	}
	answer, err := c.service.Policies.Activate(v.ctx, v.caller(), v.id("id"), body, nil)
	if err != nil {
		return v.again(err, func(v *visit) error {
			if v.code == fault.CodeFindingsUnacknowledged { // each stands above the button
				v.form.Faults, v.form.Refusal = nil, "Some errors of the analysis are not acknowledged. Fix or acknowledge each of them."
			}
			return c.policy(v)
		})
	}
	set, err := ours(answer.Body)
	if err != nil {
		return err
	}
	return v.done("Version "+set.Get("version").Text()+" of "+set.Get("policy_key").Text()+" is now active.", "/policies/"+v.id("id"))
}

// promotePolicy takes a version of the sandbox over to live, as a draft. It is
// armed there, by whoever may.
func (c *Console) promotePolicy(v *visit) error {
	if v.env != tenant.Sandbox {
		return errNowhere
	}
	set, err := c.service.Policies.RuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}
	doc, err := ours(set.Document)
	if err != nil {
		return fmt.Errorf("rule set %s: %w", set.ID, err)
	}
	draft, err := draftOf(doc)
	if err != nil {
		return err
	}
	// The card travels inside the document; its id is one of the sandbox.
	delete(draft.root, "scorecard_id")
	// A document leaves out what has its default. Live must not fill that from
	// its own active version, or another policy would go live than was tried.
	draft.root["base"] = "none"
	if draft.root["semantics"] == nil {
		draft.root["semantics"] = literal("1") // of which a document is that names none
	}
	body, err := draft.value()
	if err != nil {
		return err
	}
	answer, err := c.service.Policies.CreateRuleSet(v.ctx, v.as(tenant.Live), body, nil)
	if err != nil {
		return v.again(err, c.policy)
	}
	created, err := ours(answer.Body)
	if err != nil {
		return err
	}
	v.tell("Version " + created.Get("version").Text() + " is now a draft in live. It decides nothing until it is activated there.")
	return v.see(atEnvironment(tenant.Live, "/policies/"+created.Get("id").Text()))
}

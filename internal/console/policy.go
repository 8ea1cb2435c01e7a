package console

import (
	"fmt"

	"verdict/internal/account"
	"verdict/internal/engine"
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
func (p *policyPages) policy(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	stats, err := p.policies.RuleStats(v.ctx, v.caller(), found.Set.ID, statsDays)
	if err != nil {
		return err
	}

	about := account.AuditFilter{Object: found.Set.ID}
	trail, err := p.accounts.Audit(v.ctx, v.caller(), about, operation.List{Limit: trailLength})
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
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
		version:      found,
		Text:         readable(found.Doc, said, stats),
		Trail:        trail.Data,
		Names:        names,
		JSON:         indented(found.Doc),
		StatsDays:    statsDays,
		SecondPerson: v.code == fault.CodeSecondPersonRequired,
	})
}

// deletePolicy deletes a draft, or archives one that something refers to.
func (p *policyPages) deletePolicy(v *visit) error {
	archived, err := p.policies.DeleteRuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return v.again(err, p.policy)
	}
	if archived {
		return v.done("The draft was archived, because something refers to it. "+
			"No list shows it, but its address still works.", "/policies")
	}

	return v.done("The draft was deleted.", "/policies")
}

// activatePolicy makes a version the one that decides. The form says which one
// it takes over from, so that nobody replaces what they have not seen.
func (p *policyPages) activatePolicy(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, p.policy)
	}

	set, err := p.policies.Activate(v.ctx, v.caller(), v.id("id"), activationOf(v.form), nil)
	if err != nil {
		return v.again(err, func(v *visit) error {
			if v.code == fault.CodeFindingsUnacknowledged { // each stands above the button
				v.form.Faults = nil
				v.form.Refusal = "Some errors of the analysis are not acknowledged. Fix or acknowledge each of them."
			}
			return p.policy(v)
		})
	}

	return v.done(fmt.Sprintf("Version %d of %s is now active.", set.Version, set.PolicyKey), "/policies/"+v.id("id"))
}

// promotePolicy takes a version of the sandbox over to live, as a draft. It is
// armed there, by whoever may.
func (p *policyPages) promotePolicy(v *visit) error {
	if v.env != tenant.Sandbox {
		return errNowhere
	}

	set, err := p.policies.RuleSet(v.ctx, v.caller(), v.id("id"))
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

	created, err := p.policies.CreateRuleSet(v.ctx, v.as(tenant.Live), engine.NewDraft(body), nil)
	if err != nil {
		return v.again(err, p.policy)
	}

	v.tell(fmt.Sprintf("Version %d is now a draft in live. "+
		"It decides nothing until it is activated there.", created.Version))
	return v.see(atEnvironment(tenant.Live, "/policies/"+created.ID))
}

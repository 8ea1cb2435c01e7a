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

const trailLength = 20 // number of audit entries on a version's page

// parseStored parses a document that the service itself has stored. Its error is not a
// fault.Error, so that a damaged document is not reported as a mistake in the request.
func parseStored(document []byte) (wire.Value, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return v, fmt.Errorf("parse a stored document: %s", err.Error())
	}
	return v, nil
}

// policy renders one version of a policy in words.
func (p *policyPages) policy(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	counts, err := countsOf(v, p.policies, found)
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

	edit, err := p.workingCopy(v, found)
	if err != nil {
		return err
	}

	said := remarksOn(policydesk.Reading{Findings: found.Set.Findings})
	text := readable(found.Doc, said, counts.rules)
	text.addProofs(&found.Set)
	picture := &flowView{Counts: counts, address: v.at("/policies/"+found.Set.ID) + "?"}
	editor := ""
	if v.who.scopes.Has(tenant.PolicyWrite) {
		editor = v.at("/policies/" + found.Set.ID + "/edit")
	}
	picture.Flow = flowOf(text, &counts, editor)
	return v.render("policy", fmt.Sprintf("%s, version %d", found.Set.Name, found.Set.Version), struct {
		*version
		*flowView
		Text         *policyText
		Trail        []account.AuditEntry
		Names        map[string]string
		JSON         string
		StatsDays    int
		Edit         *policydesk.Edit // the reader's working copy; nil if there is none
		SecondPerson bool             // the activation was refused because a second person must do it
	}{
		version:      found,
		flowView:     picture,
		Text:         text,
		Trail:        trail.Data,
		Names:        names,
		JSON:         indented(found.Doc),
		StatsDays:    counts.Days,
		Edit:         edit,
		SecondPerson: v.outcome.Code == fault.CodeSecondPersonRequired,
	})
}

// workingCopy returns the reader's working copy of a version, nil if there is none.
func (p *policyPages) workingCopy(v *visit, found *version) (*policydesk.Edit, error) {
	if !v.who.scopes.Has(tenant.PolicyWrite) {
		return nil, nil
	}
	step, err := p.edits.Current(v.ctx, v.caller(), found.Set.ID)
	if err != nil || step.Number == 0 {
		return nil, err
	}
	return &step.Edit, nil
}

// deletePolicy deletes a draft, or archives it if something refers to it.
func (p *policyPages) deletePolicy(v *visit) error {
	archived, err := p.policies.DeleteRuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return v.redraw(err, p.policy)
	}
	if archived {
		return v.done("The draft was archived, because a backtest or another version refers to it. "+
			"No list shows it, but its address still works.", "/policies")
	}

	return v.done("The draft was deleted.", "/policies")
}

// activatePolicy activates a version. The form names the version that was active when the page was
// rendered, so that people replace only a version that they have seen.
func (p *policyPages) activatePolicy(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.policy)
	}

	set, err := p.policies.Activate(v.ctx, v.caller(), v.id("id"), activationOf(v.form), nil)
	if err != nil {
		return v.redraw(err, func(v *visit) error {
			if v.outcome.Code == fault.CodeFindingsUnacknowledged {
				// The page already lists the errors above the button.
				v.form.Faults = nil
				v.form.Refusal = "Some errors of the analysis are not acknowledged. Fix or acknowledge each of them."
			}
			return p.policy(v)
		})
	}

	return v.done(fmt.Sprintf("Version %d of %s is now active.", set.Version, set.PolicyKey), "/policies/"+v.id("id"))
}

// promotePolicy copies a version of the sandbox to live as a draft. The draft must then be
// activated in live.
func (p *policyPages) promotePolicy(v *visit) error {
	if v.env != tenant.Sandbox {
		return errNotFound
	}

	set, err := p.policies.RuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	doc, err := parseStored(set.Document)
	if err != nil {
		return fmt.Errorf("rule set %s: %w", set.ID, err)
	}

	draft, err := draftOf(doc)
	if err != nil {
		return err
	}

	// Remove the scorecard's id, which is valid only in the sandbox. The document contains the
	// scorecard itself.
	delete(draft.root, "scorecard_id")
	// A document omits members that have their defaults. With base "none", live fills them with
	// defaults and not from its own active version, so the promoted policy is the same.
	draft.root["base"] = "none"
	if draft.root["semantics"] == nil {
		draft.root["semantics"] = literal("1") // a stored document without semantics has semantics 1
	}

	body, err := draft.value()
	if err != nil {
		return err
	}

	created, err := p.policies.CreateRuleSet(v.ctx, v.as(tenant.Live), engine.NewDraft(body), nil)
	if err != nil {
		return v.redraw(err, p.policy)
	}

	v.setFlash(fmt.Sprintf("Version %d is now a draft in live. "+
		"It decides nothing until it is activated there.", created.Version))
	return v.redirect(atEnvironment(tenant.Live, "/policies/"+created.ID))
}

package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// ruleSets holds the ids of the policy's active version and of its latest draft.
type ruleSets struct{ active, draft string }

// document is a policy or a part of a policy, as JSON that can be changed.
type document map[string]any

// policies schedules the versions of the policy: the version from signup, two
// later versions, and a draft for which the static analysis has findings. The
// author of a version is not the person who activates it.
func (d *envFill) policies() {
	d.ago(40*day, "activate the first policy", func(ctx context.Context) error {
		filter := policydesk.RuleSetFilter{PolicyKey: "default"}
		page, err := d.service.Policies.RuleSets(ctx, d.by(d.staff.asha), filter,
			operation.List{Limit: 1, Ascending: true})
		if err != nil {
			return err
		}
		d.rules.active = page.Data[0].ID
		if d.env == tenant.Sandbox {
			return nil // the policy is active from the start
		}
		return d.arm(ctx, d.rules.active, "Going live with the default policy.")
	})
	d.version(27*day, 25*day, "Personal loan 2.0: phones and places",
		"Rooted phones and addresses abroad go to a person.", d.tightened)
	d.version(12*day, 9*day, "Personal loan 2.1: price of grade C",
		"Backtest of October: 1.1 % more approvals at the same loss.", repriced)
	d.version(30*time.Hour, 0, d.options.Texts.PolicyName, "", festive)
}

// version schedules the creation of a new version. The new version is a copy of the active version, edited by the
// function change. If armed is not 0, version also schedules the activation.
func (d *envFill) version(written, armed time.Duration, name, note string, change func(document)) {
	d.ago(written, "write a policy", func(ctx context.Context) error {
		doc, err := d.document(ctx, d.rules.active)
		if err != nil {
			return err
		}
		change(doc)
		doc["name"], doc["base"] = name, d.rules.active
		made, err := d.service.Policies.CreateRuleSet(ctx, d.by(d.staff.ravi), engine.NewDraft(body(doc)), nil)
		if err != nil {
			return err
		}
		id := made.ID
		if d.rules.draft = id; armed == 0 {
			return nil
		}
		d.ago(armed, "arm a policy", func(ctx context.Context) error {
			d.rules.active = id
			return d.arm(ctx, id, note)
		})
		return nil
	})
}

func (d *envFill) arm(ctx context.Context, id, note string) error {
	_, err := d.service.Policies.Activate(ctx, d.by(d.staff.meera), id, policydesk.Activation{Note: note}, nil)
	return err
}

// settled lists the members of a rule set that are not copied to its next version.
var settled = []string{
	"id", "version", "status", "checksum", "feature_names", "created_at", "created_by", "activated_at", "activated_by",
	"retired_at", "findings", "inherited", "base",
}

// document returns a stored rule set without the settled members, so that it can
// be changed.
func (d *envFill) document(ctx context.Context, id string) (document, error) {
	set, err := d.service.Policies.RuleSet(ctx, d.by(d.staff.ravi), id)
	if err != nil {
		return nil, err
	}
	doc := document{}
	numbers := json.NewDecoder(bytes.NewReader(set.Document))
	numbers.UseNumber()
	if err := numbers.Decode(&doc); err != nil {
		return nil, fmt.Errorf("read rule set %s: %w", id, err)
	}
	for _, name := range settled {
		delete(doc, name)
	}
	return doc, nil
}

// add appends entries to a section of the document.
func (doc document) add(section string, entries ...document) {
	list, _ := doc[section].([]any)
	for _, e := range entries {
		list = append(list, e)
	}
	doc[section] = list
}

// entry returns the entry of a section with the given id, or an empty document if
// there is none.
func (doc document) entry(section, id string) document {
	list, _ := doc[section].([]any)
	for _, e := range list {
		if e, ok := e.(map[string]any); ok && e["id"] == id {
			return e
		}
	}
	return document{}
}

// tightened adds knockouts for blocklisted applicants, rooted phones and
// connections from abroad.
func (d *envFill) tightened(doc document) {
	doc.add("knockouts",
		document{
			"id": "KO_BLOCKLISTED", "stage": 1, "action": "decline", "reason_code": "FR_RING",
			"condition_ast": document{"op": "eq", "field": "fraud_blocklisted", "value": true},
		},
		document{
			"id": "RF_ROOTED_PHONE", "stage": 1, "action": "refer", "reason_code": "FR_DEVICE",
			"message":       d.options.Texts.Message,
			"condition_ast": document{"op": "eq", "field": "device_is_rooted", "value": true},
		},
		document{
			"id": "RF_ABROAD", "stage": 1, "action": "refer", "reason_code": "LOC_ABROAD",
			"message": "Connected from {location_ip_country}",
			"condition_ast": document{"op": "and", "args": []any{
				document{"op": "exists", "field": "location_ip_country"},
				document{"op": "ne", "field": "location_ip_country", "value": "IN"},
			}},
		},
	)
	doc.entry("knockouts", "KO_ENQUIRIES")["message"] = "{enquiries_6m} enquiries in six months, more than {threshold}"
}

// repriced changes the rate of grade C and the limit of grade D, and adds an adjustment for bounced payments.
func repriced(doc document) {
	doc.entry("pricing_bands", "PB_C")["interest_rate"] = 18.5
	doc.entry("pricing_bands", "PB_D")["max_limit"] = 125_000
	doc.add("adjustments", document{
		"id": "ADJ_BOUNCES", "delta": -10, "reason_code": "BANK_BOUNCES",
		"condition_ast": document{"op": "gte", "field": "bank_bounces", "value": 1},
	})
}

// festive makes the mistakes of a hurried author: a rule that never fires, a rule
// that ignores applicants who are new to credit, and a better grade at a worse
// price. The policy also approves some applicants who were declined before, and
// declines some who were approved before.
func festive(doc document) {
	doc.add("knockouts",
		document{
			"id": "KO_VERY_LOW_SCORE", "stage": 1, "action": "decline", "reason_code": "BUR_SCORE",
			"condition_ast": document{"op": "lt", "field": "bureau_score", "value": 600},
		},
		document{
			"id": "KO_IMPOSSIBLE", "stage": 1, "action": "decline", "reason_code": "AGE_RANGE",
			"condition_ast": document{"op": "and", "args": []any{
				document{"op": "gt", "field": "age", "value": 58}, document{"op": "lt", "field": "age", "value": 25},
			}},
		},
	)
	doc.entry("knockouts", "KO_MAX_FOIR")["condition_ast"] = document{
		"op": "gte", "field": "foir_effective", "value": 0.5,
	}
	doc.entry("knockouts", "KO_MIN_INCOME")["condition_ast"] = document{
		"op": "lt", "field": "monthly_income", "value": 12_000,
	}
	doc.entry("pricing_bands", "PB_E")["action"] = "approve"
	doc.entry("pricing_bands", "PB_A")["interest_rate"] = 16.5
	doc.entry("pricing_bands", "PB_D")["max_limit"] = 200_000
}

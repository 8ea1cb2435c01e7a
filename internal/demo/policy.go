package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// ruleSets are the ids of the policy's versions at a desk.
type ruleSets struct{ active, draft string }

// document is a policy as it is changed here: whatever JSON it is.
type document map[string]any

// policies are the versions: the one that signup gives, two that follow it, and
// a draft that the static analysis has something to say about. Who writes one
// is not who arms it.
func (d *desk) policies() {
	d.ago(40*day, "arm the first policy", func(ctx context.Context) error {
		page, err := d.service.Policies.RuleSets(ctx, d.by(d.staff.asha), policydesk.RuleSetFilter{PolicyKey: "default"},
			operation.List{Limit: 1, Ascending: true})
		if err != nil {
			return err
		}
		d.rules.active = page.Data[0].ID
		if d.env == tenant.Sandbox {
			return nil // it is armed from the start
		}
		return d.arm(ctx, d.rules.active, "Going live with the default policy.")
	})
	d.version(27*day, 25*day, "Personal loan 2.0: phones and places", "Rooted phones and addresses abroad go to a person.", d.tightened)
	d.version(12*day, 9*day, "Personal loan 2.1: price of grade C", "Backtest of October: 1.1 % more approvals at the same loss.", repriced)
	d.version(30*time.Hour, 0, d.options.Texts.PolicyName, "", festive)
}

// version writes a version that changes the active one, and arms it later
// unless armed is 0.
func (d *desk) version(written, armed time.Duration, name, note string, change func(document)) {
	d.ago(written, "write a policy", func(ctx context.Context) error {
		doc, err := d.document(ctx, d.rules.active)
		if err != nil {
			return err
		}
		change(doc)
		doc["name"], doc["base"] = name, d.rules.active
		answer, err := d.service.Policies.CreateRuleSet(ctx, d.by(d.staff.ravi), body(doc), nil)
		if err != nil {
			return err
		}
		made, err := wire.Parse(answer.Body)
		if err != nil {
			return err
		}
		id := made.Get("id").Text()
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

func (d *desk) arm(ctx context.Context, id, note string) error {
	_, err := d.service.Policies.Activate(ctx, d.by(d.staff.meera), id, body(map[string]any{"note": note}), nil)
	return err
}

// settled are the members of a rule set that are known about it and not said by
// its author.
var settled = []string{
	"id", "version", "status", "checksum", "feature_names", "created_at", "created_by", "activated_at", "activated_by", "retired_at", "findings",
	"inherited", "base",
}

// document is a stored rule set as something that can be changed.
func (d *desk) document(ctx context.Context, id string) (document, error) {
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

// add appends to a section.
func (doc document) add(section string, entries ...document) {
	list, _ := doc[section].([]any)
	for _, e := range entries {
		list = append(list, e)
	}
	doc[section] = list
}

// entry is the member of a section with an id.
func (doc document) entry(section, id string) document {
	list, _ := doc[section].([]any)
	for _, e := range list {
		if e, ok := e.(map[string]any); ok && e["id"] == id {
			return e
		}
	}
	return document{}
}

// tightened looks at the phone and at where it is.
func (d *desk) tightened(doc document) {
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
			"id": "RF_ABROAD", "stage": 1, "action": "refer", "reason_code": "LOC_ABROAD", "message": "Connected from {location_ip_country}",
			"condition_ast": document{"op": "and", "args": []any{
				document{"op": "exists", "field": "location_ip_country"}, document{"op": "ne", "field": "location_ip_country", "value": "IN"},
			}},
		},
	)
	doc.entry("knockouts", "KO_ENQUIRIES")["message"] = "{enquiries_6m} enquiries in six months, more than {threshold}"
}

// repriced makes grade C cheaper and grade D smaller.
func repriced(doc document) {
	doc.entry("pricing_bands", "PB_C")["interest_rate"] = 18.5
	doc.entry("pricing_bands", "PB_D")["max_limit"] = 125_000
	doc.add("adjustments", document{
		"id": "ADJ_BOUNCES", "delta": -10, "reason_code": "BANK_BOUNCES", "condition_ast": document{"op": "gte", "field": "bank_bounces", "value": 1},
	})
}

// festive has what a hurried author leaves behind: a rule that never fires, one
// that says nothing of those new to credit, and a better grade at a worse price.
// It also lends to some who were refused, and refuses some who were lent to.
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
	doc.entry("knockouts", "KO_MAX_FOIR")["condition_ast"] = document{"op": "gte", "field": "foir_effective", "value": 0.5}
	doc.entry("knockouts", "KO_MIN_INCOME")["condition_ast"] = document{"op": "lt", "field": "monthly_income", "value": 12_000}
	doc.entry("pricing_bands", "PB_E")["action"] = "approve"
	doc.entry("pricing_bands", "PB_A")["interest_rate"] = 16.5
	doc.entry("pricing_bands", "PB_D")["max_limit"] = 200_000
}

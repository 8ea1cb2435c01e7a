package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	read "verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/offer"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
)

// twoWheeler is the policy_key of the second product.
const twoWheeler = "two_wheeler"

// product schedules a second product with all that it needs: loans for two-wheelers, with prices by employer, a limit
// by the price of the vehicle, charges and co-applicants. Its applicants are not taken from the crowd, so that the
// crowd stays the same.
func (d *envFill) product() {
	d.ago(41*day, "store the lender profile", d.storeProfile)
	d.ago(24*day, "store the lists and tables", d.storeData)
	d.ago(23*day, "write the policy of the second product", d.writeProduct)
	for i := range vehicles {
		before := 20*day - time.Duration(i)*17*time.Hour
		d.ago(before, "apply for a two-wheeler", func(ctx context.Context) error { return d.buy(ctx, i) })
	}
	d.batches()
}

// storeProfile stores the lender profile, which the documents of offers state.
func (d *envFill) storeProfile(ctx context.Context) error {
	year := d.end.Year()
	profile, err := offer.ReadProfile(body(document{
		"name": d.options.Texts.OrgName, "address": "14 Residency Road\nBengaluru 560025", "registration": "B-02.00417",
		"website": "www.kaveri.example", "cooling_off_days": 3, "transferable": false,
		"grievance": document{
			"name": "Nodal grievance redressal officer", "phone": "080 5550 0142", "email": "complaints@kaveri.example",
		},
		"recovery_agents": []any{
			document{"name": "Sahyog Recovery Services", "phone": "080 5550 0188", "email": "help@sahyog.example"},
		},
		"holidays": []any{fmt.Sprintf("%d-10-02", year), fmt.Sprintf("%d-12-25", year),
			fmt.Sprintf("%d-01-26", year+1)},
		"texts": document{
			"en": document{
				"loan_type":           "Personal loan",
				"loan_types":          document{twoWheeler: "Two-wheeler loan"},
				"penal_charges":       "2 % a month of the overdue amount",
				"foreclosure_charges": "None after six instalments, before that 3 % of the outstanding principal",
				"charges":             document{"registration": "Registration of the vehicle"},
			},
			"hi": document{
				"name": "कावेरी कैपिटल", "address": "14 रेज़िडेंसी रोड\nबेंगलुरु 560025", "loan_type": "निजी ऋण",
				"loan_types":          document{twoWheeler: "दोपहिया वाहन ऋण"},
				"grievance_name":      "नोडल शिकायत निवारण अधिकारी",
				"penal_charges":       "समय पर न चुकाई गई राशि का हर महीने 2 %",
				"foreclosure_charges": "छह किस्तों के बाद कुछ नहीं, उससे पहले बक़ाया मूल राशि का 3 %",
				"charges":             document{"registration": "वाहन का पंजीकरण"},
				"details":             document{"applicant.vehicle_price": "वाहन की क़ीमत"},
			},
		},
	}))
	if err != nil {
		return err
	}
	_, err = d.service.Offers.ReplaceProfile(ctx, d.by(d.staff.ravi), profile, 0)
	return err
}

// The list and the table that the policy of the second product reads.
const (
	employerList = "good_employers"
	shareTable   = "vehicle_share"
)

// storeData stores lists of employers and of pincodes, and a table of how much of a vehicle's price is lent.
func (d *envFill) storeData(ctx context.Context) error {
	for name, values := range map[string][]string{
		employerList:      {"Sharada Infotech", "Nilgiri Mills", "Deccan Rail", "Malabar Hospitals", "Kaveri Power"},
		"served_pincodes": {"560025", "560034", "600004", "500081", "411001", "682011"},
	} {
		entries := []any{}
		for _, value := range values {
			entries = append(entries, document{"value": value})
		}
		upload, err := read.ReadList(body(document{"type": "text", "entries": entries}))
		if err != nil {
			return err
		}
		if _, err := d.service.Lists.Replace(ctx, d.by(d.staff.ravi), name, upload, operation.AnyVersion); err != nil {
			return err
		}
	}
	row := func(employment string, below, from any, share float64) document {
		income := document{}
		if below != nil {
			income["lt"] = below
		}
		if from != nil {
			income["gte"] = from
		}
		return document{"keys": []any{employment, income}, "values": []any{share}}
	}
	upload, err := read.ReadTable(shareTable)(body(document{
		"keys": []any{
			document{"field": "employment_type", "match": "exact"},
			document{"field": "monthly_income", "match": "range"},
		},
		"columns": []any{document{"name": "share", "type": "number"}},
		"rows": []any{
			row("SALARIED", 30_000, nil, 0.8), row("SALARIED", nil, 30_000, 0.9),
			row("SELF_EMPLOYED", 50_000, nil, 0.7), row("SELF_EMPLOYED", nil, 50_000, 0.8),
		},
		"default": []any{0.6},
	}))
	if err != nil {
		return err
	}
	_, err = d.service.Tables.Replace(ctx, d.by(d.staff.ravi), shareTable, upload, operation.AnyVersion)
	return err
}

// writeProduct creates and activates the policy of the second product.
func (d *envFill) writeProduct(ctx context.Context) error {
	band := func(id, grade string, least, most int, rate float64, limit int) document {
		return document{
			"id": id, "grade": grade, "min_score": least, "max_score": most, "interest_rate": rate,
			"tenure_months": 24, "tenures_allowed": []any{12, 18, 24, 36}, "min_limit": 20_000, "max_limit": limit,
			"default_limit": 40_000, "foir_cap": 0.55, "processing_fee_pct": 2, "processing_fee_min": 500,
		}
	}
	salaried := band("TW_EMPLOYER", "A", 700, 900, 13.5, 250_000)
	salaried["when"] = document{"op": "in_list", "field": "applicant.employer", "list": employerList}
	share := []any{document{"field": "applicant.vehicle_price"}, document{"field": "table." + shareTable + ".share"}}
	made, err := d.service.Policies.CreateRuleSet(ctx, d.by(d.staff.ravi), engine.NewDraft(body(document{
		"name": "Two-wheeler loan", "policy_key": twoWheeler, "base": "none", "semantics": 2, "limit_step": 500,
		"inputs": []any{
			document{"name": "applicant.vehicle_price", "type": "number", "meaning": "on-road price in rupees"},
			document{"name": "applicant.employer", "type": "string", "meaning": "name of the employer"},
		},
		"knockouts": []any{
			document{
				"id": "KO_SCORE", "reason_code": "BUR_SCORE",
				"condition_ast": document{"op": "lt", "field": "bureau_score", "value": 640},
			},
			document{
				"id": "RF_GUARANTOR", "action": "refer", "reason_code": "GUARANTOR",
				"condition_ast": document{"op": "lt", "field": "guarantor.bureau_score", "value": 700},
			},
		},
		"affordability": document{
			"income": document{"of": []any{"monthly_income"}}, "obligations": document{"of": []any{"declared"}},
			"people": "all",
		},
		"people": document{"score": "lowest"},
		"scorecard": document{"base_points": 300, "factors": []any{document{
			"factor": "bureau_score", "field": "bureau_score", "missing_points": 300, "bins": []any{
				document{"lt": 680, "points": 340}, document{"gte": 680, "lt": 740, "points": 400},
				document{"gte": 740, "points": 450},
			},
		}}},
		"pricing_bands": []any{
			salaried, band("TW_A", "A", 740, 900, 15, 220_000), band("TW_B", "B", 680, 739, 17.5, 150_000),
			band("TW_C", "C", 600, 679, 21, 100_000),
		},
		"limit_caps": []any{document{
			"id": "CAP_PRICE", "reason_code": "VEHICLE_PRICE",
			"applicant_message": "The loan is limited to a share of the price of the vehicle",
			"of":                document{"op": "mul", "args": share},
		}},
		"charges": []any{
			document{"id": "insurance", "to": "third_party", "kind": "percent", "amount": 1.5, "min": 750, "gst": 18},
			document{"id": "registration", "to": "third_party", "kind": "fixed", "amount": 600},
			document{"id": "documentation", "to": "lender", "kind": "fixed", "amount": 499, "gst": 18},
		},
	})), nil)
	if err != nil {
		return err
	}
	d.ago(21*day, "activate the policy of the second product", func(ctx context.Context) error {
		_, err := d.service.Policies.Activate(ctx, d.by(d.staff.meera), made.ID,
			policydesk.Activation{Note: "Two-wheelers through dealers in six cities."}, nil)
		return err
	})
	return nil
}

// vehicles are the prices of the vehicles that applicants buy. A price is 0 if the application does not state it.
var vehicles = []int{
	98_765, 84_200, 112_500, 143_000, 0, 76_900, 101_300, 189_900, 92_450, 68_000, 121_750, 88_800, 154_600, 97_100,
}

// buyer returns the application for a vehicle. Every third one has a co-applicant, and every fifth a guarantor.
func (d *envFill) buyer(i int) document {
	employers := []string{"Sharada Infotech", "Ganga Traders", "Nilgiri Mills", "Deccan Rail"}
	ref := func(kind string) string { return fmt.Sprintf("KC-%s-%03d", kind, i+1) }
	score := 620 + i*37%160
	primary := document{
		"role": "primary", "id": ref("TW"), "age": 23 + i*5%30,
		"employment_type": []string{"SALARIED", "SELF_EMPLOYED"}[i/2%2], "monthly_income": 24_000 + i*4_300%36_000,
		"foir": 0.05 + float64(i%6)/25, "requested_amount": 60_000 + i*13_000%90_000,
		"tenure_months": []int{24, 36, 18, 30}[i%4], "employer": employers[i%len(employers)],
		"bureau_report": document{"score": score, "enquiries_6m": i % 4, "active_tradelines": 1 + i%5,
			"max_dpd_12m": 0},
	}
	if vehicles[i] > 0 {
		primary["vehicle_price"] = vehicles[i]
	}
	people := []any{primary}
	consent := func(kind string) document {
		return document{"id": ref(kind), "at": d.clock.now().Add(-2 * time.Hour).UTC().Format(time.RFC3339)}
	}
	if i%3 == 1 {
		people = append(people, document{
			"role": "co_applicant", "applicant_ref": ref("CO"), "age": 30 + i, "monthly_income": 18_000 + i*900,
			"foir": 0.1, "consent": consent("C"), "bureau_report": document{"score": score + 30},
		})
	}
	if i%5 == 2 {
		people = append(people, document{
			"role": "guarantor", "applicant_ref": ref("GU"), "monthly_income": 52_000, "foir": 0.2,
			"consent": consent("G"), "bureau_report": document{"score": 660 + i*9},
		})
	}
	return document{"policy_key": twoWheeler, "applicant_ref": ref("TW"), "applicants": people}
}

// buy decides an application for a vehicle. Most approved ones become a loan a day later.
func (d *envFill) buy(ctx context.Context, i int) error {
	decided, err := d.service.Decisions.Decide(ctx, d.by(d.staff.asha),
		application.DecisionRequest(body(d.buyer(i))), nil)
	if err != nil || decided.Status != "APPROVED" || i%4 == 3 {
		return err
	}
	d.schedule.add(d.clock.now().Add(day), "report a loan", func(ctx context.Context) error {
		return d.lend(ctx, i, decided)
	})
	return nil
}

// lend reports the loan of a decision: some are overdue, and one is paid back immediately.
func (d *envFill) lend(ctx context.Context, i int, decided decisioning.Decided) error {
	report := exposuredesk.NewReport{
		ApplicantRef: fmt.Sprintf("KC-TW-%03d", i+1), DecisionID: decided.ID, HasOutstanding: true,
		Loan: exposure.Loan{
			Product: twoWheeler, OutstandingPaise: int64(60_000+1_500*i) * 100, EMIPaise: int64(3_100+90*i) * 100,
			DPD: int64(i % 3 * 7),
		},
	}
	if _, err := d.service.Exposures.Report(ctx, d.by(d.staff.asha), report, nil); err != nil || i != 6 {
		return err
	}
	report.Closed, report.HasOutstanding, report.Loan.OutstandingPaise = true, false, 0
	_, err := d.service.Exposures.Report(ctx, d.by(d.staff.asha), report, nil)
	return err
}

// rows returns applications as lines of JSON. Every eighth line is not JSON, as in files that were cut.
func rows(documents []document) ([]byte, error) {
	var out bytes.Buffer
	for i, doc := range documents {
		line, err := json.Marshal(doc)
		if err != nil {
			return nil, err
		}
		if i%8 == 7 {
			line = line[:len(line)/2]
		}
		out.Write(append(line, '\n'))
	}
	return out.Bytes(), nil
}

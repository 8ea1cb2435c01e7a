package console

import (
	"fmt"

	"verdict/internal/frauddesk"
)

// alertTypes holds the titles of the alert types.
var alertTypes = map[string]string{
	"pincode_spike":             "Spike in a pincode",
	"ip_cluster":                "Cluster behind one address",
	"beneficiary_account_reuse": "Shared bank account",
	"agent_geo_anomaly":         "Agent with too many applicants or pincodes",
	"device_reuse":              "Shared device",
	"mobile_reuse":              "Shared mobile number",
	"email_reuse":               "Shared e-mail address",
	"ring":                      "Connected group of people",
}

func (p *fraudPages) alerts(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.fraud.Alerts(v.ctx, v.caller(), frauddesk.AlertFilter{
		Status: filters.Value("status"), Type: filters.Value("type"), Severity: filters.Value("severity"),
	}, list)
	if err != nil {
		return err
	}

	types := []option{{Value: "", Label: "Any"}}
	for _, t := range frauddesk.AlertTypes() {
		types = append(types, option{Value: t, Label: alertTitle(t)})
	}

	return v.render("fraud", "Fraud desk", struct {
		Filters       *form
		States, Types []option
		Rows          []alertRow
		Pager         pager
	}{
		Filters: filters,
		States:  stateOptions(frauddesk.AlertStates()),
		Types:   types,
		Rows:    alertRows(page.Data),
		Pager:   v.pager(page.NextCursor),
	})
}

func alertTitle(kind string) string {
	if title, known := alertTypes[kind]; known {
		return title
	}
	return sentenceCase(words(kind))
}

// alertRow is an alert with the texts that the pages show.
type alertRow struct {
	frauddesk.Alert
	Title string
	What  string // kind of the shared entity, in words
	Story string
}

func alertRows(alerts []frauddesk.Alert) []alertRow {
	rows := make([]alertRow, len(alerts))
	for i, a := range alerts {
		rows[i] = alertRow{
			Alert: a,
			Title: alertTitle(a.Type),
			What:  entityKinds[a.Entity.Kind],
			Story: alertStory(a),
		}
	}
	return rows
}

// alertStory returns a sentence with the counted number and the threshold.
func alertStory(a frauddesk.Alert) string {
	within := "within " + hours(a.WindowHours)
	value, threshold := grouped(fmt.Sprint(a.Value)), grouped(fmt.Sprint(a.Threshold))
	switch a.Type {
	case "pincode_spike":
		return fmt.Sprintf("%s applicants came from one pincode %s; the threshold is %s.", value, within, threshold)
	case "ip_cluster":
		return fmt.Sprintf("%s different applicants came from one internet address %s; the threshold is %s.",
			value, within, threshold)
	case "beneficiary_account_reuse":
		return fmt.Sprintf("%s different applicants named the same bank account %s; the threshold is %s.",
			value, within, threshold)
	case "device_reuse":
		return fmt.Sprintf("%s different applicants used the same device %s; the threshold is %s.",
			value, within, threshold)
	case "mobile_reuse":
		return fmt.Sprintf("%s different applicants gave the same mobile number %s; the threshold is %s.",
			value, within, threshold)
	case "email_reuse":
		return fmt.Sprintf("%s different applicants gave the same e-mail address %s; the threshold is %s.",
			value, within, threshold)
	case "ring":
		return fmt.Sprintf("%s people are linked by accounts, devices, mobile numbers or e-mail addresses; "+
			"a ring has at least %s people.", value, threshold)
	case "agent_geo_anomaly":
		return fmt.Sprintf("%s applicants or different pincodes came through one agent %s; the limit is %s. "+
			"Of the two counts, the one that exceeds its limit more is shown.", value, within, threshold)
	}

	return fmt.Sprintf("%s was seen %s; the threshold is %s.", value, within, threshold)
}

package console

import (
	"fmt"
	"strings"

	"verdict/internal/chart"
	"verdict/internal/fault"
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

// alertStory returns a sentence that states what was counted and the threshold.
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
			"The count that exceeds its limit more is shown.", value, within, threshold)
	}

	return fmt.Sprintf("%s was seen %s; the threshold is %s.", value, within, threshold)
}

// alertResolutions lists the resolutions of an alert, with their consequences.
var alertResolutions = []option{
	{
		Value: "confirmed_fraud",
		Label: "Confirmed fraud",
		Hint:  "Only the entities that you select below are added to the block list.",
	},
	{
		Value: "false_positive",
		Label: "False positive",
		Hint:  "No new alert about this entity is raised for the days set in the thresholds.",
	},
	{Value: "duplicate", Label: "Duplicate"},
	{Value: "other", Label: "Something else"},
}

// alert renders one alert: the evidence, the applicants, and the steps that were taken.
func (p *fraudPages) alert(v *visit) error {
	found, err := p.fraud.Alert(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	ring, err := p.fraud.Ring(v.ctx, v.caller(), found.ID)
	if err != nil {
		return err
	}
	if found.Graph != nil { // draw only the entities that form the ring, not every address and pincode
		ring = *found.Graph
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	data := struct {
		Alert          alertRow
		Ring           chart.Ring
		Shared, Single []ringEntity
		Truncated      bool
		Names          map[string]string
		MayClose       bool
		Resolutions    []option
		Block          []blockChoice
	}{
		Alert:       alertRows([]frauddesk.Alert{found})[0],
		Ring:        ringOf(ring),
		Truncated:   ring.Truncated,
		Names:       names,
		MayClose:    found.Status != "closed",
		Resolutions: alertResolutions,
	}
	if data.MayClose {
		data.Block = blockChoices(found, ring, v.form)
	}

	for _, e := range ring.Entities {
		entity := ringEntity{
			Kind:       entityKinds[e.Kind],
			Display:    e.Display,
			Applicants: e.Applicants,
			Itself:     e.Kind == found.Entity.Kind && e.Key == found.Entity.Key,
		}
		if e.Applicants < sharedBy {
			data.Single = append(data.Single, entity)
		} else {
			data.Shared = append(data.Shared, entity)
		}
	}

	return v.render("alert", data.Alert.Title, data)
}

// blockChoice is an entity that can be added to the block list when an alert is closed as confirmed
// fraud.
type blockChoice struct {
	Value, Kind, Display string
	Who                  string // the people who would be blocked
	Checked              bool
}

// widelyShared lists the kinds of entities that unrelated people may share. Each value says who
// would be declined if such an entity were blocked.
var widelyShared = map[string]string{
	"ip":      "everybody who applies from this internet address",
	"pincode": "everybody who applies from this pincode",
	"agent":   "everybody who applies through this agent",
}

// blockChoices returns the entity of an alert and the entities that link its applicants. It
// preselects the same entities as the API blocks by default. It never preselects an IP address, a
// pincode or an agent, because unrelated people may share them. Of the other linking entities it
// preselects only bank accounts, because a family may share a device or a phone number. It
// preselects these bank accounts only if the alert is about a ring, an IP address, a pincode or an
// agent.
func blockChoices(a frauddesk.Alert, ring frauddesk.Ring, f *form) []blockChoice {
	var list []blockChoice
	add := func(kind, key, display, who string, checked bool) {
		choice := blockChoice{
			Value:   kind + " " + key,
			Kind:    entityKinds[kind],
			Display: display,
			Who:     who,
			Checked: checked,
		}
		if f.Posted() {
			choice.Checked = f.Has("block", choice.Value)
		}
		list = append(list, choice)
	}
	who, wide := widelyShared[a.Entity.Kind]
	isRing := a.Entity.Kind == "ring"
	if !isRing {
		if !wide {
			who = "shared by " + grouped(fmt.Sprint(a.ApplicantCount)) + " applicants"
		}
		add(a.Entity.Kind, a.Entity.Key, a.Entity.Display, who, !wide)
	}

	for _, e := range ring.Tying().Entities {
		if e.Kind != a.Entity.Kind || e.Key != a.Entity.Key {
			checked := (isRing || wide) && e.Kind == "beneficiary_account"
			add(e.Kind, e.Key, e.Display, "shared by "+grouped(fmt.Sprint(e.Applicants))+" applicants", checked)
		}
	}

	return list
}

// ringEntity is an entity that applicants of an alert use.
type ringEntity struct {
	Kind, Display string
	Applicants    int64
	Itself        bool // whether the alert is about this entity
}

// sharedBy is the minimum number of applicants that an entity needs to appear in the chart. An
// entity with a single applicant links nobody.
const sharedBy = 2

// ringOf returns the chart of a ring: shared entities on the left, applicants on the right.
func ringOf(r frauddesk.Ring) chart.Ring {
	picture := chart.Ring{Head: chart.Head{
		ID: "ring", Title: "Who shares what",
		Description: "On the left, what two or more applicants share; on the right, the applicants. " +
			"Each line is a link.",
	}}
	at := map[[2]string]int{}
	for _, e := range r.Entities {
		if e.Applicants < sharedBy {
			continue
		}
		at[[2]string{e.Kind, e.Key}] = len(picture.Nodes)
		picture.Nodes = append(picture.Nodes, chart.Node{Label: e.Display, Kind: entityKinds[e.Kind], Inner: true})
	}

	applicants := map[string]int{}
	for _, ref := range r.Applicants {
		applicants[ref] = len(picture.Nodes)
		picture.Nodes = append(picture.Nodes, chart.Node{Label: ref, Kind: "Applicant"})
	}

	for _, e := range r.Edges {
		from, shared := at[[2]string{e.Kind, e.Key}]
		to, known := applicants[e.ApplicantRef]
		if shared && known {
			picture.Links = append(picture.Links, chart.Link{From: from, To: to})
		}
	}

	return picture
}

func (p *fraudPages) acknowledgeAlert(v *visit) error {
	return p.moveAlert(v, "acknowledged", "The alert is acknowledged.")
}

// closeAlert closes an alert. In live, the person must confirm, because closing may block entities or suppress further
// alerts about them.
func (p *fraudPages) closeAlert(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.alert)
	}
	return p.moveAlert(v, "closed", "The alert is closed.")
}

func (p *fraudPages) moveAlert(v *visit, to, said string) error {
	move := frauddesk.AlertMove{To: to, Resolution: v.form.Value("resolution"), Note: v.form.Value("note")}
	if v.form.Value("choose") != "" && v.form.Value("resolution") == "confirmed_fraud" {
		var err error
		if move.Block, err = chosenEntities(v.form); err != nil {
			return v.redraw(err, p.alert)
		}
	}

	if _, err := p.fraud.MoveAlert(v.ctx, v.caller(), v.id("id"), move); err != nil {
		return v.redraw(err, p.alert)
	}

	return v.done(said, "/fraud/alerts/"+v.id("id"))
}

// chosenEntities returns the entities that were selected for blocking. All of them get the expiry
// date of the form.
func chosenEntities(f *form) ([]frauddesk.BlockEntity, error) {
	var faults fault.List
	expires := day(&faults, "/expires_at", f.Value("expires_at"))
	list := []frauddesk.BlockEntity{}
	for _, chosen := range f.Values("block") {
		kind, key, _ := strings.Cut(chosen, " ")
		list = append(list, frauddesk.BlockEntity{Kind: kind, Key: key, ExpiresAt: endOfDay(expires)})
	}
	return list, faults.Err()
}

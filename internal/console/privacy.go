package console

import (
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/tenant"
)

// privacyPages serves the erasures, the legal holds and the retention periods of an environment.
type privacyPages struct {
	privacy *privacydesk.Service
	people  directory
}

func (p *privacyPages) routes() []page {
	const scope = tenant.PrivacyManage
	return []page{
		{pattern: "GET /console/{env}/privacy", handle: p.overview, scope: scope},
		{pattern: "GET /console/{env}/privacy/erase", handle: p.newErasure, scope: scope},
		{pattern: "POST /console/{env}/privacy/erase", handle: p.erase, scope: scope},
		{pattern: "POST /console/{env}/privacy/erasures/{id}/withdraw", handle: p.withdraw, scope: scope},
		{pattern: "GET /console/{env}/privacy/hold", handle: p.newHold, scope: scope},
		{pattern: "POST /console/{env}/privacy/hold", handle: p.placeHold, scope: scope},
		{pattern: "POST /console/{env}/privacy/holds/{id}/release", handle: p.release, scope: scope},
		{pattern: "GET /console/{env}/privacy/retention", handle: p.retention, scope: scope},
		{pattern: "POST /console/{env}/privacy/retention", handle: p.setRetention, scope: scope},
	}
}

// holdsShown is the maximum number of holds in force on the page.
const holdsShown = 50

// overview shows the erasures page by page, the newest holds in force, and the retention periods.
func (p *privacyPages) overview(v *visit) error {
	list := v.listing()
	erasures, err := p.privacy.Erasures(v.ctx, v.caller(), list)
	if fault.CodeOf(err) == fault.CodeInvalidCursor {
		list.Cursor = ""
		erasures, err = p.privacy.Erasures(v.ctx, v.caller(), list)
	}
	if err != nil {
		return err
	}
	holds, err := p.privacy.Holds(v.ctx, v.caller(), privacydesk.HoldFilter{InForce: true},
		operation.List{Limit: holdsShown})
	if err != nil {
		return err
	}
	retention, err := p.privacy.Retention(v.ctx, v.caller())
	if err != nil {
		return err
	}
	names, err := p.people.names(v)
	if err != nil {
		return err
	}
	return v.render("privacy", "Privacy", struct {
		Erasures  []privacydesk.Erasure
		Pager     pager
		Holds     []privacydesk.Hold
		MoreHolds bool
		Retention privacydesk.Retention
		Names     map[string]string
	}{erasures.Data, v.pager(erasures.NextCursor), holds.Data, holds.NextCursor != "", retention, names})
}

// closedList returns the values of a closed list as options, in words.
func closedList(values []string, chosen string) []option {
	list := make([]option, len(values))
	for i, value := range values {
		list[i] = option{Value: value, Label: strings.TrimSuffix(sentence(words(value)), "."), Chosen: value == chosen}
	}
	return list
}

func (p *privacyPages) newErasure(v *visit) error {
	return v.render("privacy_erase", "Erase an applicant", struct {
		Applicant string
		Reasons   []option
	}{v.query("applicant"), closedList(privacydesk.Reasons(), v.form.Value("reason"))})
}

func (p *privacyPages) erase(v *visit) error {
	err := v.confirmed()
	var e privacydesk.Erasure
	if err == nil {
		e, err = p.privacy.Erase(v.ctx, v.caller(), privacydesk.NewErasure{
			ApplicantRef: v.form.Value("applicant_ref"), Reason: v.form.Value("reason"),
		}, nil)
	}
	if err != nil {
		return v.redraw(notHeld(err), p.newErasure)
	}
	if e.State == privacydesk.Deferred {
		return v.done("The erasure is deferred. It runs automatically when nothing requires the data any more.",
			"/privacy")
	}
	return v.done("The applicant was erased.", "/privacy")
}

// notHeld handles the error NotFound, which means that no data about the applicant is stored. It turns the error into
// a fault of the form field with the reference.
func notHeld(err error) error {
	if fault.KindOf(err) != fault.NotFound {
		return err
	}
	return operation.Invalid("/applicant_ref", fault.CodeInvalidField, "nothing is held about this applicant")
}

func (p *privacyPages) withdraw(v *visit) error {
	if _, err := p.privacy.Withdraw(v.ctx, v.caller(), v.id("id"), nil); err != nil {
		return v.redraw(err, p.overview)
	}
	return v.done("The erasure was withdrawn. Nothing was erased.", "/privacy")
}

func (p *privacyPages) newHold(v *visit) error {
	return v.render("privacy_hold", "Place a legal hold", struct {
		Applicant string
		Reasons   []option
	}{v.query("applicant"), closedList(privacydesk.HoldReasons(), v.form.Value("reason"))})
}

func (p *privacyPages) placeHold(v *visit) error {
	var faults fault.List
	var until time.Time
	if text := v.form.Value("until"); text != "" {
		if last := day(&faults, "/until", text); !last.IsZero() { // the hold applies on that day too
			until = civil.LocalDay(last).LastSecond().Add(time.Second)
		}
	}
	err := faults.Err()
	if err == nil {
		_, err = p.privacy.PlaceHold(v.ctx, v.caller(), privacydesk.NewHold{
			ApplicantRef: v.form.Value("applicant_ref"), Reason: v.form.Value("reason"), Until: until,
		}, nil)
	}
	if err != nil {
		return v.redraw(notHeld(err), p.newHold)
	}
	return v.done("The legal hold is in force.", "/privacy")
}

func (p *privacyPages) release(v *visit) error {
	if _, err := p.privacy.ReleaseHold(v.ctx, v.caller(), v.id("id"), nil); err != nil {
		return v.redraw(err, p.overview)
	}
	return v.done("The legal hold was released.", "/privacy")
}

// zones holds the names of the zones with a retention period, and what each contains.
var zones = map[string][2]string{
	"history":     {"Histories", "Bureau and bank histories behind the features"},
	"features":    {"Features", "Feature vectors of decisions"},
	"combined":    {"Facts", "Applicant, bureau report, bank statement, device, location, and what was counted"},
	"response":    {"Answers", "Answers, all other documents of the decision, and the reference of the applicant"},
	"agent_runs":  {"Agent runs", "Requests and answers of the agents"},
	"exposures":   {"Closed loans", "Reported loans; the period begins when a loan is reported as closed"},
	"fraud_links": {"Fraud links", "Accounts, devices and addresses; the period begins when they were last seen"},
}

// zoneTexts returns the name of a zone with a retention period and what the zone contains. The API calls a zone by its
// code; a zone without texts keeps the code.
func zoneTexts(zone string) (name, text string) {
	if texts, known := zones[zone]; known {
		return texts[0], texts[1]
	}
	return words(zone), ""
}

// zoneField is the part of the form with the period of a zone.
type zoneField struct {
	privacydesk.ZoneRetention
	Bases []option
}

func (p *privacyPages) retention(v *visit) error {
	r, err := p.privacy.Retention(v.ctx, v.caller())
	if err != nil {
		return err
	}
	data := struct {
		Version int64
		Zones   []zoneField
	}{Version: r.Version}
	for _, z := range r.Zones {
		basis := z.Basis
		if v.form.Posted() {
			basis = v.form.Value(z.Zone + "_basis")
		}
		data.Zones = append(data.Zones, zoneField{z, closedList(privacydesk.RetentionBases(), basis)})
	}
	return v.render("privacy_retention", "Retention periods", data)
}

func (p *privacyPages) setRetention(v *visit) error {
	err := v.confirmed()
	if err == nil {
		var periods []privacydesk.ZonePeriod
		for _, zone := range privacydesk.RetentionZones() {
			if period := v.form.Value(zone + "_period"); period != "" {
				periods = append(periods, privacydesk.ZonePeriod{
					Zone: zone, Period: strings.ToUpper(period), Basis: v.form.Value(zone + "_basis"),
				})
			}
		}
		var faults fault.List
		expected := int64(wholeNumber(&faults, "/version", v.form.Value("version"), 0, 0, 1<<30))
		if err = faults.Err(); err == nil {
			_, err = p.privacy.SetRetention(v.ctx, v.caller(), periods, expected)
		}
	}
	if err != nil {
		return v.redraw(atZoneFields(err), p.retention)
	}
	return v.done("The retention periods were saved. Shorter ones are applied after 24 hours.", "/privacy")
}

// atZoneFields changes the pointers of faults to the fields of the form: /zones/combined/period becomes
// /combined_period.
func atZoneFields(err error) error {
	refusal := fault.Of(err)
	if refusal == nil || len(refusal.Items) == 0 {
		return err
	}
	var faults fault.List
	for _, item := range refusal.Items {
		if rest, is := strings.CutPrefix(item.Pointer, "/zones/"); is {
			item.Pointer = "/" + strings.ReplaceAll(rest, "/", "_")
		}
		faults.AddItem(item)
	}
	return faults.Err()
}

package console

import (
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/tenant"
)

// fraudPages serves the fraud desk: alerts, the block list, thresholds, and pincode
// risk.
type fraudPages struct {
	fraud     *frauddesk.Service
	decisions *decisioning.Service
	people    directory
	now       func() time.Time
}

func (p *fraudPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/fraud", handle: p.alerts, scope: tenant.Read},
		{pattern: "GET /console/{env}/fraud/alerts/{id}", handle: p.alert, scope: tenant.Read},
		{
			pattern: "POST /console/{env}/fraud/alerts/{id}/acknowledge",
			handle:  p.acknowledgeAlert,
			scope:   tenant.Decide,
		},
		{pattern: "POST /console/{env}/fraud/alerts/{id}/close", handle: p.closeAlert, scope: tenant.Decide},
		{pattern: "GET /console/{env}/fraud/blocked", handle: p.blocked, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/blocked", handle: p.block, scope: tenant.Decide},
		{pattern: "POST /console/{env}/fraud/blocked/remove", handle: p.unblock, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/fraud/thresholds", handle: p.thresholds, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/thresholds", handle: p.setThresholds, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/fraud/pincodes", handle: p.pincodes, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/pincodes", handle: p.setPincode, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/fraud/pincodes/remove", handle: p.removePincode, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/fraud/pincodes/list", handle: p.setPincodes, scope: tenant.PolicyWrite},
		{
			pattern: "POST /console/{env}/fraud/pincodes/file", handle: p.uploadPincodes, scope: tenant.PolicyWrite,
			upload: true,
		},
	}
}

// blocked renders the block list, which has entities from confirmed fraud and entries
// added by hand.
func (p *fraudPages) blocked(v *visit) error {
	page, err := p.fraud.Blocklist(v.ctx, v.caller(), v.listing())
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	return v.render("fraud_blocked", "Block list", struct {
		Rows    []frauddesk.Blocked
		Names   map[string]string
		Kinds   map[string]string
		Pager   pager
		Choices []option
	}{
		Rows:    page.Data,
		Names:   names,
		Kinds:   entityKinds,
		Pager:   v.pager(page.NextCursor),
		Choices: blockableKinds(),
	})
}

// blockableKinds returns the kinds of entities that can be blocked by hand.
func blockableKinds() []option {
	var list []option
	for _, kind := range frauddesk.EntityKinds() {
		list = append(list, option{Value: kind, Label: entityKinds[kind]})
	}
	return list
}

// block adds an entity to the block list by hand.
func (p *fraudPages) block(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.blocked)
	}

	var faults fault.List
	expires := day(&faults, "/expires_at", v.form.Value("expires_at"))
	if err := faults.Err(); err != nil {
		return v.redraw(err, p.blocked)
	}

	_, err := p.fraud.Block(v.ctx, v.caller(), frauddesk.NewBlock{
		Kind:      v.form.Value("kind"),
		Value:     v.form.Value("value"),
		Reason:    v.form.Value("reason"),
		ExpiresAt: endOfDay(expires),
	}, nil)
	if err != nil {
		return v.redraw(err, p.blocked)
	}

	return v.done("It is blocked from the next application on.", "/fraud/blocked")
}

func (p *fraudPages) unblock(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.blocked)
	}
	if err := p.fraud.Unblock(v.ctx, v.caller(), v.form.Value("kind"), v.form.Value("key")); err != nil {
		return v.redraw(err, p.blocked)
	}
	return v.done("It is not blocked any more.", "/fraud/blocked")
}

// endOfDay returns the time at which a day ends, or the zero time if day is zero.
func endOfDay(day time.Time) time.Time {
	if day.IsZero() {
		return day
	}
	return day.AddDate(0, 0, 1).UTC()
}

// entityKinds holds the names of the kinds of entities that applicants can share.
var entityKinds = map[string]string{
	"beneficiary_account": "Bank account",
	"ip":                  "Internet address",
	"pincode":             "Pincode",
	"agent":               "Agent",
	"device":              "Device",
	"mobile":              "Mobile number",
	"email":               "E-mail address",
	"ring":                "Ring",
}

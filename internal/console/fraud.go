package console

import (
	"verdict/internal/decisioning"
	"verdict/internal/tenant"
)

func (c *Console) fraudPages() []page {
	return []page{
		{pattern: "GET /console/{env}/fraud", handle: c.alerts, scope: tenant.Read},
		{pattern: "GET /console/{env}/fraud/alerts/{id}", handle: c.alert, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/alerts/{id}/acknowledge", handle: c.acknowledgeAlert, scope: tenant.Decide},
		{pattern: "POST /console/{env}/fraud/alerts/{id}/close", handle: c.closeAlert, scope: tenant.Decide},
		{pattern: "GET /console/{env}/fraud/blocked", handle: c.blocked, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/blocked/remove", handle: c.unblock, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/fraud/thresholds", handle: c.thresholds, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/thresholds", handle: c.setThresholds, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/fraud/pincodes", handle: c.pincodes, scope: tenant.Read},
		{pattern: "POST /console/{env}/fraud/pincodes", handle: c.setPincode, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/fraud/pincodes/remove", handle: c.removePincode, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/fraud/pincodes/list", handle: c.setPincodes, scope: tenant.PolicyWrite},
	}
}

// blocked lists what confirmed fraud has put on the block list.
func (c *Console) blocked(v *visit) error {
	page, err := c.service.Blocklist(v.ctx, v.caller(), v.listing())
	if err != nil {
		return err
	}
	names, err := c.names(v)
	if err != nil {
		return err
	}
	return v.render("fraud_blocked", "Block list", struct {
		Rows  []decisioning.Blocked
		Names map[string]string
		Kinds map[string]string
		Pager pager
	}{page.Data, names, entityKinds, v.pager(page.NextCursor)})
}

func (c *Console) unblock(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, c.blocked)
	}
	if err := c.service.Unblock(v.ctx, v.caller(), v.form.Value("kind"), v.form.Value("key")); err != nil {
		return v.again(err, c.blocked)
	}
	return v.done("It is off the block list.", "/fraud/blocked")
}

// entityKinds are what applicants can share, for people.
var entityKinds = map[string]string{
	"beneficiary_account": "Bank account", "ip": "Internet address", "pincode": "Pincode", "agent": "Agent",
	"device": "Device", "mobile": "Mobile number", "email": "E-mail address",
}

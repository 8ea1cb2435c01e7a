package console

import (
	"html/template"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// factorPages serves the pages on which people set up their second factor, and the organisation's rule about it.
type factorPages struct {
	factors *account.SecondFactors
}

// factorPath is the path of the page on which a person sets up the second factor.
const factorPath = "/console/account/second-factor"

func (p *factorPages) routes() []page {
	return []page{
		{pattern: "GET " + factorPath, handle: p.factor, enrol: true, secret: true},
		{pattern: "POST " + factorPath + "/begin", handle: p.begin, enrol: true},
		{pattern: "POST " + factorPath + "/confirm", handle: p.confirm, enrol: true},
		{pattern: "POST " + factorPath + "/codes", handle: p.replaceCodes},
		{pattern: "POST " + factorPath + "/remove", handle: p.remove},
		{pattern: "POST /console/users/second-factor", handle: p.require, scope: tenant.Admin},
		{pattern: "POST /console/users/{id}/second-factor/reset", handle: p.reset, scope: tenant.Admin},
	}
}

func (p *factorPages) factor(v *visit) error {
	state, err := p.factors.State(v.ctx, v.who.session)
	if err != nil {
		return err
	}

	data := struct {
		account.FactorState
		Must   bool // whether the person must set it up before anything else
		QR     template.HTML
		Secret string
	}{FactorState: state, Must: v.who.session.MustEnrol}
	if state.Pending {
		secret, err := p.factors.Pending(v.ctx, v.who.session)
		if err != nil {
			return err
		}
		uri := secret.URI("Verdict "+v.who.OrgName(), v.who.Email())
		if data.QR, err = qrCode(uri, "QR code of the secret that is written below it"); err != nil {
			return err
		}
		data.Secret = secret.Groups()
	}

	return v.render("second_factor", "Second factor", data)
}

func (p *factorPages) begin(v *visit) error {
	if err := p.factors.Begin(v.ctx, v.who.session, v.form.Secret("current_password")); err != nil {
		return v.redraw(err, p.factor)
	}
	return v.redirect(factorPath)
}

func (p *factorPages) confirm(v *visit) error {
	codes, err := p.factors.Confirm(v.ctx, v.who.session, v.form.Value("code"))
	if err != nil {
		return v.redraw(err, p.factor)
	}
	return p.showCodes(v, codes)
}

func (p *factorPages) replaceCodes(v *visit) error {
	codes, err := p.factors.ReplaceRecoveryCodes(v.ctx, v.who.session, v.form.Value("code"))
	if err != nil {
		return v.redraw(err, p.factor)
	}
	return p.showCodes(v, codes)
}

// showCodes renders the recovery codes, which are shown only once.
func (p *factorPages) showCodes(v *visit, codes []tenant.Secret) error {
	var text string
	for _, code := range codes {
		text += code.Reveal() + "\n"
	}
	return v.render("recovery_codes", "Recovery codes", struct{ Codes string }{text})
}

func (p *factorPages) remove(v *visit) error {
	if err := p.factors.Remove(v.ctx, v.who.session, v.form.Value("code")); err != nil {
		return v.redraw(err, p.factor)
	}
	return v.done("The second factor was removed.", "/account")
}

func (p *factorPages) require(v *visit) error {
	required := v.form.Value("everybody") == "yes"
	if err := p.factors.Require(v.ctx, v.caller(), required); err != nil {
		if fault.CodeOf(err) == fault.CodeSecondFactorRequired {
			v.setFlash("Set up your own second factor before you require it of everybody.")
			return v.redirect(factorPath)
		}
		return err
	}
	if required {
		return v.done("Everybody with a password needs a second factor now.", "/users")
	}
	return v.done("A second factor is no longer required.", "/users")
}

func (p *factorPages) reset(v *visit) error {
	if err := p.factors.Reset(v.ctx, v.caller(), v.id("id")); err != nil {
		return err
	}
	return v.done("The second factor was removed. The person has to sign in again.", "/users")
}

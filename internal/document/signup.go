package document

import (
	"slices"
	"strings"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// ReadSignup reads the body of POST /api/signup. It returns warnings, not faults, for
// unknown members: an additional member does no harm, and a misspelt required member is
// reported as missing.
func ReadSignup(body wire.Value, rules tenant.PasswordRules) (tenant.Signup, []fault.Item, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	s := tenant.Signup{
		Email:    requiredText(&f, "email", "the admin user's e-mail address"),
		OrgName:  requiredText(&f, "org_name", "the name of the organisation"),
		Password: tenant.NewSecret(requiredText(&f, "password", "the admin user's password")),
		Invite:   tenant.NewSecret(text(&f, "invite_code")),
	}
	s.Check(&faults, rules)
	inOrder(&faults, "email", "org_name", "password", "invite_code")

	warnings := unknownMembers(body)
	if faults.Len() > 0 {
		warnings.CopyHinted(&faults)
		return tenant.Signup{}, nil, faults.Err()
	}
	return s.Normalised(), warnings.Items(), nil
}

// requiredText reads a text of any length. The text is required.
func requiredText(f *wire.Form, name, what string) string {
	if !f.Require(name, what) {
		return ""
	}
	return text(f, name)
}

// inOrder sorts faults by their members, so that all faults of a member are together.
func inOrder(faults *fault.List, members ...string) {
	place := func(i fault.Item) int {
		member, _, _ := strings.Cut(strings.TrimPrefix(i.Pointer, "/"), "/")
		return slices.Index(members, member)
	}
	slices.SortStableFunc(faults.Items(), func(a, b fault.Item) int { return place(a) - place(b) })
}

// signupMembers maps common spellings, in lower case without separators, to the
// members of a signup.
var signupMembers = map[string]string{
	"email": "email", "mail": "email", "emailaddress": "email", "password": "password", "passwd": "password",
	"orgname": "org_name", "org": "org_name", "organisation": "org_name", "organization": "org_name",
	"organisationname": "org_name", "organizationname": "org_name", "company": "org_name", "companyname": "org_name",
	"invitecode": "invite_code", "invite": "invite_code",
}

// maxWarnedName is the length of the longest member name that a warning repeats. A longer
// name is probably a submitted value.
const maxWarnedName = 64

// unknownMembers returns warnings for the unknown members of a signup. A warning suggests
// the known name that was probably meant.
func unknownMembers(body wire.Value) *fault.List {
	var warnings fault.List
	for name, member := range body.Members() {
		pointer, near := "", ""
		if len(name) <= maxWarnedName {
			pointer = member.Pointer()
			near = signupMembers[strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))]
		}
		if name != near {
			text := "is not a known field and was not read"
			warnings.AddItem(fault.Unknown(pointer, text, near, strings.EqualFold(name, near)))
		}
	}
	return &warnings
}

// WriteSignedUp writes the answer to a signup, with the key as plain text and the warnings
// of ReadSignup.
func WriteSignedUp(w *wire.Writer, u account.SignedUp, warnings []fault.Item) {
	created := u.Tenant.CreatedAt.Format(operation.ClockFormat)
	w.Object().Key("api_key").String(u.Key.Reveal())
	w.Key("key").Object().Key("id").String(u.KeyID).Key("environment").String(string(u.Key.Environment()))
	w.Key("prefix").String(u.Key.Prefix()).Key("created_at").String(created).EndObject()
	w.Key("tenant").Object().Key("id").String(u.Tenant.ID).Key("org_name").String(u.Tenant.OrgName)
	w.Key("plan").String(u.Tenant.Plan).Key("created_at").String(created).EndObject()
	w.Key("user").Object().Key("id").String(u.UserID).Key("email").String(u.Email)
	w.Key("role").String(string(tenant.RoleAdmin)).EndObject()
	w.Key("default_rule_set_id").String(u.RuleSetID).Key("console_url").String("/console")
	if len(warnings) > 0 {
		w.Key("warnings").Array()
		for _, warning := range warnings {
			w.Object().Key("code").String(warning.Code)
			optional(w, "pointer", warning.Pointer)
			w.Key("detail").String(warning.Detail).EndObject()
		}
		w.EndArray()
	}
	w.EndObject()
}

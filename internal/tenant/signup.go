package tenant

import (
	"math"
	"strings"
	"unicode/utf8"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Bounds on an organisation's name, in characters.
const (
	minOrgName = 2
	maxOrgName = 120
)

// maxInviteCode is more than any code has, in bytes.
const maxInviteCode = 200

// SignupMode says who may sign up.
type SignupMode string

// The modes.
const (
	SignupOpen   SignupMode = "open"   // everybody
	SignupInvite SignupMode = "invite" // who has a code from the operator
	SignupClosed SignupMode = "closed" // nobody; the operator creates tenants
)

// Signup is a signup request that was understood, with its values in the form
// they are kept in.
type Signup struct {
	Email    string // as NormaliseEmail writes it
	OrgName  string // trimmed
	Password Secret
	Invite   Secret       // the code that lets somebody sign up where not everybody may, empty for none
	Warnings []fault.Item // the members that were not read
}

// ReadSignup reads the body of POST /api/signup. A wrong one
// is refused with all its faults at once. That the e-mail address is not taken
// yet is for storage to say.
//
// A member that is not known is passed over with a warning: every known one is
// required, so a misspelt name cannot pass for one left out, and a client that
// sends more than we read does no harm.
func ReadSignup(v wire.Value, rules PasswordRules) (Signup, error) {
	var faults fault.List
	f := wire.NewForm(v, &faults)
	var s Signup
	email := readEmail(&f, &s)
	readOrgName(&f, &s)
	if password, ok := text(&f, "password", "the admin user's password"); ok {
		rules.Check(&faults, f.Pointer("password"), password, email)
		s.Password = NewSecret(strings.Clone(password))
	}
	if code, ok := f.Text("invite_code", maxInviteCode); ok {
		s.Invite = NewSecret(strings.Clone(strings.TrimSpace(code)))
	}
	warnings := notRead(v)
	if faults.Len() > 0 {
		warnings.CopyHinted(&faults)
	}
	if err := faults.Err(); err != nil {
		return Signup{}, err
	}
	s.Warnings = warnings.Items()
	return s, nil
}

// readEmail also returns the address as it was sent, so that the password can
// be held against one that was refused.
func readEmail(f *wire.Form, s *Signup) (sent string) {
	sent, ok := text(f, "email", "the admin user's e-mail address")
	if !ok {
		return ""
	}
	email, ok := NormaliseEmail(sent)
	if !ok {
		f.Fail("email", fault.CodeInvalidEmail,
			"must be an e-mail address such as admin@example.in, at most %d characters of ASCII", maxEmail)
	}
	// A copy, so that keeping the address does not keep the body, which has
	// the password in it.
	s.Email = strings.Clone(email)
	return sent
}

func readOrgName(f *wire.Form, s *Signup) {
	sent, ok := text(f, "org_name", "the name of the organisation")
	if !ok {
		return
	}
	name := strings.TrimSpace(sent)
	switch {
	case !printable(sent):
		f.Fail("org_name", fault.CodeInvalidCharacter, "%s", unprintableDetail)
	case visible(name) < minOrgName || utf8.RuneCountInString(name) > maxOrgName:
		f.Fail("org_name", fault.CodeOutOfRange, "must have %d to %d characters", minOrgName, maxOrgName)
	default:
		s.OrgName = strings.Clone(name) // for the same reason
	}
}

// text reads a required string of any length; the body's own limit bounds it.
func text(f *wire.Form, name, what string) (string, bool) {
	if !f.Require(name, what) {
		return "", false
	}
	return f.Text(name, math.MaxInt)
}

// signupMembers are the members of a signup, by the words that are sent for them,
// in small letters alone.
var signupMembers = map[string]string{
	"email": "email", "mail": "email", "emailaddress": "email", "password": "password", "passwd": "password",
	"orgname": "org_name", "org": "org_name", "organisation": "org_name", "organization": "org_name",
	"organisationname": "org_name", "organizationname": "org_name", "company": "org_name", "companyname": "org_name",
	"invitecode": "invite_code", "invite": "invite_code",
}

// notRead lists the members nobody asked for, with the names that were probably
// meant.
func notRead(v wire.Value) *fault.List {
	var warnings fault.List
	for name, member := range v.Members() {
		pointer, near := "", ""
		// A long name is a submitted value rather than a name.
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

const maxWarnedName = 64

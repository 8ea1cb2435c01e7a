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

// maxInviteCode bounds an invitation code, in bytes.
const maxInviteCode = 200

// SignupMode says who may sign up.
type SignupMode string

// The modes.
const (
	SignupOpen   SignupMode = "open"   // everybody
	SignupInvite SignupMode = "invite" // people with a code from the operator
	SignupClosed SignupMode = "closed" // nobody; the operator creates tenants
)

// Signup is a valid signup request, with its values in the form in which they are
// stored.
type Signup struct {
	Email    string // as NormaliseEmail writes it
	OrgName  string // trimmed
	Password Secret
	Invite   Secret       // the invitation code, empty for none
	Warnings []fault.Item // the unknown members
}

// ReadSignup reads the body of POST /api/signup. For an invalid body the error lists
// all faults. Whether the e-mail address is already in use is checked by storage.
//
// An unknown member gives only a warning: a client that sends more members does no
// harm, and a misspelt required member is reported as missing.
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

// readEmail reads the e-mail address. It also returns the address as sent, so that
// the password can be compared with it even if the address is invalid.
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
	// Copy the address, so that it does not keep the body in memory, which contains
	// the password.
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
		s.OrgName = strings.Clone(name) // as in readEmail: do not keep the body in memory
	}
}

// text reads a required string. Only the limit on the body bounds its length.
func text(f *wire.Form, name, what string) (string, bool) {
	if !f.Require(name, what) {
		return "", false
	}
	return f.Text(name, math.MaxInt)
}

// signupMembers maps common spellings, in lower case without separators, to the
// members of a signup.
var signupMembers = map[string]string{
	"email": "email", "mail": "email", "emailaddress": "email", "password": "password", "passwd": "password",
	"orgname": "org_name", "org": "org_name", "organisation": "org_name", "organization": "org_name",
	"organisationname": "org_name", "organizationname": "org_name", "company": "org_name", "companyname": "org_name",
	"invitecode": "invite_code", "invite": "invite_code",
}

// notRead returns warnings for the unknown members, with the known names that were
// probably meant.
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

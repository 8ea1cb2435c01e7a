package tenant

import (
	"strings"
	"unicode/utf8"

	"verdict/internal/fault"
)

// Bounds on an organisation's name, in characters.
const (
	minOrgName = 2
	maxOrgName = 120
)

// maxInviteCode is the maximum length of an invitation code, in bytes.
const maxInviteCode = 200

// SignupMode says who may sign up.
type SignupMode string

// The modes.
const (
	SignupOpen   SignupMode = "open"   // everybody
	SignupInvite SignupMode = "invite" // people with a code from the operator
	SignupClosed SignupMode = "closed" // nobody; the operator creates tenants
)

// Signup is a signup request.
type Signup struct {
	Email    string
	OrgName  string
	Password Secret
	Invite   Secret // the invitation code, empty for none
}

// Check adds all faults of the request. It does not check whether the e-mail address
// is already in use; storage does.
func (s Signup) Check(faults *fault.List, rules PasswordRules) {
	c := faults.Check("")
	if _, ok := NormaliseEmail(s.Email); !ok {
		c.Fail("email", fault.CodeInvalidEmail,
			"must be an e-mail address such as admin@example.in, at most %d characters of ASCII", maxEmail)
	}
	s.checkOrgName(c)
	if c.Ok("password") {
		// The password is compared with the e-mail address even if the address is
		// invalid.
		rules.Check(faults, "/password", s.Password.Reveal(), s.Email)
	}
	c.Text("invite_code", s.Invite.Reveal(), maxInviteCode)
}

func (s Signup) checkOrgName(c fault.Check) {
	name := strings.TrimSpace(s.OrgName)
	switch {
	case !printable(s.OrgName):
		c.Fail("org_name", fault.CodeInvalidCharacter, "%s", unprintableDetail)
	case visible(name) < minOrgName || utf8.RuneCountInString(name) > maxOrgName:
		c.Fail("org_name", fault.CodeOutOfRange, "must have %d to %d characters", minOrgName, maxOrgName)
	}
}

// Normalised returns a request without faults in the form in which it is stored:
// the e-mail address as NormaliseEmail returns it, and the name and the code
// without surrounding spaces.
func (s Signup) Normalised() Signup {
	s.Email, _ = NormaliseEmail(s.Email)
	s.OrgName = strings.TrimSpace(s.OrgName)
	s.Invite = NewSecret(strings.TrimSpace(s.Invite.Reveal()))
	return s
}

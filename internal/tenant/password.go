package tenant

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"verdict/internal/fault"
)

// maxPassword is the maximum length of a password, in bytes. It limits the time
// for hashing.
const maxPassword = 1024

// defaultMinPassword is the default of PasswordRules.MinCharacters.
const defaultMinPassword = 8

// PasswordRules are the rules for new passwords. There is no rule about digits and
// capitals, because such rules make passwords worse.
type PasswordRules struct {
	MinCharacters int // 0 means eight
}

// Least returns the minimum number of characters.
func (r PasswordRules) Least() int {
	if r.MinCharacters <= 0 {
		return defaultMinPassword
	}
	return r.MinCharacters
}

// Check adds all faults of a new password at pointer. The password is used exactly
// as typed: it is never trimmed, truncated or normalized.
func (r PasswordRules) Check(faults *fault.List, pointer, password, email string) {
	if least := r.Least(); utf8.RuneCountInString(password) < least {
		faults.Add(pointer, fault.CodeOutOfRange, "must have at least %d characters", least)
	}
	if len(password) > maxPassword {
		faults.Add(pointer, fault.CodeOutOfRange, "must have at most %d bytes", maxPassword)
	}
	// Nobody types a control character. It comes from the line break of a file or
	// from a failed paste, and would lock its owner out.
	if strings.ContainsFunc(password, unicode.IsControl) {
		faults.Add(pointer, fault.CodeInvalidCharacter, "must not contain control characters")
	}
	if email = strings.TrimSpace(email); email != "" && strings.EqualFold(strings.TrimSpace(password), email) {
		faults.Add(pointer, fault.CodePasswordIsEmail, "must not be the e-mail address")
	}
}

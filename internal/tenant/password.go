package tenant

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"verdict/internal/fault"
)

// maxPassword bounds what is hashed, in bytes.
const maxPassword = 1024

// defaultMinPassword is the shortest password, in characters, where no other
// minimum is configured.
const defaultMinPassword = 8

// PasswordRules are what a new password must satisfy. There is no rule about
// digits and capitals: such rules make passwords worse, not better.
type PasswordRules struct {
	MinCharacters int // 0: eight
}

// Check notes at pointer everything that is wrong with a new password. The
// password is taken as it is: it is never trimmed, cut or brought into another
// form, so that what a person typed is what opens the door.
func (r PasswordRules) Check(faults *fault.List, pointer, password, email string) {
	least := r.MinCharacters
	if least <= 0 {
		least = defaultMinPassword
	}
	if utf8.RuneCountInString(password) < least {
		faults.Add(pointer, fault.CodeOutOfRange, "must have at least %d characters", least)
	}
	if len(password) > maxPassword {
		faults.Add(pointer, fault.CodeOutOfRange, "must have at most %d bytes", maxPassword)
	}
	// Nobody types one: it is the line break of a file or a broken paste, and
	// would lock its owner out.
	if strings.ContainsFunc(password, unicode.IsControl) {
		faults.Add(pointer, fault.CodeInvalidCharacter, "must not hold control characters")
	}
	if email = strings.TrimSpace(email); email != "" && strings.EqualFold(strings.TrimSpace(password), email) {
		faults.Add(pointer, fault.CodePasswordIsEmail, "must not be the e-mail address")
	}
}

package tenant

import (
	"strings"
	"unicode/utf8"
)

// Bounds of RFC 5321: a path has at most 256 octets, two of which are its brackets.
const (
	maxEmail  = 254
	maxLocal  = 64
	maxDomain = 253
	maxLabel  = 63
)

// NormaliseEmail returns an e-mail address in its canonical form: trimmed and in
// lower case. Mail servers treat "Asha@" and "asha@" as one person, and without
// the canonical form that person could have two accounts.
//
// It accepts common addresses: words of RFC 5321 joined by dots, "@", and a domain
// of at least two labels. It refuses quoted local parts, comments and address
// literals. It also refuses non-ASCII characters, because two addresses could look
// alike; an international domain must be in its "xn--" form.
func NormaliseEmail(text string) (email string, ok bool) {
	email = strings.Trim(text, " ")
	if len(email) > maxEmail || strings.ContainsFunc(email, func(r rune) bool { return r >= utf8.RuneSelf }) {
		// Check before lower-casing, which would turn the Kelvin sign into a "k".
		return "", false
	}
	email = strings.ToLower(email)
	local, domain, found := strings.Cut(email, "@")
	if !found || !localPart(local) || !domainName(domain) {
		return "", false
	}
	return email, true
}

func localPart(local string) bool {
	if len(local) > maxLocal {
		return false
	}
	for word := range strings.SplitSeq(local, ".") {
		if word == "" {
			return false
		}
		for i := range len(word) {
			if !alphanumeric(word[i]) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", word[i]) < 0 {
				return false
			}
		}
	}
	return true
}

func domainName(domain string) bool {
	if len(domain) > maxDomain || !strings.Contains(domain, ".") {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !alphanumeric(label[i]) && label[i] != '-' {
				return false
			}
		}
		last = label
	}
	// A top-level domain begins with a letter; 192.0.2.1 is an IP address.
	return last[0] < '0' || last[0] > '9'
}

// alphanumeric reports whether c is a digit or a lower-case letter.
func alphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

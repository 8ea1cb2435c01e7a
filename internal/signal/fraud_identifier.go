package signal

import (
	"strings"
	"unicode"

	"verdict/internal/rule"
)

// flaw is the reason why a value does not identify anything.
type flaw uint8

const (
	usable flaw = iota
	blank
	placeholder
	masked
	malformed
	notPublic
)

// text returns a description of the flaw that can follow the name of a member in
// a sentence.
func (f flaw) text() string {
	switch f {
	case usable:
		return "identifies one thing"
	case blank:
		return "is blank"
	case placeholder:
		return "is a placeholder that different applicants would share"
	case masked:
		return "is masked, and different applicants would share the visible characters"
	case notPublic:
		return "is a private or reserved address, which is the same in many networks"
	case malformed:
	}
	return "is malformed"
}

// wanted describes a valid value of each kind.
var wanted = map[string]string{
	KindPincode:            "a pincode: six digits, the first not 0",
	KindIP:                 "a public IPv4 or IPv6 address",
	KindBeneficiaryAccount: "an account number of 4 to 34 letters and digits",
	KindAgent:              "the agent's own id",
	KindDevice:             "the device's own id",
	KindMobile:             "a mobile number: ten digits, or + and the country code before them",
	KindEmail:              "an e-mail address such as name@example.in",
}

// Flawed is a member of a request whose value does not identify anything.
type Flawed struct {
	Fact      string // such as fraud.mobile
	Private   bool   // an IP address that is not public
	Malformed bool   // not a valid spelling of a value of this kind
	Wanted    string // describes a valid value
	Text      string // what is wrong, what was done, and how to fix it
}

// Unusable returns the members that were sent and that Observe leaves out.
func Unusable(facts *rule.Facts) []Flawed {
	var list []Flawed
	for _, s := range sources {
		sent := facts.Get(s.fact)
		if sent.Type() != rule.StringType {
			continue
		}
		if _, flaw := s.normal(sent.Text()); flaw != usable {
			list = append(list, Flawed{
				Fact: s.fact, Private: flaw == notPublic, Malformed: flaw == malformed, Wanted: wanted[s.kind],
				Text: flaw.text() + ": it was neither counted nor looked up on the block list; send " + wanted[s.kind] +
					", or leave it out",
			})
		}
	}
	return list
}

// ApplicantRef returns the reference of the person that a request names, or "" if it names none. It returns "" for a
// placeholder too, because all applicants with the placeholder would seem to be one person.
func ApplicantRef(facts *rule.Facts) string {
	return PersonRef(facts.Get("fraud.applicant_ref").Text())
}

// PersonRef returns a reference without spaces around it, or "" if it is a placeholder.
func PersonRef(ref string) string {
	ref = strings.TrimSpace(ref)
	if isPlaceholder(ref) {
		return ""
	}
	return ref
}

// The shortest and the longest account number (an IBAN has 34 characters).
const (
	minAccount = 4
	maxAccount = 34
)

// normalAccount removes all characters except letters and digits and converts
// letters to capitals, so that spellings with blanks, dashes or small letters are
// one account.
func normalAccount(s string) (string, flaw) {
	s = folded(s)
	normal := bare(s)
	switch {
	case strings.TrimSpace(s) == "":
		return "", blank
	case isMasked(s) || strings.Contains(normal, "XXX") && strings.Trim(normal, "X") != "":
		return "", masked
	case isPlaceholder(s) || isFiller(normal) || isFiller(canonicalAccount(normal)):
		return "", placeholder
	case len(normal) < minAccount || len(normal) > maxAccount:
		return "", malformed
	}
	return normal, usable
}

// canonicalAccount removes leading zeros, because some banks and forms add them and others drop them. It keeps the
// zeros if the number would become too short.
func canonicalAccount(normal string) string {
	if short := strings.TrimLeft(normal, "0"); len(short) >= minAccount {
		return short
	}
	return normal
}

// normalAgent keeps case and punctuation, because the lender defines the ids of
// agents.
func normalAgent(s string) (string, flaw) {
	s = strings.TrimSpace(folded(s))
	switch {
	case s == "":
		return "", blank
	case isPlaceholder(s):
		return "", placeholder
	}
	return s, usable
}

// emulatedMAC is the MAC address that Android reports to every app.
const emulatedMAC = "020000000000"

func normalDevice(s string) (string, flaw) {
	s = strings.TrimSpace(folded(s))
	switch normal := bare(s); {
	case s == "":
		return "", blank
	case isMasked(s):
		return "", masked
	case isPlaceholder(s) || isFiller(normal) || normal == emulatedMAC:
		return "", placeholder
	}
	return s, usable
}

func normalPincode(s string) (string, flaw) {
	s = strings.TrimSpace(folded(s))
	switch {
	case s == "":
		return "", blank
	case !isPincode(s):
		return "", malformed
	}
	return s, usable
}

// mobileDigits is the number of digits without the country code. maxMobile is the
// number of digits of the longest international number.
const (
	mobileDigits = 10
	maxMobile    = 15
)

// normalMobile returns the last ten digits, so that +91 98…, 098… and 98… are one
// number. The digits before them must be a country code or 0: an additional digit
// at the end would otherwise give a different number.
func normalMobile(s string) (string, flaw) {
	s = folded(s)
	first := strings.IndexFunc(s, func(r rune) bool { return '0' <= r && r <= '9' })
	switch {
	case strings.TrimSpace(s) == "":
		return "", blank
	case isMasked(s):
		return "", masked
	case first < 0 || isPlaceholder(s):
		return "", placeholder
	case strings.ContainsFunc(s[first:], unicode.IsLetter):
		return "", malformed
	}
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	local := strings.TrimLeft(digits, "0")
	international := strings.Contains(s[:first], "+") || strings.HasPrefix(digits, "00")
	switch {
	case isFiller(digits) || isFiller(local):
		return "", placeholder
	case len(digits) == mobileDigits || len(local) == mobileDigits:
	case len(local) == mobileDigits+2 && strings.HasPrefix(local, "91"):
	case international && len(local) > mobileDigits && len(local) <= maxMobile:
	default:
		return "", malformed
	}
	normal := digits[len(digits)-mobileDigits:]
	if isFiller(normal) {
		return "", placeholder
	}
	return normal, usable
}

// normalEmail extracts the address from "Name <address>", converts it to lower
// case, and removes "mailto:" and trailing punctuation.
func normalEmail(s string) (string, flaw) {
	s = strings.ToLower(strings.TrimSpace(folded(s)))
	if s == "" {
		return "", blank
	}
	if open, end := strings.IndexByte(s, '<'), strings.IndexByte(s, '>'); open >= 0 && end == len(s)-1 {
		s = s[open+1 : end]
	}
	s = strings.TrimRight(strings.TrimPrefix(strings.TrimSpace(s), "mailto:"), ".,; ")
	name, domain, _ := strings.Cut(s, "@")
	switch {
	case isMasked(s):
		return "", masked
	case isPlaceholder(s) || isEmailPlaceholder(name, domain):
		return "", placeholder
	case name == "" || strings.ContainsAny(s, "<>,;: \t\r\n") || !isDomain(domain):
		return "", malformed
	}
	return s, usable
}

// canonicalEmail maps the addresses of one mailbox to one spelling: it removes
// a tag after "+" and, for Gmail's two domains, the dots.
func canonicalEmail(normal string) string {
	at := strings.LastIndexByte(normal, '@')
	name, domain := normal[:at], normal[at+1:]
	name, _, _ = strings.Cut(name, "+")
	if isGmail(domain) {
		name, domain = strings.ReplaceAll(name, ".", ""), "gmail.com"
	}
	if name == "" {
		return normal
	}
	return name + "@" + domain
}

func isGmail(domain string) bool { return domain == "gmail.com" || domain == "googlemail.com" }

// emailPlaceholders are names that people type before the @ when they have no
// address, in addition to the general placeholders.
var emailPlaceholders = map[string]bool{
	"ABC": true, "ABCD": true, "XYZ": true, "ASDF": true, "DEMO": true, "SAMPLE": true, "FAKE": true, "TESTING": true,
	"TEST1": true, "TEST123": true, "NOEMAILID": true, "NOMAILID": true, "NOID": true, "NOTMENTIONED": true,
	"EMAIL": true,
}

// isEmailPlaceholder reports whether an address is a placeholder. Its name must
// be a placeholder. In addition, its domain must be a placeholder or belong to
// Gmail, or the name must be a general placeholder of at least four characters.
// A shorter name such as "na" can be somebody's initials, but not at Gmail,
// where names have at least six characters.
func isEmailPlaceholder(name, domain string) bool {
	const shortest = 4
	name, _, _ = strings.Cut(name, "+")
	if !isPlaceholder(name) && !emailPlaceholders[bare(name)] {
		return false
	}
	label := firstLabel(domain)
	return isPlaceholder(label) || emailPlaceholders[bare(label)] || label == "example" ||
		isGmail(domain) || isPlaceholder(name) && len(bare(name)) >= shortest
}

func firstLabel(domain string) string {
	label, _, _ := strings.Cut(domain, ".")
	return label
}

// isDomain reports whether s has at least two labels, none of them empty.
func isDomain(s string) bool {
	labels := strings.Split(s, ".")
	for _, label := range labels {
		if label == "" || strings.Contains(label, "@") {
			return false
		}
	}
	return len(labels) > 1
}

// placeholders are the words that systems and people write for a missing value,
// in capitals and without punctuation.
var placeholders = map[string]bool{
	"NA": true, "NIL": true, "NONE": true, "NULL": true, "NAN": true, "UNDEFINED": true, "UNKNOWN": true, "BLANK": true,
	"NOTAVAILABLE": true, "NOTAPPLICABLE": true, "NOTPROVIDED": true, "NOTKNOWN": true, "NOTGIVEN": true, "DUMMY": true,
	"TEST": true, "TBD": true, "NO": true, "NOEMAIL": true, "NOMAIL": true, "NOMOBILE": true, "NOACCOUNT": true,
}

// isPlaceholder reports whether a value was written instead of a missing value: a
// known word, zeros, or only punctuation.
func isPlaceholder(s string) bool {
	normal := bare(folded(s))
	return strings.Trim(normal, "0") == "" || placeholders[normal]
}

// isFiller reports whether a number without punctuation was typed only to fill a field: one character repeated at least
// four times, or one of the fillers.
func isFiller(normal string) bool {
	const fewest = 4
	if len(normal) < fewest {
		return false
	}
	return strings.Trim(normal, normal[:1]) == "" || fillers[normal]
}

// fillers are the digits from 1 to 9, with or without 0, in ascending and descending sequence.
var fillers = map[string]bool{
	"123456789": true, "1234567890": true, "0123456789": true,
	"987654321": true, "9876543210": true, "0987654321": true,
}

// isMasked reports whether characters of a value were replaced.
func isMasked(s string) bool { return strings.ContainsAny(s, "*•…") }

// bare removes all characters except letters and digits, and converts letters to
// capitals.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, s)
}

// folded converts full-width characters and the digits and spaces of every script
// to ASCII and removes invisible characters, so that values that look the same
// become equal.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		const fullWidth = '！' - '!'
		switch {
		case r < unicode.MaxASCII:
			return r
		case '！' <= r && r <= '～':
			return r - fullWidth
		case unicode.Is(unicode.Nd, r):
			return '0' + digitValue(r)
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, s)
}

// digitValue returns the value of a decimal digit of any script. The digits of
// each script are ten consecutive code points, beginning with zero.
func digitValue(r rune) rune {
	for _, in := range unicode.Nd.R16 {
		if rune(in.Lo) <= r && r <= rune(in.Hi) {
			return (r - rune(in.Lo)) % 10
		}
	}
	for _, in := range unicode.Nd.R32 {
		if rune(in.Lo) <= r && r <= rune(in.Hi) {
			return (r - rune(in.Lo)) % 10
		}
	}
	return 0
}

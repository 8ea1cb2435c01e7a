package field

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"verdict/internal/rule"
)

// Identifying returns the names of the facts that identify a person, a place or
// a device instead of describing it. They are stored only if a policy reads them.
func Identifying() iter.Seq[string] { return slices.Values(identifying) }

var identifying = []string{
	"fraud.beneficiary_account", "fraud.ip", "location.ip", "location.lat", "location.lng", "device.device_id",
	"fraud.mobile", "fraud.email",
}

// references are the lender's own ids of people. They are stored, so that a
// decision can be found again, but are masked when facts are shown.
var references = []string{"applicant.id", "fraud.applicant_ref", "fraud.agent_id"}

// hidden replaces the masked part of a value.
const hidden = "••••"

// Masked returns a fact's value for display. If the value identifies somebody,
// a text is masked except for its end, and a number becomes absent, because a
// masked number would be a text. For names outside the catalogue, which
// policies declare, the name and the format of the value determine whether it
// identifies somebody.
func Masked(name string, v rule.Value) rule.Value { return masked(v, identifies(name, v)) }

// MaskedText returns a fact's value as text for a sentence, masked by the same
// rules as Masked.
func MaskedText(name string, v rule.Value) string { return maskedText(v, identifies(name, v)) }

// MaskedByShape masks by the older rules: for names outside the catalogue, only
// the format of the value counts. Replays of stored agent runs use it.
func MaskedByShape(name string, v rule.Value) rule.Value {
	return masked(v, identifiesByShape(name, v))
}

// MaskedTextByShape returns the same text as MaskedText, but masked by the older rules of MaskedByShape.
func MaskedTextByShape(name string, v rule.Value) string {
	return maskedText(v, identifiesByShape(name, v))
}

func masked(v rule.Value, hide bool) rule.Value {
	switch {
	case !hide:
		return v
	case v.Type() == rule.StringType:
		return rule.Str(maskedText(v, hide))
	default:
		return rule.Value{}
	}
}

func maskedText(v rule.Value, hide bool) string {
	text := v.String()
	if !hide {
		return text
	}
	if v.Type() != rule.StringType {
		return hidden
	}
	const shown = 4 // enough characters to recognize the value, and never more than half of it
	from := len(text)
	for range min(shown, utf8.RuneCountInString(text)/2) {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return hidden + text[from:]
}

// identifies reports whether Masked must hide a value.
func identifies(name string, v rule.Value) bool {
	if identifiesByShape(name, v) {
		return true
	}
	if v.Type() == rule.Absent || v.Type() == rule.BoolType {
		return false
	}
	_, known := Catalogue().Lookup(name)
	return !known && nameIdentifies(name)
}

// identifiesByShape reports whether MaskedByShape must hide a value. For names
// outside the catalogue, only the format of the value counts.
func identifiesByShape(name string, v rule.Value) bool {
	if v.Type() == rule.Absent || v.Type() == rule.BoolType {
		return false
	}
	if _, known := Catalogue().Lookup(name); known {
		return slices.Contains(identifying, name) || slices.Contains(references, name)
	}
	return looksIdentifying(v.String()) // String also covers numbers, because an Aadhaar number may be sent as a number
}

// looksIdentifying reports whether a text has the format of an e-mail address,
// an account, card, Aadhaar or telephone number, or a PAN.
func looksIdentifying(text string) bool {
	const fewest = 9 // minimum number of digits of an identifier; a date has one less
	digits, letters := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits++
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			letters++
		}
	}
	pan := len(text) == 10 && letters == 6 && digits == 4 && strings.Trim(text[5:9], "0123456789") == ""
	return digits >= fewest || pan || strings.Contains(text, "@")
}

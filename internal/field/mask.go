package field

import (
	"slices"
	"strings"
	"unicode/utf8"

	"verdict/internal/rule"
)

// Identifying are the facts that identify a person, a place or a thing rather
// than describe it. They are stored only if a policy reads them.
var Identifying = []string{
	"fraud.beneficiary_account", "fraud.ip", "location.ip", "location.lat", "location.lng", "device.device_id",
	"fraud.mobile", "fraud.email",
}

// references are the lender's own ids of people. They are stored, so that a
// decision can be found again, and masked where facts are shown.
var references = []string{"applicant.id", "fraud.applicant_ref", "fraud.agent_id"}

// hidden replaces the masked part of a value.
const hidden = "••••"

// Masked returns a fact's value for display. If the value identifies somebody,
// a text is masked except for its end, and a number becomes absent, because a
// masked number would be a text. Values of unknown names, which policies
// declare, are judged by their name and their format.
func Masked(name string, v rule.Value) rule.Value { return masked(v, identifies(name, v)) }

// MaskedText returns a fact's value as text for a sentence, masked by the same
// rules as Masked.
func MaskedText(name string, v rule.Value) string { return maskedText(v, identifies(name, v)) }

// MaskedByShape masks by the older rules, which judge values of unknown names
// by their format alone. Replays of stored agent runs use it.
func MaskedByShape(name string, v rule.Value) rule.Value {
	return masked(v, identifiesByShape(name, v))
}

// MaskedTextByShape does the same as MaskedText, by the older rules.
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
	const shown = 4 // enough to recognize it, and never more than half
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

// identifiesByShape reports whether MaskedByShape must hide a value. It judges
// values of unknown names by their format alone.
func identifiesByShape(name string, v rule.Value) bool {
	if v.Type() == rule.Absent || v.Type() == rule.BoolType {
		return false
	}
	if _, known := Catalogue().Lookup(name); known {
		return slices.Contains(Identifying, name) || slices.Contains(references, name)
	}
	return looksIdentifying(v.String()) // also for numbers: an Aadhaar may be sent as one
}

// looksIdentifying reports whether a text has the format of an e-mail address,
// an account, card, Aadhaar or telephone number, or a PAN.
func looksIdentifying(text string) bool {
	const fewest = 9 // fewest digits of an identifier, one more than a date has
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

package field

import (
	"slices"
	"strings"
	"unicode/utf8"

	"verdict/internal/rule"
)

// Identifying are the facts that name a person, a place or a thing rather than
// describe it. They are stored only if a policy reads them.
var Identifying = []string{
	"fraud.beneficiary_account", "fraud.ip", "location.ip", "location.lat", "location.lng", "device.device_id",
	"fraud.mobile", "fraud.email",
}

// references are the lender's own names of people. They are stored, so that a
// decision can be found again, and masked where facts are shown.
var references = []string{"applicant.id", "fraud.applicant_ref", "fraud.agent_id"}

// hidden stands for what a mask covers.
const hidden = "••••"

// Masked is a fact's value as it is shown: of a text that identifies somebody
// only the end, and of a number nothing, because a masked number would be a
// text. Values of names that only a caller knows are judged by the name and by
// their shape.
func Masked(name string, v rule.Value) rule.Value { return masked(v, identifies(name, v)) }

// MaskedText is a fact's value in a sentence, with what Masked hides hidden.
func MaskedText(name string, v rule.Value) string { return maskedText(v, identifies(name, v)) }

// MaskedByShape is Masked as it was before names that only a caller knows were
// judged too. Stored runs of agents are repeated with it.
func MaskedByShape(name string, v rule.Value) rule.Value {
	return masked(v, identifiesByShape(name, v))
}

// MaskedTextByShape is MaskedText as it was then.
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
	const shown = 4 // enough to know it again by, and never more than half
	from := len(text)
	for range min(shown, utf8.RuneCountInString(text)/2) {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	return hidden + text[from:]
}

// identifies reports whether a value is one that Masked hides.
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

// identifiesByShape judges the values of names that only the caller knows by
// their shape alone.
func identifiesByShape(name string, v rule.Value) bool {
	if v.Type() == rule.Absent || v.Type() == rule.BoolType {
		return false
	}
	if _, known := Catalogue().Lookup(name); known {
		return slices.Contains(Identifying, name) || slices.Contains(references, name)
	}
	return looksIdentifying(v.String()) // a number too: an Aadhaar may be sent as one
}

// looksIdentifying reports whether a text of a name that only the caller knows
// is shaped like an e-mail address, an account, card, Aadhaar or telephone
// number, or a PAN.
func looksIdentifying(text string) bool {
	const fewest = 9 // digits, one more than a date has
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

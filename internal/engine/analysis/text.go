package analysis

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// excerpt returns the text of a condition, shortened if it is longer than 160
// bytes.
func excerpt(c *rule.Condition) string {
	const most = 160
	text := c.Text()
	if len(text) <= most {
		return text
	}
	cut := most
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// names returns the names of fields as a list in a sentence.
func (a *analysis) names(fields []space.Field) string {
	list := make([]string, 0, len(fields))
	for _, at := range fields {
		list = append(list, a.space.Domain(at).Ref.Name)
	}
	return enumerate(list)
}

// enumerate joins names with commas and "and". If the list is long, it names
// only the first few.
func enumerate(names []string) string {
	const most = 6
	switch n := len(names); {
	case n == 1:
		return names[0]
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), n-most)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return "nothing"
}

// possibleValues describes the possible values of a field. It returns "" if all
// values of the field's type are possible.
func possibleValues(d *space.Domain) string {
	if d.Ref.Type != rule.NumberType {
		if len(d.Vocabulary) > 0 {
			return "one of " + enumerate(d.Vocabulary)
		}
		return ""
	}
	least, most := rule.Number(d.Given[0].Lo)*d.Unit, rule.Number(d.Given[0].Hi)*d.Unit
	whole := ""
	if d.Unit == rule.One {
		whole = "a whole number "
	}
	switch below, above := least > -rule.MaxNumber, most < rule.MaxNumber; {
	case below && above:
		return fmt.Sprintf("%sfrom %s to %s", whole, least, most)
	case below:
		return fmt.Sprintf("%sfrom %s", whole, least)
	case above:
		return fmt.Sprintf("%sup to %s", whole, most)
	default:
		return strings.TrimSuffix(whole, " ")
	}
}

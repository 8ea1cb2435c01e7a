package engine

import (
	"fmt"

	"verdict/internal/rule"
)

// lookup explains a knockout that hit because of a list. It names the field and the list, but not the value, because
// the value is an entry of the list.
func (x detailer) lookup(leaf *rule.Condition, k *Knockout, out Detail, why string) Detail {
	d, as := x.decision, x.as
	out.Field = leaf.Left.Field.Name
	if k.Message == "" {
		out.Text = fmt.Sprintf("%s (%s)", d.lookupText(leaf), why)
		return out
	}
	out.Text = expand(k.Message, func(name string) string {
		switch name {
		case thresholdName:
			return "the list " + leaf.List
		case out.Field:
			return out.Field
		default:
			return as.text(name, d.named(name))
		}
	})
	return out
}

// lookupText returns a text about whether a list contains the value of a field.
func (d *Decision) lookupText(leaf *rule.Condition) string {
	is := "is not"
	if d.value(leaf.Lookup().Fact()).IsTrue() {
		is = "is"
	}
	return fmt.Sprintf("%s %s in the list %s", leaf.Left.Field.Name, is, leaf.List)
}

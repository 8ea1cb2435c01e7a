package application

import "verdict/internal/rule"

// vocabulary is the texts that one column has been seen to hold, with what they
// mean. It is bounded, and what has no room in it is worked out every time.
type vocabulary struct {
	recent [64]*meaning // by a few of a text's bytes: most columns hold few texts
	all    map[string]*meaning
}

// meaning is what a text becomes.
type meaning struct {
	text           string
	raw, canonical rule.Value
}

// maxTexts bounds what is remembered of one column.
const maxTexts = 4096

// shelf is where a text that is not empty may stand among the recent ones.
func shelf(cell []byte) int {
	return (len(cell) + 7*int(cell[0]) + 31*int(cell[len(cell)/2])) % 64
}

// find returns what a text means, nil when it is not remembered.
func (v *vocabulary) find(cell []byte) *meaning {
	at := &v.recent[shelf(cell)]
	if m := *at; m != nil && m.text == string(cell) {
		return m
	}
	m := v.all[string(cell)]
	if m != nil {
		*at = m
	}
	return m
}

// learn works out what a text means.
func (v *vocabulary) learn(text string, how conversion) *meaning {
	m := &meaning{text: text, raw: rule.Str(text), canonical: rule.Str(text)}
	if how == employment {
		name, _ := employmentType(text)
		m.canonical = rule.Str(name)
	}
	if v.all == nil {
		v.all = map[string]*meaning{}
	}
	if len(v.all) < maxTexts {
		v.all[text] = m
	}
	return m
}

package application

import "verdict/internal/rule"

// vocabulary caches the values of the texts of one column. It has a maximum size;
// a text that does not fit is converted every time.
type vocabulary struct {
	recent [64]*meaning // indexed by a hash of a few bytes; most columns hold few texts
	all    map[string]*meaning
}

// meaning holds the values that a text becomes.
type meaning struct {
	text           string
	raw, canonical rule.Value
}

// maxTexts is the maximum number of texts cached for one column.
const maxTexts = 4096

// bucket returns the hash bucket of a text in recent. The text must not be empty.
func bucket(cell []byte) int {
	return (len(cell) + 7*int(cell[0]) + 31*int(cell[len(cell)/2])) % 64
}

// find returns the cached meaning of a text, or nil if there is none.
func (v *vocabulary) find(cell []byte) *meaning {
	at := &v.recent[bucket(cell)]
	if m := *at; m != nil && m.text == string(cell) {
		return m
	}
	m := v.all[string(cell)]
	if m != nil {
		*at = m
	}
	return m
}

// learn converts a text and caches the result if there is capacity.
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

package console

import (
	"verdict/internal/wire"
)

// capLine is a limit cap in words.
type capLine struct {
	Index    int
	ID       string
	Of, When string // in words; "" if there is none or it cannot be read
	Reason   string
	Message  string // for the applicant
	Anchor   string
	Remarks  []remark
}

func capOf(i int, v wire.Value, texts map[string]string, said remarks) capLine {
	c := capLine{
		Index:   i,
		ID:      v.Get("id").Text(),
		Reason:  v.Get("reason_code").Text(),
		Message: v.Get("applicant_message").Text(),
		Anchor:  anchorOf(v.Pointer()),
		Remarks: said.claim(v.Pointer(), v.Get("id").Text()),
	}
	if of := v.Get("of"); of.Given() {
		c.Of = texts[of.Pointer()]
	}
	if when := v.Get("when"); when.Given() {
		c.When = texts[when.Pointer()]
	}
	return c
}

func capParts(caps []capLine) []part {
	var list []part
	for i := range caps {
		c := &caps[i]
		list = append(list, part{c.ID, facts("At most", c.Of, "When", c.When, "Reason", c.Reason,
			"Message for the applicant", c.Message)})
	}
	return list
}

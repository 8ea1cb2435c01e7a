package application

import (
	"bytes"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// partner says how a row shows that there is a co-applicant. A request shows it by an entry of "applicants". A row
// shows it by a cell about that person.
type partner struct {
	cells []int32      // the cells of the columns about the co-applicant
	fact  rule.FieldID // the fact that there is a co-applicant; Undeclared if no plan reads it, or a column states it
}

// findPartner sets the columns about the co-applicant.
func (b *columnBuilder) findPartner() {
	p := partner{fact: b.keptName(field.HasCoApplicant)}
	if _, stated := b.taken[field.HasCoApplicant]; stated || p.fact == rule.Undeclared {
		return
	}
	for i := range b.out.columns {
		if c := &b.out.columns[i]; strings.HasPrefix(c.field, field.CoApplicant+".") {
			p.cells = append(p.cells, c.cell)
		}
	}
	b.out.partner = p
}

// add adds the fact if a cell about the co-applicant has a value.
func (p *partner) add(cells [][]byte, facts *rule.Facts) {
	for _, at := range p.cells {
		if cell := bytes.TrimSpace(cells[at]); len(cell) > 0 && !sheet.IsMissing(cell) {
			facts.Add(p.fact, rule.Bool(true))
			return
		}
	}
}

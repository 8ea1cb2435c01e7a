package prover

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// sameTenure returns the first cell of the requested tenure that gives both offers the same tenures as the given cell
// does. A limit depends on the requested tenure only through the tenure of the offer, and most requests lead to the
// default tenure of a band. So states that differ only in such cells can be merged. sameTenure returns the given cell
// if a band is not known yet, or if something else depends on the requested tenure.
func (a *automaton) sameTenure(p *pairState, v *variable, cell int) int {
	if v.dim != dimTenure || v.caps || v.twin != nil {
		return cell
	}
	for first := range cell {
		same := true
		for i, id := range p.sides {
			if id == dead || a.model.vars[a.sides[i].dims[dimTenure]] != v {
				continue
			}
			band := int(a.states[id].band) - 1
			same = same && band >= 0 && a.tenure(i, band, v, first) == a.tenure(i, band, v, cell)
		}
		if same {
			return first
		}
	}
	return cell
}

// tenureKey identifies a band of a policy and a cell of the requested tenure.
type tenureKey struct {
	side, band, cell int
}

// tenure returns the tenure in months that a band offers for a cell of the requested tenure.
func (a *automaton) tenure(side, band int, v *variable, cell int) int {
	key := tenureKey{side, band, cell}
	months, known := a.tenures[key]
	if !known {
		var facts engine.LendingFacts
		if c := &v.cells[cell]; !c.absent {
			facts.Tenure = rule.Num(rule.Number(c.set[0].Lo) * a.space.Domain(v.field).Unit)
		}
		_, months = a.sides[side].capacity.Limit(band, &facts)
		a.tenures[key] = months
	}
	return months
}

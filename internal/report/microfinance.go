package report

import "verdict/internal/wire"

// microfinance reads the separate list of microfinance accounts of a bureau's own layout. The list is skipped if the
// report lists accounts in the common shape, which includes microfinance.
func (r *bureauReader) microfinance(v wire.Value, h *History) {
	if r.layout == nil || v.Get("accounts").Given() {
		return
	}
	var list wire.Value
	for _, path := range r.layout.microfinance {
		if list = at(v, path); list.Given() {
			break
		}
	}
	if !isList(list) || list.Len() == 0 {
		return
	}
	r.scalar.native, r.small = true, true
	defer func() { r.small = false }()
	r.elements(list, MaxAccounts, func(i int, v wire.Value) {
		r.collect(v, accountMembers)
		a := Account{At: int32(i)}
		r.account(&r.slots, &a)
		a.Microfinance = true
		r.gaps.account(&a, &r.slots, v, r)
		h.Microfinance = append(h.Microfinance, a)
	})
}

package report

import "verdict/internal/civil"

// needsMore reports whether a history needs archive version 2.
func needsMore(h *History) bool {
	if h == nil {
		return false
	}
	for i := range h.Accounts {
		if moreOf(&h.Accounts[i]) != 0 {
			return true
		}
	}
	return len(h.Microfinance) > 0
}

// Bits of the number that follows an account in version 2. They say which members
// come next. The lowest two bits hold the owner.
const (
	ownerBits        = 3
	microfinanceBit  = 1 << 2
	writtenOffBit    = 1 << 3
	settledBit       = 1 << 4
	writtenOffDayBit = 1 << 5
	settledDayBit    = 1 << 6
	convertedBit     = 1 << 7
	moreBits         = 1<<8 - 1
)

// moreOf returns the bits of an account, or 0 if version 1 can hold the account.
func moreOf(a *Account) (bits int64) {
	bits = int64(a.Owner)
	for _, b := range []struct {
		there bool
		bit   int64
	}{
		{a.Microfinance, microfinanceBit}, {a.WrittenOffPaise != NoAmount, writtenOffBit},
		{a.SettledPaise != NoAmount, settledBit}, {a.WrittenOffDay != civil.NoDay, writtenOffDayBit},
		{a.SettledDay != civil.NoDay, settledDayBit}, {a.ConvertedPaise != NoAmount, convertedBit},
	} {
		if b.there {
			bits |= b.bit
		}
	}
	return bits
}

// moreOfAccount writes the members that only version 2 has.
func (w *archiver) moreOfAccount(a *Account) {
	w.number(moreOf(a))
	for _, paise := range []int64{a.ConvertedPaise, a.WrittenOffPaise, a.SettledPaise} {
		if paise != NoAmount {
			w.number(paise)
		}
	}
	for _, d := range []civil.Day{a.WrittenOffDay, a.SettledDay} {
		if d != civil.NoDay {
			w.number(int64(d))
		}
	}
}

// moreOfAccount reads the members that only version 2 has.
func (r *unarchiver) moreOfAccount(a *Account) {
	bits := r.number()
	if bits < 0 || bits > moreBits {
		r.broken = true
		return
	}
	a.Owner, a.Microfinance = Owner(bits&ownerBits), bits&microfinanceBit != 0
	if bits&convertedBit != 0 {
		a.ConvertedPaise = r.number()
	}
	if bits&writtenOffBit != 0 {
		a.WrittenOffPaise = r.number()
	}
	if bits&settledBit != 0 {
		a.SettledPaise = r.number()
	}
	if bits&writtenOffDayBit != 0 {
		a.WrittenOffDay = within[civil.Day](r)
	}
	if bits&settledDayBit != 0 {
		a.SettledDay = within[civil.Day](r)
	}
}

package report

import (
	"cmp"
	"slices"

	"verdict/internal/civil"
)

// The maximum number of days between a row and its return.
const (
	issuedDays    = 5
	depositedDays = 10
)

// The maximum number of days by which a charge follows or precedes its bounce.
const (
	chargeAfter  = 31
	chargeBefore = 3
)

// pairing is a row that may be undone, or that may undo another.
type pairing struct {
	amountPaise int64
	day         civil.Day
	undoes      bool
	at          int32
}

// amountSet is a Bloom filter of amounts with one hash function. It excludes most rows that no other row undoes, so
// that they need not be sorted.
type amountSet [64]uint64

func (s *amountSet) place(paise int64) (word, bit uint64) {
	h := uint64(paise) * 0x9E3779B97F4A7C15 >> 52
	return h >> 6, 1 << (h & 63)
}

func (s *amountSet) add(paise int64) {
	word, bit := s.place(paise)
	s[word] |= bit
}

func (s *amountSet) mayHave(paise int64) bool {
	word, bit := s.place(paise)
	return s[word]&bit != 0
}

// pairings returns the rows that undo others and those that can be undone, sorted
// by amount and then by day. Within a day, rows that can be undone come before
// rows that undo them. It returns nil if no row undoes another, as in most
// statements.
func pairings(rows []bankRow, undoes, undone func(*bankRow) bool) []pairing {
	var amounts amountSet
	some := false
	for i := range rows {
		if undoes(&rows[i]) {
			amounts.add(rows[i].AmountPaise)
			some = true
		}
	}
	if !some {
		return nil
	}
	list := make([]pairing, 0, 64)
	for i := range rows {
		r := &rows[i]
		if !amounts.mayHave(r.AmountPaise) {
			continue
		}
		if u := undoes(r); u || undone(r) {
			list = append(list, pairing{r.AmountPaise, r.Day, u, int32(i)})
		}
	}
	slices.SortFunc(list, func(a, b pairing) int {
		return cmp.Or(
			cmp.Compare(a.amountPaise, b.amountPaise),
			cmp.Compare(a.day, b.day),
			order(a.undoes, b.undoes),
			cmp.Compare(a.at, b.at),
		)
	})
	return list
}

// order compares two booleans; false comes before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// stack is a stack of rows of one amount that no row has undone yet. The newest
// row is on top.
type stack []pairing

// take pops the newest row. ok is false if the stack is empty, or if the newest row is from before the day "since".
func (p *stack) take(since civil.Day) (at int32, ok bool) {
	if n := len(*p); n > 0 && (*p)[n-1].day >= since {
		at, *p = (*p)[n-1].at, (*p)[:n-1]
		return at, true
	}
	return 0, false
}

// settleIssued matches each return with the debit that it undoes. That debit was
// not paid, so it counts neither as an instalment nor as an honoured mandate or
// cheque. The bounce is counted once, at the row of the return.
func settleIssued(rows []bankRow) {
	list := pairings(rows,
		func(r *bankRow) bool { return r.clue.role == returnCredit || r.clue.role == reversalGiven },
		func(r *bankRow) bool {
			return !r.Credit && (r.Channel == Transfer || r.Channel == OtherChannel || r.Found&(Mandate|Cheque) != 0) &&
				r.Found&(Charge|SelfTransfer) == 0 && r.clue.role != depositReturn
		})
	var mandates, cheques, others stack
	for i, p := range list {
		if i > 0 && p.amountPaise != list[i-1].amountPaise {
			mandates, cheques, others = mandates[:0], cheques[:0], others[:0]
		}
		r := &rows[p.at]
		switch {
		case p.undoes:
			first, second := &mandates, &others
			switch {
			case r.clue.role == reversalGiven:
				second = &cheques
			case r.Found&Cheque != 0:
				first = &cheques
			}
			since := p.day - issuedDays
			at, ok := first.take(since)
			if !ok {
				at, ok = second.take(since)
			}
			if ok {
				undo(r, &rows[at])
			}
		case r.Found&Mandate != 0 || r.clue.role == bounceTrace:
			mandates = append(mandates, p)
		case r.Found&Cheque != 0:
			cheques = append(cheques, p)
		default:
			others = append(others, p)
		}
	}
	for i := range rows {
		if r := &rows[i]; r.clue.role == bounceTrace {
			r.Found = IssuedBounce | Mandate
		}
	}
}

// undo classifies a debit and the credit that returns its money.
func undo(back, debit *bankRow) {
	if back.clue.role == reversalGiven {
		instrument := debit.Found & (Mandate | Cheque)
		if instrument == 0 {
			instrument = Mandate
		}
		back.Found = IssuedBounce | instrument
	}
	switch debit.clue.role {
	case maybeEMI:
		debit.clue.role = bouncedEMI
	case bounceTrace:
		debit.clue.role = returnedTrace
	default:
		debit.clue.role = noRole
	}
	back.clue.role = noRole // so that instalmentAttempts counts the bounced instalment only once, at the debit
	debit.Found = 0
}

// settleDeposited matches each returned cheque with the credit of its deposit,
// which then does not count as income. A small debit without a matching deposit
// is the bank's charge.
func settleDeposited(rows []bankRow) {
	list := pairings(rows,
		func(r *bankRow) bool { return r.clue.role == depositReturn },
		func(r *bankRow) bool { return r.Credit && r.Found&(Cheque|Income) == Cheque|Income })
	var deposits stack
	for i, p := range list {
		if i > 0 && p.amountPaise != list[i-1].amountPaise {
			deposits = deposits[:0]
		}
		r := &rows[p.at]
		if !p.undoes {
			deposits = append(deposits, p)
			continue
		}
		at, ok := deposits.take(p.day - depositedDays)
		switch {
		case ok:
			rows[at].Found, rows[at].clue.role = 0, noRole
			r.Found = DepositedReturn
		case r.AmountPaise <= maxBareCharge:
			r.Found = Charge
		default:
			r.Found = DepositedReturn
		}
	}
}

// settleCharges matches the charges for bounced mandates with the bounces. A
// charge without a bounce counts as a bounce itself: many banks never book a
// refused mandate, so that the charge is the only row about it.
func settleCharges(rows []bankRow) {
	var bounces []civil.Day
	for i := range rows {
		if rows[i].Is(IssuedBounce | Mandate) {
			bounces = append(bounces, rows[i].Day)
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.clue.role != bounceCharge {
			continue
		}
		for len(bounces) > 0 && bounces[0] < r.Day-chargeAfter {
			bounces = bounces[1:]
		}
		if len(bounces) > 0 && bounces[0] <= r.Day+chargeBefore {
			bounces = bounces[1:]
			continue
		}
		r.Found |= IssuedBounce | Mandate
	}
}

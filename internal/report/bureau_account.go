package report

import (
	"strings"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

func (r *bureauReader) accounts(list wire.Value, h *History) {
	h.Accounts = make([]Account, 0, min(list.Len(), MaxAccounts))
	r.payments = make([]Payment, 0, usualMonths*cap(h.Accounts))
	r.elements(list, MaxAccounts, func(i int, v wire.Value) {
		if r.scalar.native {
			for _, name := range r.layout.within {
				if inner := member(v, name); inner.Kind() == wire.Object {
					v = inner
				}
			}
		}
		r.collect(v, accountMembers)
		h.Accounts = append(h.Accounts, Account{At: int32(i)})
		a := &h.Accounts[len(h.Accounts)-1]
		r.account(&r.slots, a)
		r.gaps.account(a, &r.slots, v, r)
	})
}

// usualMonths is the number of months of payment history that most bureaus store.
const usualMonths = 36

func (r *bureauReader) account(m *slotted, a *Account) {
	*a = Account{
		At:              a.At,
		Product:         r.product(m),
		Owner:           r.owner(m[slotOwner]),
		Microfinance:    isMicrofinance(m[slotType]),
		Opened:          r.scalar.pastDate(m[slotOpened]),
		Closed:          r.scalar.closed(m[slotClosed]),
		Reported:        r.scalar.pastDate(m[slotReported]),
		SanctionedPaise: r.scalar.amount(m[slotSanctioned], false),
		BalancePaise:    r.scalar.amount(m[slotBalance], true), // may be negative: a card can be overpaid
		OverduePaise:    r.scalar.amount(m[slotOverdue], false),
	}
	r.instalments(a, m)
	r.sanctioned(a, m)
	history, noted := r.history(a, m)
	a.History = history
	r.before(a.Opened, m[slotOpened])
	r.before(a.Reported, m[slotReported])
	if len(a.History) > 0 {
		r.before(a.History[0].Month.First(), historyOf(m))
	}
	r.standing(a, m, noted)
	r.newestDays(a, m)
	r.cardInstalment(a, m[slotInstalment])
	if !a.Reported.Known() {
		a.Reported = r.lastHeard(a.Closed)
	}
}

// before checks that d is not later than the date of the report, and adds a notice if it is later. One day of
// tolerance covers reports made around midnight.
func (r *bureauReader) before(d civil.Day, v wire.Value) {
	if r.reported.Known() && d.Known() && d > r.reported+1 {
		r.notes.add(laterThanReport, v)
	}
}

// historyOf returns the member that contains an account's payment history.
func historyOf(m *slotted) wire.Value {
	for _, form := range historyForms {
		if m[form.slot].Given() {
			return m[form.slot]
		}
	}
	return wire.Value{}
}

// lastHeard returns the date to use for an account without a reporting date: the date of the report, or the closing
// day if it is earlier or the report has no date.
func (r *bureauReader) lastHeard(closed civil.Day) civil.Day {
	if closed.Known() && (!r.reported.Known() || closed < r.reported) {
		return closed
	}
	return r.reported
}

func (r *bureauReader) product(m *slotted) Product {
	v := m[slotType]
	text := r.scalar.code(v)
	if text == "" {
		return OtherUnsecured
	}
	p, known := productOf(text, productsByCode)
	if !known {
		r.notes.add(unknownType, v)
	}
	security := m[slotSecurity]
	if security.Kind() == wire.String && strings.EqualFold(strings.TrimSpace(security.Text()), "secured") {
		switch p {
		case OtherUnsecured:
			return OtherSecured
		case BusinessLoan:
			return BusinessLoanSecured
		default:
		}
	}
	return p
}

// sanctioned sets the sanctioned amount. A card with a limit gets the limit, because its highest credit is only the
// most that was ever drawn. An account that still has no sanctioned amount gets the highest credit or, if there is
// none, the limit.
func (r *bureauReader) sanctioned(a *Account, m *slotted) {
	limit := r.scalar.amount(m[slotLimit], false)
	drawn := r.scalar.amount(m[slotHighCredit], false)
	if a.Product == CreditCard && limit > 0 {
		a.SanctionedPaise = limit
	}
	for _, other := range []int64{drawn, limit} {
		if a.SanctionedPaise == NoAmount {
			a.SanctionedPaise = other
		}
	}
}

// standing sets the adverse notes and amounts of the account, and whether it is live, that is, still an obligation.
func (r *bureauReader) standing(a *Account, m *slotted, noted standing) {
	s := r.scalar.status(m[slotStatus], accountStatuses)
	claimed := s.running
	s = s.and(noted).and(r.scalar.suit(m[slotSuit], SuitFiled)).and(r.scalar.suit(m[slotSuit2], SuitFiled))
	s = s.and(r.scalar.suit(m[slotWilful], Wilful)).and(r.scalar.facility(m[slotFacility]))

	total, settlement := r.scalar.amount(m[slotWrittenOff], false), r.scalar.amount(m[slotSettlement], false)
	if principal := r.scalar.amount(m[slotPrincipal], false); total <= 0 && principal != NoAmount {
		total = principal
	}
	if s.adverse&(WrittenOff|Settled) == 0 && r.scalar.saysNothing(m[slotFacility]) {
		// If neither the status nor the facility says so, a positive amount shows that the account was written off or
		// settled.
		if total > 0 {
			s.adverse |= WrittenOff
		}
		if settlement > 0 {
			s.adverse |= Settled
		}
	}
	r.adverse(a, m, s.adverse, total, settlement)
	a.AdversePaise = NoAmount
	if s.adverse&(WrittenOff|Settled) != 0 {
		s.over = true
		a.AdversePaise = total
		if total <= 0 && settlement != NoAmount {
			a.AdversePaise = settlement
		}
	}
	a.Adverse = s.adverse
	a.Live = !s.over && !a.Closed.Known() && !isNo(m[slotOpen])
	if claimed && a.Closed.Known() && !s.over {
		r.notes.add(contradiction, m[slotStatus])
	}
}

// adverse sets the amount and the day of a write-off and of a settlement. If a
// settlement has no amount and the account was not written off, the written-off
// amount counts as the amount of the settlement.
func (r *bureauReader) adverse(a *Account, m *slotted, noted Adverse, writtenOff, settled int64) {
	a.WrittenOffPaise, a.SettledPaise, a.WrittenOffDay, a.SettledDay = NoAmount, NoAmount, civil.NoDay, civil.NoDay
	if noted&WrittenOff != 0 {
		a.WrittenOffPaise, a.WrittenOffDay = writtenOff, r.scalar.noteDate(m[slotWriteOffDay])
	}
	if noted&Settled != 0 {
		if settled == NoAmount && noted&WrittenOff == 0 {
			settled = writtenOff
		}
		a.SettledPaise, a.SettledDay = settled, r.scalar.noteDate(m[slotSettledDay])
	}
}

func isNo(v wire.Value) bool {
	return v.Kind() == wire.String && strings.EqualFold(strings.TrimSpace(v.Text()), "no") ||
		v.Kind() == wire.Bool && !v.IsTrue()
}

// status reads a code or phrase for the state of an account.
func (r *scalarReader) status(v wire.Value, codes map[int]standing) standing {
	if v.Kind() == wire.String {
		switch strings.ToUpper(strings.TrimSpace(v.Text())) {
		case "NO", "N", "*", "FALSE":
			return standing{}
		}
	}
	text := r.code(v)
	if text == "" {
		return standing{}
	}
	s, known := readStanding(text, codes)
	if !known {
		if _, late := statusDays(text); late {
			return standing{running: true}
		}
		r.notes.add(unknownStatus, v)
	}
	return s
}

func (r *bureauReader) enquiries(list wire.Value, h *History) {
	h.Enquiries = make([]Enquiry, 0, min(list.Len(), MaxEnquiries))
	seen := make(map[pull]bool, cap(h.Enquiries))
	r.elements(list, MaxEnquiries, func(i int, v wire.Value) {
		r.collect(v, enquiryMembers)
		if e, ok := r.enquiry(v, &r.slots, seen); ok {
			e.At = int32(i)
			h.Enquiries = append(h.Enquiries, e)
		}
	})
}

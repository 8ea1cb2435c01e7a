package report

// role is the part that a row may yet play once the others are known.
type role uint8

const (
	noRole        role = iota
	returnCredit       // gives back what a bounced debit took
	reversalGiven      // may do the same
	depositReturn      // takes back a deposited cheque
	bounceCharge       // the price of a bounce, which may be its only trace
	bounceTrace        // a debit that says it was returned
	maybeSalary        // salary, if it comes every month
	maybeEMI           // an instalment, if it goes every month
	bouncedEMI         // an instalment that was not paid: it shows the rhythm
	returnedTrace      // a debit that says it was returned, and was given back
)

// maxBareCharge is the most that a returned instrument costs at any bank, tax
// included. A returned row up to it that no other row explains is the charge.
const maxBareCharge = 1_000_00

// detect finds out what each row is. The rows are in their order. docs/BANK.md
// says every rule in words.
func detect(rows []bankRow) {
	for i := range rows {
		if rows[i].Credit {
			classifyCredit(&rows[i])
		} else {
			classifyDebit(&rows[i])
		}
	}
	settleIssued(rows)
	settleDeposited(rows)
	settleCharges(rows)
	findRepeats(rows)
}

func classifyDebit(r *bankRow) {
	c := &r.clue
	if r.charged() {
		r.Found = Charge
		if c.returned() && c.has(wordMandate|wordEMI) && (!c.has(wordGST) || c.has(wordIncluding)) {
			c.role = bounceCharge
		}
		return
	}
	if c.returned() && c.has(wordCheque) {
		c.role = depositReturn
		return
	}
	if c.returned() && c.has(wordMandate|wordEMI) {
		c.role = bounceTrace
		if r.AmountPaise <= maxBareCharge {
			r.Found, c.role = Charge, bounceCharge
		}
		return
	}
	if r.Channel == Cash {
		return
	}
	r.Found, c.role = c.spending(r.Channel)
	if c.has(wordMandate | wordCheque) {
		r.Found |= c.instrument()
	}
}

// spending is what a debit went for, the first that applies.
func (c *clue) spending(way Channel) (Found, role) {
	switch {
	case c.self(way):
		return SelfTransfer, noRole
	case c.cardBill():
		return CardBill, noRole
	case c.has(wordClosure) && c.has(wordLoan|wordEMI|wordAnyLender):
		return 0, noRole
	case c.has(wordEMI | wordLoan):
		return LoanInstalment, maybeEMI
	case c.has(wordInvest | wordDeposit), c.all(wordRecurring | wordInstalment), c.all(wordRecurring | wordCashVerb):
		return Investment, noRole
	case c.has(wordInstalment) && !c.has(wordBill):
		return LoanInstalment, maybeEMI
	case c.has(wordBill):
		return BillPayment, noRole
	case c.has(wordMandate | wordAnyLender):
		return 0, maybeEMI
	default:
		return 0, noRole
	}
}

func classifyCredit(r *bankRow) {
	c := &r.clue
	switch {
	case c.returned() && c.has(wordMandate|wordCheque|wordEMI):
		c.role = returnCredit
		r.Found = IssuedBounce | c.instrument()
	case c.has(wordReversal) && r.Channel != UPI && !c.has(wordCharge|wordFee):
		c.role = reversalGiven
		r.Found = Refund
	case c.has(wordReversal | wordRefund | wordRedeem | wordReturn), c.redeemed():
		r.Found = Refund
	case c.self(r.Channel):
		r.Found = SelfTransfer
	case c.loan() && r.Channel != Cash:
		r.Found = LoanCredit
	default:
		r.Found = Income
		if c.has(wordCheque) {
			r.Found |= Cheque
		}
		r.salary()
	}
}

// salary looks for the words; without them, the rhythm may still tell. Cash
// is never a salary: anybody can pay it in and call it one.
func (r *bankRow) salary() {
	c := &r.clue
	switch {
	case r.Channel == Cash:
	case c.has(wordSalary):
		r.Found |= Salary
	case r.Channel != UPI && c.party != 0 && !r.interest && !c.has(wordInterest):
		c.role = maybeSalary
	}
}

// returned reports whether an instrument came back unpaid, if there is one.
func (c *clue) returned() bool {
	return c.has(wordReturn) || c.has(wordReturnWeak) && c.has(wordMandate|wordCheque)
}

// instrument is the one that the words name. An EMI goes by mandate, and so
// does what a clearing corporation collects by NACH.
func (c *clue) instrument() Found {
	if c.has(wordCheque) && !c.has(wordMandate) {
		return Cheque
	}
	return Mandate
}

// charged reports whether the bank took a charge. Banks charge by no UPI, so a
// charge there is a shop's word.
func (r *bankRow) charged() bool {
	c := &r.clue
	return r.Channel != UPI && (c.has(wordCharge) ||
		c.has(wordFee) && c.has(wordFeeOf|wordCard|wordATM|wordLoan) ||
		c.all(wordCheque|wordBook))
}

// self reports a transfer between the holder's own accounts. Drawing cash with
// a cheque to oneself is none.
func (c *clue) self(way Channel) bool {
	if way == Cash || c.has(wordCheque) {
		return false
	}
	return c.has(wordSelf) || c.has(wordOwn) && (way == Transfer || c.has(wordTransfer))
}

func (c *clue) cardBill() bool {
	return c.has(wordCardBill) || c.all(wordCredit|wordCard) || c.all(wordCC|wordPay) || c.all(wordCred|wordClub)
}

// redeemed reports money that comes back from where it was put. What it earned
// there is income.
func (c *clue) redeemed() bool {
	return c.has(wordInvest|wordDeposit) && !c.has(wordInterest|wordSalary)
}

// loan reports a disbursal. Wages, pensions and the like are disbursed too,
// and a lender's own staff is paid by the lender.
func (c *clue) loan() bool {
	switch {
	case c.all(wordEarly | wordSalary):
		return true
	case c.has(wordLoan):
		return true
	case c.has(wordSalary | wordBenefit | wordInterest):
		return false
	default:
		return c.has(wordDisbursal | wordDigitalLender)
	}
}

package report

// role is the preliminary classification of a row. The final classification also
// depends on other rows.
type role uint8

const (
	noRole        role = iota
	returnCredit       // returns the money of a bounced debit
	reversalGiven      // may return the money of a bounced debit
	depositReturn      // takes back the money of a deposited cheque
	bounceCharge       // charge for a bounce; may be the only row that shows the bounce
	bounceTrace        // a debit marked as returned
	maybeSalary        // salary, if it recurs monthly
	maybeEMI           // an instalment, if it recurs monthly
	bouncedEMI         // an unpaid instalment; it still counts for the monthly rhythm
	returnedTrace      // a debit marked as returned, whose money was returned
)

// maxBareCharge is the most that any bank charges for a returned instrument, in
// paise, tax included. If no other row explains a returned row of at most this
// amount, the row is the charge.
const maxBareCharge = 1_000_00

// detect classifies the rows, which must be in chronological order.
// docs/BANK.md describes every rule.
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

// spending returns the purpose of a debit; the first matching rule counts.
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

// salary marks a credit as salary by its words, or as a candidate that is salary
// if it recurs monthly. Cash is never a salary, because anybody can deposit cash
// and call it a salary.
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

// returned reports whether the words say that an instrument was returned
// unpaid.
func (c *clue) returned() bool {
	return c.has(wordReturn) || c.has(wordReturnWeak) && c.has(wordMandate|wordCheque)
}

// instrument returns Cheque if the words name a cheque and no mandate. Otherwise it returns Mandate.
func (c *clue) instrument() Found {
	if c.has(wordCheque) && !c.has(wordMandate) {
		return Cheque
	}
	return Mandate
}

// charged reports whether the row is a charge of the bank. Banks do not collect
// charges by UPI, so a word for charges in a UPI row comes from a merchant.
func (r *bankRow) charged() bool {
	c := &r.clue
	return r.Channel != UPI && (c.has(wordCharge) ||
		c.has(wordFee) && c.has(wordFeeOf|wordCard|wordATM|wordLoan) ||
		c.all(wordCheque|wordBook))
}

// self reports whether the row is a transfer between the holder's own accounts.
// Cash that the holder withdraws by cheque is not such a transfer.
func (c *clue) self(way Channel) bool {
	if way == Cash || c.has(wordCheque) {
		return false
	}
	return c.has(wordSelf) || c.has(wordOwn) && (way == Transfer || c.has(wordTransfer))
}

func (c *clue) cardBill() bool {
	return c.has(wordCardBill) || c.all(wordCredit|wordCard) || c.all(wordCC|wordPay) || c.all(wordCred|wordClub)
}

// redeemed reports whether a credit is the return of an investment or deposit. Interest on an investment or deposit
// is income.
func (c *clue) redeemed() bool {
	return c.has(wordInvest|wordDeposit) && !c.has(wordInterest|wordSalary)
}

// loan reports whether a credit is a loan disbursal. Wages, pensions and the like are also disbursed, and lenders pay
// their own staff. So words for such payments exclude a loan, unless the narration also says loan.
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

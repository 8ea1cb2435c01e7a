package recovery

// comply sets whether contact is allowed now, and adds notes for the person who
// makes the contact.
func (a *advisor) comply() {
	c := &a.Compliance
	// Round up to a whole second, as the plan does.
	now := wholeSecond(a.now)
	minute := now.Hour()*60 + now.Minute()
	c.Allowed = a.Held.Reason == "" && c.Window.From <= minute && minute < c.Window.To && a.s.open(a.today) &&
		c.AttemptsToday < c.MaxPerDay && c.AttemptsWeek < c.MaxPerWeek
	note := func(when bool, text string) {
		if when {
			c.Notes = append(c.Notes, text)
		}
	}
	own := a.s.Window
	if a.c.Loan.Microfinance {
		own = a.s.MicrofinanceWindow
	}
	note(true, "Borrower or guarantor only")
	note(true, "The hours bind calls, visits, SMS and WhatsApp alike")
	note(a.c.Borrower.HasHours && !c.Window.empty(), "Hours that the borrower prefers are kept")
	note(c.Window.empty(),
		"Preferred hours lie outside the permitted ones: no contact before a person has agreed on others")
	note(own.intersect(c.Legal) != own, "The strategy's hours are wider than the legal ones, which were applied")
	note(!a.s.open(a.today), "The strategy allows no contact today")
	note(c.AttemptsToday >= c.MaxPerDay, "No more attempts today: the cap of the day is reached")
	note(c.AttemptsWeek >= c.MaxPerWeek, "No more attempts today: the cap of the week is reached")
	note(a.plans(FieldVisit),
		"A visit needs a supervisor's consent, a trained agent, and word to the borrower beforehand")
	note(a.plans(FieldVisit) && a.c.Loan.Microfinance,
		"Microfinance: meet at the agreed place; at home only after the borrower missed two meetings there")
	note(a.plans(RepresentNACH), "Tell the borrower before the mandate is presented again")
	note(a.plans(OfferRestructure), "A new schedule makes the loan an NPA and needs approval")
	note(a.plans(OfferSettlement), "A settlement is paid within three months, or it is a restructuring")
	note(a.phoneLost, "The number is not the borrower's: do not use it")
}

// plans reports whether the plan contains the action.
func (a *advisor) plans(action Action) bool {
	for i := range a.Plan {
		if a.Plan[i].Action == action {
			return true
		}
	}
	return false
}

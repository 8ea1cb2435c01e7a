package recovery

import (
	"cmp"
	"slices"
	"time"

	"verdict/internal/civil"
)

// planAheadDays is the number of days within which a temporary hold must end. If the hold lasts longer, no plan is
// made, because the loan may then be at another stage.
const planAheadDays = 7

// plan schedules the steps of the stage, each in a permitted window and within
// the caps. If a temporary hold ends soon, the plan begins after the hold. If the
// hold is longer, or a person must end it, there is no plan.
func (a *advisor) plan() {
	if a.Held.Person {
		a.Next = Entry{Action: Hold}
		return
	}
	from := a.now
	if a.resume.After(from) {
		from = a.resume.In(a.now.Location())
	}
	switch {
	case civil.LocalDay(from) > a.today+planAheadDays:
	case a.Arrears.DPD == 0:
		a.remind(from)
	default:
		a.schedule(a.steps(), from)
	}
	a.choose()
}

// choose sets the next action: Hold if there is a hold, None if nothing is planned,
// otherwise the most serious action of the first planned day.
func (a *advisor) choose() {
	a.NeedsHuman = a.NeedsHuman || a.dropped
	switch {
	case a.Held.Reason != "":
		a.Next = Entry{Action: Hold}
	case a.dropped && len(a.Plan) == 0:
		a.person(holdWrongNumber, "The number is not the borrower's; a person finds another way")
		a.Next = Entry{Action: Hold}
	case a.noDay && len(a.Plan) == 0:
		a.person(holdNoPermittedDay,
			"The strategy leaves no day on which contact is allowed; a person decides what happens")
		a.Next = Entry{Action: Hold}
	case len(a.Plan) == 0:
		a.Next = Entry{Action: None}
	default:
		for _, e := range a.Plan {
			if e.Day == a.Plan[0].Day && e.Action >= a.Next.Action {
				a.Next = e
			}
		}
		a.NeedsHuman = a.NeedsHuman || a.Next.Requires != ""
	}
}

// steps returns the steps of the stage that are allowed for this loan. An offer
// that cannot be made is replaced by a call. After a broken promise, a call is
// added to the first day, unless that day has a call or a more serious action.
func (a *advisor) steps() []Step {
	stage := a.s.stage(a.Arrears.DPD)
	if stage == nil {
		return nil
	}
	var steps []Step
	add := func(day int, action Action) {
		step := Step{day, a.preferred(action)}
		switch {
		case slices.Contains(steps, step):
		case a.phoneLost && a.channel(step.Action).phone():
			a.dropped = true
		default:
			steps = append(steps, step)
		}
	}
	for _, step := range stage.Steps {
		if action, ok := a.permitted(step.Action); ok {
			add(step.Day, action)
		}
	}
	if a.Promise.LastBroken && len(steps) > 0 {
		first := steps[0].Day
		if !slices.ContainsFunc(steps, func(s Step) bool { return s.Day == first && s.Action >= Call }) {
			add(first, Call)
		}
	}
	// Put the more serious action first, so that it is taken if the caps allow only
	// one action.
	slices.SortStableFunc(steps, func(x, y Step) int {
		return cmp.Or(cmp.Compare(x.Day, y.Day), cmp.Compare(y.Action, x.Action))
	})
	return steps
}

// permitted returns the action or its replacement. ok is false if neither is
// allowed.
func (a *advisor) permitted(action Action) (instead Action, ok bool) {
	dpd := a.Arrears.DPD
	switch {
	case action == RepresentNACH && a.c.Loan.Mandate != mandateActive:
		return None, false
	case action == OfferRestructure && (!a.Restructure.Eligible || dpd < a.s.Restructure.OfferFromDPD),
		action == OfferSettlement && !a.Settlement.Eligible:
		return Call, true
	default:
		return action, dpd >= action.minDPD()
	}
}

// preferred returns a reminder through the borrower's preferred channel in place
// of another reminder. It returns every other action unchanged.
func (a *advisor) preferred(action Action) Action {
	switch by := a.c.Borrower.Preferred; {
	case action == RemindSMS && by == ByWhatsApp:
		return RemindWhatsApp
	case action == RemindWhatsApp && by == BySMS:
		return RemindSMS
	default:
		return action
	}
}

func (a *advisor) channel(action Action) Channel {
	switch action {
	case RemindSMS:
		return BySMS
	case RemindWhatsApp:
		return ByWhatsApp
	case SendPaymentLink:
		if by := a.c.Borrower.Preferred; by == ByWhatsApp || by == ByEmail {
			return by
		}
		return BySMS
	case RepresentNACH:
		return ByNACH
	case Call, OfferRestructure, OfferSettlement:
		return ByCall
	case FieldVisit:
		return ByVisit
	case LegalNotice:
		return ByLetter
	default:
		return NoChannel
	}
}

// schedule plans the steps. The days of steps are counted from the first
// permitted day. If a step would move to a day that already has the same action,
// the step is left out.
func (a *advisor) schedule(steps []Step, from time.Time) {
	if len(steps) == 0 {
		return
	}
	base, _, _, ok := a.slot(civil.LocalDay(from), from, steps[0].Action.reaches())
	a.noDay = !ok
	last := base
	for _, step := range steps {
		d, _, _, ok := a.slot(max(last, base+civil.Day(step.Day)), from, step.Action.reaches())
		if !ok {
			break
		}
		last = d
		if !a.planned(step.Action, d) {
			a.enter(step.Action, d, from)
		}
	}
	slices.SortStableFunc(a.Plan, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Day, y.Day), cmp.Compare(x.Action, y.Action))
	})
}

func (a *advisor) planned(action Action, d civil.Day) bool {
	return slices.ContainsFunc(a.Plan, func(e Entry) bool { return e.Action == action && e.Day == int(d-a.today) })
}

// remind plans the reminders before the due date.
func (a *advisor) remind(from time.Time) {
	l := &a.c.Loan
	if !l.HasDue || l.Due <= a.today {
		return
	}
	for _, before := range a.s.PreDueDays {
		earliest, action := l.Due-civil.Day(before), a.preferred(RemindSMS)
		if earliest < civil.LocalDay(from) || a.phoneLost {
			continue
		}
		if d, _, _, ok := a.slot(earliest, from, true); ok && d < l.Due && !a.planned(action, d) {
			a.enter(action, d, from)
		}
	}
}

// enter plans an action on the first permitted day that is not before the parameter "earliest". The caller has
// checked that there is such a day.
func (a *advisor) enter(action Action, earliest civil.Day, from time.Time) {
	d, start, end, _ := a.slot(earliest, from, action.reaches())
	if action.reaches() {
		a.spent = append(a.spent, d)
	}
	a.Plan = append(a.Plan, Entry{
		Day:       int(d - a.today),
		Action:    action,
		Channel:   a.channel(action),
		NotBefore: start,
		NotAfter:  end,
		Template:  a.template(action),
		Requires:  action.requires(a.s),
		Place:     a.place(action),
	})
}

// place returns the place to visit a borrower with a microfinance loan: the
// agreed central place, or the borrower's home if the last two visits in a row
// were missed. It returns "" for all other actions and loans.
func (a *advisor) place(action Action) string {
	if action != FieldVisit || !a.c.Loan.Microfinance {
		return ""
	}
	missed := 0
	for _, c := range a.past {
		switch {
		case c.Channel != ByVisit:
		case c.End == NoResponse:
			missed++
		default:
			missed = 0
		}
	}
	if missed >= 2 {
		return "home"
	}
	return "designated_place"
}

package recovery

import (
	"fmt"
	"os"
	"testing"
	"time"

	"verdict/internal/civil"
)

// circumstance is a property of a case other than its days, hour, product and
// channel.
type circumstance struct {
	name string
	set  func(c *Case)
	// hold is the reason of the required hold, or "" for no hold.
	hold string
}

// monday is the start of the tested week.
var monday = civil.Day(20_773).At(0, civil.India)

func promised(c *Case, daysAhead civil.Day, kept, told bool) {
	c.History = append(c.History, Contact{
		At: c.AsOf.Add(-9 * 24 * time.Hour), Channel: ByCall, End: PromiseToPay,
		Promise: Promise{
			AmountPaise: 5_000_00,
			Date:        civil.LocalDay(c.AsOf.In(c.Borrower.Zone)) + daysAhead,
			Kept:        kept,
			Told:        told,
		},
	})
}

var circumstances = []circumstance{
	{"nothing", func(*Case) {}, ""},
	{"active mandate", func(c *Case) { c.Loan.Mandate = mandateActive }, ""},
	{"kept promise", func(c *Case) { promised(c, -2, true, true) }, ""},
	{"broken promise", func(c *Case) { promised(c, -1, false, true) }, ""},
	{"open promise", func(c *Case) { promised(c, 0, false, false) }, "open_promise"},
	{"open promise marked as not kept", func(c *Case) { promised(c, 5, false, true) }, "open_promise"},
	{"paid yesterday", func(c *Case) { c.Loan.Payment = Payment{At: c.AsOf.Add(-24 * time.Hour), AmountPaise: 1_00} },
		"recent_payment"},
	{"silence", func(c *Case) { c.Borrower.SilentUntil = c.AsOf.Add(30 * time.Hour) }, "do_not_contact"},
	{"dispute", func(c *Case) { c.Borrower.Flags = []Flag{Dispute} }, "flag_dispute"},
	{"own hours", func(c *Case) { c.Borrower.Hours, c.Borrower.HasHours = Window{6 * 60, 10*60 + 30}, true }, ""},
	{"hours at night", func(c *Case) {
		c.Borrower.Hours, c.Borrower.HasHours = Window{19 * 60, 23 * 60},
			true
	}, "no_permitted_hours"},
	{"called three times", func(c *Case) {
		for i := range 3 {
			c.History = append(c.History,
				Contact{At: c.AsOf.Add(-time.Duration(i) * time.Minute), Channel: ByCall, End: NoResponse})
		}
	}, ""},
}

// TestEveryHourOfAWeekAndEveryDayPastDue checks the advice for every hour of a
// week and every day from 0 to 200 past due. It covers both kinds of product, the
// channels that a borrower can prefer and every circumstance, and compares each
// advice with a second implementation of the rules of conduct. Channels and
// circumstances alternate, so that each still occurs with every hour and every
// day. With VERDICT_LONG=1 every combination is tested.
func TestEveryHourOfAWeekAndEveryDayPastDue(t *testing.T) {
	t.Parallel()
	s := DefaultStrategy()
	long := os.Getenv("VERDICT_LONG") != ""
	const turns = 3
	for _, microfinance := range []bool{false, true} {
		for number, circumstance := range circumstances {
			t.Run(fmt.Sprintf("%s/microfinance=%t", circumstance.name, microfinance), func(t *testing.T) {
				t.Parallel()
				for hour := range 7 * 24 {
					// The minutes vary, so that the ends of windows are tested
					// too.
					asOf := monday.Add(time.Duration(hour)*time.Hour + time.Duration(hour%3)*29*time.Minute)
					for dpd := range 201 {
						if !long && number > 0 && (hour+dpd+number)%turns != 0 {
							continue
						}
						for channel := NoChannel; channel < ByNACH; channel++ {
							if !long && int(channel) != (hour+dpd)%int(ByNACH) {
								continue
							}
							c := ordinary(asOf, dpd, microfinance, channel)
							circumstance.set(c)
							a := Advise(c, &s, asOf)
							if broken := conduct(c, &a, circumstance.hold); broken != "" {
								t.Fatalf("at %s, DPD %d, channel %s: %s\n%+v", asOf, dpd, channel, broken, a)
							}
						}
					}
				}
			})
		}
	}
}

// TestNoStrategyLoosensTheRules checks that the advice follows the rules even
// under a strategy that ReadStrategy would reject, with every action at every
// hour from the first day on.
func TestNoStrategyLoosensTheRules(t *testing.T) {
	t.Parallel()
	s := DefaultStrategy()
	s.Window, s.MicrofinanceWindow = Window{0, minutesPerDay}, Window{0, minutesPerDay}
	s.Restructure.FromDPD, s.Restructure.OfferFromDPD = 0, 0
	s.Stages = []Stage{{FromDPD: 1, Tone: Firm}}
	for action := RemindSMS; action < Hold; action++ {
		s.Stages[0].Steps = append(s.Stages[0].Steps, Step{0, action})
	}
	for hour := range 7 * 24 {
		asOf := monday.Add(time.Duration(hour) * time.Hour)
		for dpd := range 201 {
			c := ordinary(asOf, dpd, (hour+dpd)%2 == 0, NoChannel)
			a := Advise(c, &s, asOf)
			for i := range a.Plan {
				e := &a.Plan[i]
				earliest := map[Action]int{
					FieldVisit:      31,
					OfferSettlement: 90,
					LegalNotice:     91,
					RepresentNACH:   1000,
				}[e.Action]
				if rule := permittedTime(c, e); rule != "" || dpd < earliest {
					t.Fatalf("%s at %s, DPD %d: %s", e.Action, e.NotBefore, dpd, rule)
				}
			}
			if rule := offered(&a, dpd); rule != "" {
				t.Fatalf("at DPD %d: %s", dpd, rule)
			}
		}
	}
}

func ordinary(asOf time.Time, dpd int, microfinance bool, channel Channel) *Case {
	due := civil.DayAt(asOf) - civil.Day(dpd)
	if dpd == 0 {
		due += 2
	}
	return &Case{
		AsOf: asOf,
		Loan: Loan{
			ID: "L-1", Microfinance: microfinance, PrincipalPaise: 1_82_000_00, OverduePaise: 17_930_00,
			EMIPaise: 8_965_00, RateBP: 1600, HasRate: true, DPD: dpd, HasDPD: true, Due: due, HasDue: true,
		},
		Borrower: Borrower{Zone: civil.India, Preferred: channel},
	}
}

// conduct checks the rules as the regulation states them, independently of the
// implementation. It returns the first violated rule, or "".
func conduct(c *Case, a *Advice, hold string) string {
	dpd := c.Loan.DPD
	if rule := held(c, a, hold); rule != "" {
		return rule
	}
	perDay := map[int]int{0: a.Compliance.AttemptsToday}
	for i, e := range append([]Entry{a.Next}, a.Plan...) {
		if e.Action == Hold || e.Action == None {
			continue
		}
		if rule := permittedTime(c, &e); rule != "" {
			return rule
		}
		switch {
		case e.NotBefore.Before(c.AsOf):
			return "an action lies in the past"
		case e.Action == FieldVisit && dpd < 31:
			return "nobody is visited below 31 days"
		case e.Action == FieldVisit && e.Requires != "supervisor":
			return "a visit needs a supervisor"
		case e.Action == FieldVisit && c.Loan.Microfinance && e.Place != "designated_place":
			return "a microfinance borrower is met at the agreed place"
		case e.Action == OfferSettlement && (dpd < 90 || e.Requires == ""):
			return "no settlement below 90 days, and none without approval"
		case e.Action == OfferRestructure && (dpd < 60 || e.Requires == ""):
			return "no new schedule below 60 days, and none without approval"
		case e.Action == LegalNotice && dpd < 91:
			return "no notice below 91 days"
		case e.Action == RepresentNACH && c.Loan.Mandate != "active":
			return "only an active mandate is presented"
		case dpd == 0 && e.Action != RemindSMS && e.Action != RemindWhatsApp:
			return "before the due date there are reminders only"
		case (e.Action == RemindSMS && c.Borrower.Preferred == ByWhatsApp):
			return "the borrower prefers WhatsApp"
		}
		if i > 0 && e.Action != RepresentNACH {
			perDay[e.Day]++
		}
		if perDay[e.Day] > 3 && i > 0 {
			return "more than three attempts in a day"
		}
	}
	return offered(a, dpd)
}

// held checks that the advice has the required hold and no other, and that the
// plan respects the hold. It returns the first violated rule, or "".
func held(c *Case, a *Advice, hold string) string {
	switch {
	case a.Held.Reason != hold:
		return fmt.Sprintf("held for %q and not for %q", a.Held.Reason, hold)
	case (a.Next.Action == Hold) != (hold != ""):
		return "a hold is the next best action, and only then"
	case a.Held.Person != (hold == "flag_dispute" || hold == "no_permitted_hours"):
		return "a flag calls a person"
	case a.Held.Person && (len(a.Plan) > 0 || !a.NeedsHuman):
		return "nothing is planned while a person is called"
	case hold != "" && a.Compliance.Allowed:
		return "contact is allowed during a hold"
	case hold != "" && a.Message.Text != "":
		return "something is said during a hold"
	}
	for _, e := range a.Plan {
		if !a.Held.Until.IsZero() && e.NotBefore.Before(a.Held.Until) {
			return "an action lies within a hold"
		}
		if hold == "open_promise" && civil.LocalDay(e.NotBefore) <= c.History[0].Promise.Date {
			return "an action lies before the day after the promise"
		}
		if hold == "recent_payment" && e.NotBefore.Sub(c.Loan.Payment.At) < 3*24*time.Hour {
			return "an action lies within three days of a payment"
		}
	}
	return ""
}

// permittedTime checks the hours of one action in the borrower's time zone. It
// returns the first violated rule, or "".
func permittedTime(c *Case, e *Entry) string {
	from, to := "08:00", "19:00"
	if c.Loan.Microfinance {
		from, to = "09:00", "18:00"
	}
	start, end := e.NotBefore.In(c.Borrower.Zone), e.NotAfter.In(c.Borrower.Zone)
	switch {
	case start.Format("15:04") < from || end.Format("15:04") > to || !start.Before(end) ||
		civil.LocalDay(start) != civil.LocalDay(end):
		return "an action lies outside the legal hours"
	case c.Borrower.HasHours && (start.Format("15:04") < clockText(c.Borrower.Hours.From) ||
		end.Format("15:04") > clockText(c.Borrower.Hours.To)):
		return "an action lies outside the borrower's hours"
	case e.Day != int(civil.LocalDay(start)-civil.LocalDay(c.AsOf.In(c.Borrower.Zone))):
		return "an action has the wrong day"
	}
	return ""
}

// offered checks the figures of the offers. It returns the first violated rule,
// or "".
func offered(a *Advice, dpd int) string {
	s := &a.Settlement
	var sum int64
	for _, part := range s.Instalment {
		sum += part
	}
	switch {
	case s.Eligible && dpd < 90 || !s.Eligible && dpd >= 90 && a.Held.Reason != "flag_dispute":
		return "a settlement from 90 days on"
	case s.Eligible &&
		(len(s.Instalment) > 3 || s.Cooling < 12 || sum != s.Paise || s.Paise*10_000 < s.BasePaise*s.Part):
		return "a settlement's figures"
	case a.RollRisk < 0 || a.RollRisk > 10_000 || a.Priority.Score < 0 || a.Priority.Score > 100:
		return "a figure out of its range"
	}
	return ""
}

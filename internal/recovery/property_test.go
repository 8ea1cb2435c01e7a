package recovery

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/wire"
)

// drawCase generates a valid case.
func drawCase(t *rapid.T) string {
	pick := func(label string, choices ...string) string { return rapid.SampledFrom(choices).Draw(t, label) }
	asOf := time.Unix(rapid.Int64Range(1_700_000_000, 1_900_000_000).Draw(t, "as_of"), 0).In(civil.India)
	past := func(label string) string {
		return asOf.Add(-time.Duration(rapid.IntRange(-100, 900).Draw(t, label)) * time.Hour).Format(time.RFC3339)
	}
	date := func(label string, before, after int) string {
		return (civil.LocalDay(asOf) + civil.Day(rapid.IntRange(-before, after).Draw(t, label))).String()
	}
	var w bytes.Buffer
	fmt.Fprintf(&w, `{"loan":{"id":"L-1","principal_outstanding":%d,"overdue_amount":%d`,
		rapid.Int64Range(0, 1e12).Draw(t, "principal"), rapid.Int64Range(0, 1e12).Draw(t, "overdue"))
	fmt.Fprintf(&w, `,"emi":%d,"interest_rate":%d,"product":%q`,
		rapid.Int64Range(0, 1e9).Draw(t, "emi"), rapid.IntRange(0, 100).Draw(t, "rate"),
		pick("product", "personal_loan", "microfinance"))
	fmt.Fprintf(&w, `,"mandate_status":%q,"due_date":%q`, pick("mandate", "active", "none", "?"), date("due", 300, 20))
	if rapid.Bool().Draw(t, "dpd sent") {
		fmt.Fprintf(&w, `,"dpd":%d`, rapid.IntRange(0, 400).Draw(t, "dpd"))
	}
	if rapid.Bool().Draw(t, "paid") {
		fmt.Fprintf(&w, `,"last_payment":{"at":%q,"amount":%d}`,
			past("paid at"), rapid.IntRange(0, 9999).Draw(t, "paid amount"))
	}
	fmt.Fprintf(&w, `},"borrower":{"timezone":%q,"language":%q,"preferred_channel":%q`,
		pick("zone", "Asia/Kolkata", "+04:00", "-08:00", "+14:00"), pick("language", "en", "hi"),
		pick("channel", contactChannels...))
	if rapid.Bool().Draw(t, "hours") {
		from := rapid.IntRange(0, minutesPerDay-1).Draw(t, "from")
		fmt.Fprintf(&w, `,"preferred_hours":{"from":%q,"to":%q}`,
			clockText(from), clockText(rapid.IntRange(from+1, minutesPerDay).Draw(t, "to")))
	}
	if rapid.IntRange(0, 4).Draw(t, "silent") == 0 {
		fmt.Fprintf(&w, `,"do_not_contact_until":%q`, date("silence", 5, 20))
	}
	w.WriteString(`},"history":[`)
	for i := range rapid.IntRange(0, 12).Draw(t, "contacts") {
		if i > 0 {
			w.WriteString(",")
		}
		fmt.Fprintf(&w, `{"at":%q,"channel":%q,"disposition":%q,"promise_date":%q%s}`, past("at"),
			pick("by", contactChannels...), pick("end", "PTP", "PTP", "RNR", "BUSY", "WRONG_NUMBER", "REFUSED", "x"),
			date("promise", 40, 10), pick("kept", "", `,"kept":true`, `,"kept":false`))
	}
	fmt.Fprintf(&w, `],"as_of":%q}`, asOf.Format(time.RFC3339))
	return w.String()
}

// drawStrategy generates a valid strategy, including permissive strategies with
// the widest hours and with every action from the first day on which it is
// allowed.
func drawStrategy(t *rapid.T) string {
	from := rapid.IntRange(0, 17*60).Draw(t, "window from")
	var w bytes.Buffer
	fmt.Fprintf(&w,
		`{"window":{"from":%q,"to":%q},"max_attempts_per_day":%d,"max_attempts_per_week":%d,"closed_weekdays":[%s],
			"stages":[`,
		clockText(
			from),
		clockText(
			rapid.IntRange(max(from+1, 9*60), minutesPerDay).Draw(t, "window to")),
		rapid.IntRange(1, maxPerDay).Draw(t, "per day"), rapid.IntRange(1, maxPerWeek).Draw(t, "per week"),
		rapid.SampledFrom([]string{"", `"sunday"`, `"saturday","sunday"`}).Draw(t, "closed"))
	last := 0
	for i, n := 0, rapid.IntRange(0, 6).Draw(t, "stages"); i < n; i++ {
		if i > 0 {
			w.WriteString(",")
		}
		last += rapid.IntRange(1, 60).Draw(t, "from_dpd")
		fmt.Fprintf(&w, `{"from_dpd":%d,"steps":[`, last)
		at := 0
		for j, m := 0, rapid.IntRange(0, 6).Draw(t, "steps"); j < m; j++ {
			action := Action(rapid.IntRange(int(RemindSMS), int(LegalNotice)).Draw(t, "action"))
			if last < action.minDPD() {
				action = Call
			}
			if j > 0 {
				w.WriteString(",")
			}
			at += rapid.IntRange(0, 5).Draw(t, "day")
			fmt.Fprintf(&w, `{"day":%d,"action":%q}`, at, action)
		}
		w.WriteString("]}")
	}
	w.WriteString("]}")
	return w.String()
}

// TestAnyCaseUnderAnyStrategy checks the advice for random cases and strategies
// against the rules that always apply.
func TestAnyCaseUnderAnyStrategy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		request, document := drawCase(t), drawStrategy(t)
		advise := func() (Case, Strategy, Advice, []byte) {
			v, err := wire.Parse([]byte(document))
			if err != nil {
				t.Fatalf("%v: %s", err, document)
			}
			s, err := ReadStrategy(v)
			if err != nil {
				t.Fatalf("%v: %s", err, document)
			}
			if v, err = wire.Parse([]byte(request)); err != nil {
				t.Fatalf("%v: %s", err, request)
			}
			c, err := Read(v, time.Time{})
			if err != nil {
				t.Fatalf("%v: %s", err, request)
			}
			a := Advise(&c, &s, c.AsOf)
			var w wire.Writer
			object{&a}.Write(&w)
			return c, s, a, w.Buf
		}
		c, s, a, written := advise()
		if _, _, _, again := advise(); !bytes.Equal(written, again) {
			t.Fatalf("the same case gave\n%s\nand then\n%s", written, again)
		}
		if _, err := wire.Parse(written); err != nil {
			t.Fatalf("%v: %s", err, written)
		}
		if rule := boundless(&c, &s, &a); rule != "" {
			t.Fatalf("%s\n%s\n%s\n%s", rule, request, document, written)
		}
	})
}

// boundless checks the rules that apply under any strategy. It returns the first
// violated rule, or "" if there is none.
func boundless(c *Case, s *Strategy, a *Advice) string {
	perDay := map[civil.Day]int{}
	for _, e := range c.History {
		if !e.At.After(c.AsOf) {
			perDay[civil.LocalDay(e.At.In(c.Borrower.Zone))]++
		}
	}
	for i := range a.Plan {
		e := &a.Plan[i]
		on := civil.LocalDay(e.NotBefore)
		if rule := permittedTime(c, e); rule != "" {
			return rule
		}
		if e.Action.reaches() {
			perDay[on]++
			week := 0
			for d := on - 6; d <= on; d++ {
				week += perDay[d]
			}
			if perDay[on] > s.MaxPerDay || week > s.MaxPerWeek {
				return "a cap is not kept"
			}
		}
		switch {
		case e.NotBefore.Before(c.AsOf) || !a.Held.Until.IsZero() && e.NotBefore.Before(a.Held.Until):
			return "an action lies too early"
		case s.ClosedWeekdays[e.NotBefore.Weekday()]:
			return "an action lies on a closed day"
		case a.Arrears.DPD < e.Action.minDPD():
			return "an action comes before its day"
		case e.Action == RepresentNACH && c.Loan.Mandate != mandateActive:
			return "a mandate that is not active is presented"
		case i > 0 && e.Day < a.Plan[i-1].Day:
			return "the plan is out of order"
		}
	}
	switch {
	case a.RollRisk < 0 || a.RollRisk > whole || a.Priority.Score < 0 || a.Priority.Score > 100 ||
		a.Priority.ExpectedPaise < 0:
		return "a figure is out of its range"
	case a.Restructure.Eligible && (a.Restructure.EMIPaise <= 0 || a.Restructure.EMIPaise >= c.Loan.EMIPaise):
		return "a longer schedule that does not help"
	case a.Next.Action == Hold != (a.Held.Reason != ""):
		return "a hold is the next best action, and only then"
	case a.Next.Action != Hold && a.Next.Action != None && len(a.Plan) == 0:
		return "an action that is not in the plan"
	case a.Compliance.Allowed && a.Next.Action != None && a.Next.Action != Hold && a.Arrears.DPD > 0 &&
		a.Plan[0].Day == 0 && a.Plan[0].NotBefore.After(wholeSecond(c.AsOf)):
		return "contact is allowed now, and the plan waits"
	}
	return ""
}

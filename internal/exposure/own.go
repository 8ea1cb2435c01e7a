package exposure

import (
	"time"

	"verdict/internal/civil"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// The statuses of a decision.
const (
	approved = "APPROVED"
	referred = "REFERRED"
	declined = "DECLINED"
)

// overturned is the outcome of a review that decides otherwise than the engine.
const overturned = "overturned"

// Decision is an earlier decision about the person.
type Decision struct {
	AtMicros   int64
	Status     string // as the engine has decided
	Review     string // the outcome of the last final review, "" if there is none
	PolicyKey  string
	LimitPaise int64 // 0 if nothing was offered
	EndMicros  int64 // when the offer ends
	Booked     bool  // a loan names the decision
}

// status returns the status after the reviews. A person who overturns an approval declines, and a person who overturns
// a referral or a decline approves.
func (d *Decision) status() string {
	switch {
	case d.Review != overturned:
		return d.Status
	case d.Status == approved:
		return declined
	default:
		return approved
	}
}

// approves reports whether the lender has made an offer with the decision. A decline that a person overturned has no
// offer.
func (d *Decision) approves() bool {
	return d.LimitPaise > 0 && (d.Status == approved || d.Status == referred) && d.status() == approved
}

// Person is what the lender has decided for a person and has lent.
type Person struct {
	Decisions []Decision // the newest first
	Loans     []Loan     // those that are not closed
}

// window is a span of days before the decision, with the fact that counts approvals in it.
type window struct {
	fact string
	days int64
}

// The longest window is also that of the last decline and of the last status.
const longestDays = 365

func windows() [3]window {
	return [...]window{
		{field.OwnApproved30d, 30}, {field.OwnApproved90d, 90}, {field.OwnApproved365d, longestDays},
	}
}

// declineDays is the window in which declines are counted.
const declineDays = 30

func since(now time.Time, days int64) int64 {
	return now.UnixMicro() - days*24*time.Hour.Microseconds()
}

// Derive calls set with every fact that is known about a person, at the time of a decision under a policy_key. An
// amount is in rupees, and 0 if there is none.
func (p *Person) Derive(now time.Time, policyKey string, set func(name string, v rule.Value)) {
	set(field.OwnReference, rule.Bool(true))
	p.deriveOffers(now, policyKey, set)
	for _, w := range windows() {
		set(w.fact, rupees(p.approvedSince(since(now, w.days))))
	}
	p.deriveStatuses(now, set)
	var outstanding, emi, dpd int64
	for i := range p.Loans {
		l := &p.Loans[i]
		outstanding, emi, dpd = add(outstanding, l.OutstandingPaise), add(emi, l.EMIPaise), max(dpd, l.DPD)
	}
	set(field.OwnOutstanding, rupees(outstanding))
	set(field.OwnEMI, rupees(emi))
	set(field.OwnMaxDPD, rule.Num(rule.Int(dpd)))
}

// deriveOffers derives the facts about open offers: of each policy_key the newest approval that has not ended, unless
// a loan was made on it.
func (p *Person) deriveOffers(now time.Time, policyKey string, set func(string, rule.Value)) {
	var all, others int64
	seen := map[string]bool{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !d.approves() || d.EndMicros <= now.UnixMicro() || seen[d.PolicyKey] {
			continue
		}
		seen[d.PolicyKey] = true
		if d.Booked {
			continue
		}
		all = add(all, d.LimitPaise)
		if d.PolicyKey != policyKey {
			others = add(others, d.LimitPaise)
		}
	}
	set(field.OwnOpenOffer, rupees(all))
	set(field.OwnOtherOpenOffer, rupees(others))
}

// approvedSince adds the limits of the approvals after a time. An approval does not count if a later one under the
// same policy_key replaced it while it was an open offer.
func (p *Person) approvedSince(micros int64) (paise int64) {
	next := map[string]int64{} // when the next approval under a policy_key was made
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.AtMicros <= micros {
			break
		}
		if !d.approves() {
			continue
		}
		replaced, found := next[d.PolicyKey]
		if d.Booked || !found || replaced >= d.EndMicros {
			paise = add(paise, d.LimitPaise)
		}
		next[d.PolicyKey] = d.AtMicros
	}
	return paise
}

// deriveStatuses derives the facts about the last status and about declines.
func (p *Person) deriveStatuses(now time.Time, set func(string, rule.Value)) {
	var declines int64
	var last string
	lastDecline := civil.NoDay
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.AtMicros <= since(now, longestDays) {
			break
		}
		if last == "" {
			last = d.status()
		}
		if d.status() != declined {
			continue
		}
		if lastDecline == civil.NoDay {
			lastDecline = civil.DayAt(time.UnixMicro(d.AtMicros))
		}
		if d.AtMicros > since(now, declineDays) {
			declines++
		}
	}
	set(field.OwnDeclines30d, rule.Num(rule.Int(declines)))
	if lastDecline != civil.NoDay {
		set(field.OwnDaysSinceDecline, rule.Num(rule.Int(max(0, int64(civil.DayAt(now)-lastDecline)))))
	}
	if last != "" {
		set(field.OwnLastStatus, rule.Str(last))
	}
}

// maxPaise bounds the sums, so that they are valid numbers of rupees.
const maxPaise = int64(rule.MaxNumber) / int64(rule.Paisa)

func add(a, b int64) int64 { return min(a+b, maxPaise) }

func rupees(paise int64) rule.Value { return rule.Num(rule.Rupees(paise)) }

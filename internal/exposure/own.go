package exposure

import (
	"slices"
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
	ID         string
	AtMicros   int64
	Status     string // as the engine has decided
	Review     string // the outcome of the last final review, "" if there is none
	PolicyKey  string
	LimitPaise int64 // 0 if nothing was offered
	EndMicros  int64 // when the offer ends
	Booked     bool  // a loan names the decision
	// Primary is the reference of the primary applicant if that is somebody else. The person is then a co-applicant or,
	// if Guarantees is set, the guarantor.
	Primary    string
	Other      bool // the primary applicant is somebody else
	Guarantees bool
}

// series identifies the approvals that replace each other: those of one primary applicant under one policy_key.
type series struct {
	primary, policyKey string
	other              bool
}

func (d *Decision) series() series { return series{d.Primary, d.PolicyKey, d.Other} }

func (d *Decision) status() string { return StatusAfter(d.Status, d.Review) }

// StatusAfter returns the status of a decision after its last final review. review is the outcome of that review, or ""
// if there is none. An overturned approval becomes a decline, and an overturned referral or decline becomes an
// approval. A referral that is upheld becomes a decline.
func StatusAfter(status, review string) string {
	switch {
	case review == "", review != overturned && status != referred:
		return status
	case review != overturned, status == approved:
		return declined
	default:
		return approved
	}
}

// Approves reports whether a decision is an approval after its last final review. The arguments are those of
// StatusAfter.
func Approves(status, review string) bool { return StatusAfter(status, review) == approved }

// approves reports whether the lender has made an offer with the decision. A decline that a person overturned has no
// offer.
func (d *Decision) approves() bool {
	return d.LimitPaise > 0 && (d.Status == approved || d.Status == referred) && d.status() == approved
}

// Person has the lender's decisions about a person and the person's loans. A joint loan counts for each of its
// applicants in full, because each of them owes all of it. Loans that the person guarantees are contingent and are
// counted separately.
type Person struct {
	Decisions  []Decision // the newest first
	Loans      []Loan     // loans that are not closed and that the person owes, alone or with others
	Guaranteed []Loan     // loans that are not closed and that the person guarantees
}

// window is a span of days before the decision, with the fact that counts approvals in it.
type window struct {
	fact string
	days int64
}

// longestDays is the longest window. The facts about the last decline and the last status use it, too.
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

// Application is the application for which facts about a person are derived.
type Application struct {
	PolicyKey string
	Primary   string // the reference of the primary applicant, "" if that is the person
}

// replaces reports whether the offer of an earlier decision ends when the application is approved.
func (a Application) replaces(d *Decision) bool {
	return d.PolicyKey == a.PolicyKey && d.Other == (a.Primary != "") && d.Primary == a.Primary
}

// Derive calls set with every fact that is known about a person, at the time of a decision about an application. An
// amount is in rupees, and 0 if there is none.
func (p *Person) Derive(now time.Time, a Application, set func(name string, v rule.Value)) {
	set(field.OwnReference, rule.Bool(true))
	p.deriveOffers(now, a, set)
	for _, w := range windows() {
		set(w.fact, rupees(p.approvedSince(since(now, w.days))))
	}
	p.deriveStatuses(now, set)
	var outstandingPaise, emiPaise, dpd int64
	for i := range p.Loans {
		l := &p.Loans[i]
		outstandingPaise, emiPaise = add(outstandingPaise, l.OutstandingPaise), add(emiPaise, l.EMIPaise)
		dpd = max(dpd, l.DPD)
	}
	set(field.OwnOutstanding, rupees(outstandingPaise))
	set(field.OwnEMI, rupees(emiPaise))
	set(field.OwnMaxDPD, rule.Num(rule.Int(dpd)))
	p.deriveGuaranteed(now, set)
}

// deriveGuaranteed derives the facts about what the person guarantees.
func (p *Person) deriveGuaranteed(now time.Time, set func(string, rule.Value)) {
	var outstandingPaise int64
	for i := range p.Guaranteed {
		outstandingPaise = add(outstandingPaise, p.Guaranteed[i].OutstandingPaise)
	}
	offersPaise := p.openOffers(now, func(d *Decision) bool { return d.Guarantees }, nil)
	set(field.OwnGuaranteedOffer, rupees(offersPaise))
	set(field.OwnGuaranteedOutstanding, rupees(outstandingPaise))
}

// deriveOffers derives the facts about open offers. In each series, the open offer is the newest approval that has
// not ended, unless a loan was made on it. own_other_open_offer does not include the offer that the application
// replaces, which is the one of the same primary applicant under the same policy_key.
func (p *Person) deriveOffers(now time.Time, a Application, set func(string, rule.Value)) {
	owes := func(d *Decision) bool { return !d.Guarantees }
	var othersPaise int64
	allPaise := p.openOffers(now, owes, func(d *Decision) {
		if !a.replaces(d) {
			othersPaise = add(othersPaise, d.LimitPaise)
		}
	})
	set(field.OwnOpenOffer, rupees(allPaise))
	set(field.OwnOtherOpenOffer, rupees(othersPaise))
}

// openOffers returns the sum of the limits of the open offers among the decisions for which counts returns true. If
// the function each is not nil, openOffers calls it with every one of these offers.
func (p *Person) openOffers(now time.Time, counts func(*Decision) bool, each func(*Decision)) (paise int64) {
	seen := map[series]bool{}
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if !counts(d) || !d.approves() || d.EndMicros <= now.UnixMicro() || seen[d.series()] {
			continue
		}
		seen[d.series()] = true
		if d.Booked {
			continue
		}
		paise = add(paise, d.LimitPaise)
		if each != nil {
			each(d)
		}
	}
	return paise
}

// Replaced reports whether a newer open offer has ended the offer of a decision of the person. An offer on which a loan
// was made is never replaced.
func (p *Person) Replaced(now time.Time, id string) bool {
	var newer []*Decision
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.ID == id {
			return !d.Booked && d.approves() &&
				slices.ContainsFunc(newer, func(n *Decision) bool { return n.series() == d.series() })
		}
		if d.approves() && !d.Guarantees && d.EndMicros > now.UnixMicro() {
			newer = append(newer, d)
		}
	}
	return false
}

// approvedSince returns the sum of the limits of the approvals after a time. An approval does not count if a later one
// of the same series replaced it while it was an open offer.
func (p *Person) approvedSince(micros int64) (paise int64) {
	next := map[series]int64{} // when the next approval of a series was made
	for i := range p.Decisions {
		d := &p.Decisions[i]
		if d.AtMicros <= micros {
			break
		}
		if !d.approves() || d.Guarantees {
			continue
		}
		replaced, found := next[d.series()]
		if d.Booked || !found || replaced >= d.EndMicros {
			paise = add(paise, d.LimitPaise)
		}
		next[d.series()] = d.AtMicros
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
		if d.Guarantees {
			continue // the application is not the person's
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

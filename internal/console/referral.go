package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// referralsPerPage is the number of waiting decisions listed beside the open
// decision.
const referralsPerPage = 25

// waiting is a decision in the queue of referrals.
type waiting struct {
	decisioning.Referral
	Here bool
	Path string // address of the queue with this decision open
	Age  string // how long the decision has waited, such as "3 days"
	By   string // who works on it: "you", an e-mail address, or "" for nobody
}

// queueFilter reads the filters of the queue from the query.
func queueFilter(v *visit, filters *form) decisioning.ReferralFilter {
	f := decisioning.ReferralFilter{Mine: filters.Value("by") == "me", Nobody: filters.Value("by") == "nobody"}
	var faults fault.List
	if days := wholeNumber(&faults, "/age", filters.Value("age"), 0, 1, 365); days > 0 {
		f.Before = v.begun.AddDate(0, 0, -days)
	}
	v.form.Faults = append(v.form.Faults, faults.Items()...)
	filters.Faults = v.form.Faults
	return f
}

// referrals renders the queue, oldest first, with one decision open beside it,
// so that a reviewer can work through the queue without leaving the page.
func (p *decisionPages) referrals(v *visit) error {
	list, filters := v.listing(), v.filters()
	list.Limit = referralsPerPage
	filter := queueFilter(v, filters)
	page, err := p.decisions.Reviews.ReferralsOf(v.ctx, v.caller(), filter, list)
	if err != nil {
		return err
	}

	open := v.query("at")
	if v.r.PathValue("id") != "" { // the page is rendered again because a review was refused
		open = v.id("id")
	}
	at := max(0, slices.IndexFunc(page.Data, func(r decisioning.Referral) bool { return r.ID == open }))

	data := struct {
		Filters  *form
		Narrowed bool
		Rows     []waiting
		Pager    pager
		Open     *shownDecision
		Next     string // id of the decision that opens after this decision
		Names    map[string]string
	}{Filters: filters, Narrowed: filter != (decisioning.ReferralFilter{}), Pager: v.pager(page.NextCursor)}
	if data.Names, err = p.people.names(v); err != nil {
		return err
	}
	for i, r := range page.Data {
		row := waiting{Referral: r, Here: i == at, Path: queueAt(v, r.ID), Age: ageOf(v.begun, r.CreatedMicros)}
		if row.By = cmp.Or(data.Names[r.Assignee], r.Assignee); r.Assignee == v.caller().UserID && r.Assignee != "" {
			row.By = "you"
		}
		data.Rows = append(data.Rows, row)
	}
	if len(page.Data) > 0 {
		if data.Open, err = p.loadDecision(v, page.Data[at].ID); err != nil {
			return err
		}
		if at+1 < len(page.Data) {
			data.Next = page.Data[at+1].ID
		}
	}

	return v.render("referrals", "Referrals", data)
}

// ageOf writes the time since a decision: whole hours up to two days, then days.
func ageOf(now time.Time, createdMicros int64) string {
	const daysFrom = 48
	passed := int64(now.Sub(time.UnixMicro(createdMicros)) / time.Hour)
	switch {
	case passed < 1:
		return "less than an hour"
	case passed < daysFrom:
		return hours(passed)
	}
	return hours(passed / 24 * 24)
}

// several carries out an action on the selected referrals: take them, release them, or add the same review to each.
func (p *decisionPages) several(v *visit) error {
	ids := v.form.Values("decision")
	if len(ids) > decisioning.MaxTaken {
		ids = ids[:decisioning.MaxTaken+1] // keep one id above the maximum, so that the use case refuses the request
	}
	var said string
	var err error
	switch v.form.Value("act") {
	case "take":
		said, err = p.assigned(v, ids, p.decisions.Reviews.Take, "You now work on %d of %d referrals.")
	case "release":
		said, err = p.assigned(v, ids, p.decisions.Reviews.Release, "%d of %d referrals were released.")
	default:
		said, err = p.reviewSeveral(v, ids)
	}
	if err != nil {
		return v.redraw(err, p.referrals)
	}
	return v.done(said, "/referrals")
}

func (p *decisionPages) assigned(
	v *visit, ids []string, act func(context.Context, tenant.Principal, []string) (int, error), format string,
) (string, error) {
	n, err := act(v.ctx, v.caller(), ids)
	return fmt.Sprintf(format, n, len(ids)), err
}

// reviewSeveral adds the same review to each of the selected referrals. Each review is stored on its own; the first
// that is refused ends the work, and the message says how many were added.
func (p *decisionPages) reviewSeveral(v *visit, ids []string) (string, error) {
	var faults fault.List
	review := decisioning.NewReview{
		Outcome:    v.form.Value("outcome"),
		ReasonCode: v.form.Value("reason_code"),
		Note:       v.form.Value("note"),
	}
	review.Check(&faults)
	if len(ids) == 0 || len(ids) > referralsPerPage {
		faults.Add("/decision", fault.CodeRequired, "select from 1 to %d referrals", referralsPerPage)
	}
	if err := faults.Err(); err != nil {
		return "", err
	}
	if err := v.confirmed(); err != nil {
		return "", err
	}
	for i, id := range ids {
		if _, err := p.decisions.Reviews.Add(v.ctx, v.caller(), id, review, nil); err != nil {
			if i == 0 || fault.Of(err) == nil {
				return "", err
			}
			return fmt.Sprintf("%d of %d reviews were added. The next was refused: %s", i, len(ids),
				sentence(fault.Of(err).Detail)), nil
		}
	}
	return fmt.Sprintf("The review was added to %s.", plural(len(ids), "referral", "referrals")), nil
}

// queueAt returns the address at which the current page of the queue shows the
// given decision open.
func queueAt(v *visit, id string) string {
	values := v.r.URL.Query()
	values.Set("at", id)
	return addressOf(v.at("/referrals"), values) + "#open"
}

// settle adds a review and opens the next decision in the queue.
func (p *decisionPages) settle(v *visit) error {
	if err := p.addReview(v); err != nil {
		return v.redraw(err, p.referrals)
	}

	path := "/referrals"
	if next := v.form.Value("next"); tenant.Valid(tenant.KindDecision, next) {
		path += "?at=" + next
	}

	said := "The review was added. This referral is closed."
	if v.form.Value("outcome") == "more_information" {
		said = "The review was added. The referral stays in the queue."
	}

	return v.done(said, path)
}

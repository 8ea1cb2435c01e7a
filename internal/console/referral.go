package console

import (
	"verdict/internal/decisioning"
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
}

// referrals renders the queue, oldest first, with one decision open beside it,
// so that a reviewer can work through the queue without leaving the page.
func (p *decisionPages) referrals(v *visit) error {
	list := v.listing()
	list.Limit = referralsPerPage
	page, err := p.decisions.Referrals(v.ctx, v.caller(), list)
	if err != nil {
		return err
	}

	open := v.query("at")
	if v.r.PathValue("id") != "" { // the page is rendered again because a review was refused
		open = v.id("id")
	}

	at := 0
	for i := range page.Data {
		if page.Data[i].ID == open {
			at = i
		}
	}

	data := struct {
		Rows  []waiting
		Pager pager
		Open  *shownDecision
		Next  string // id of the decision that opens after this decision
		Names map[string]string
	}{Pager: v.pager(page.NextCursor)}
	for i, r := range page.Data {
		data.Rows = append(data.Rows, waiting{Referral: r, Here: i == at, Path: queueAt(v, r.ID)})
	}
	if len(page.Data) > 0 {
		if data.Open, err = p.loadDecision(v, page.Data[at].ID); err != nil {
			return err
		}
		if at+1 < len(page.Data) {
			data.Next = page.Data[at+1].ID
		}
		if data.Names, err = p.people.names(v); err != nil {
			return err
		}
	}

	return v.render("referrals", "Referrals", data)
}

// queueAt returns the address of the current page of the queue with a decision
// open.
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

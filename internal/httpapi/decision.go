package httpapi

import (
	"net/http"

	"verdict/internal/decisioning"
	"verdict/internal/wire"
)

func (a *API) decide(c *call) error {
	return c.answer(a.service.Decide(c.r.Context(), c.caller, c.body, c.once))
}

func (a *API) preview(c *call) error {
	return c.answer(a.service.Preview(c.r.Context(), c.caller, c.body))
}

func (a *API) eligibility(c *call) error {
	return c.answer(a.service.Eligibility(c.r.Context(), c.caller, c.body))
}

func (a *API) decision(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	return c.answer(a.service.Decision(c.r.Context(), c.caller, c.id))
}

func (a *API) decisions(c *call) error {
	q := c.query()
	filter := decisioning.DecisionFilter{
		Status: q.choice("status", "APPROVED", "REFERRED", "DECLINED"), Grade: q.text("grade"),
		ApplicantID: q.text("applicant_id"), PolicyKey: q.text("policy_key"), RuleSetID: q.text("rule_set_id"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Decisions(c.r.Context(), c.caller, filter, list)
	return sendPage(c, page, err, func(w *wire.Writer, d decisioning.DecisionSummary) { d.Write(w) })
}

func (a *API) review(c *call) error {
	return c.answer(a.service.ReviewDecision(c.r.Context(), c.caller, c.id, c.body, c.once))
}

// sendPage writes a page of a list.
func sendPage[T any](c *call, page decisioning.Page[T], err error, write func(*wire.Writer, T)) error {
	if err != nil {
		return err
	}
	w := wire.Writer{Buf: make([]byte, 0, 16<<10)}
	page.Write(&w, write)
	return c.send(http.StatusOK, w.Buf)
}

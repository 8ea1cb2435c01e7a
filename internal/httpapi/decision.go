package httpapi

import (
	"net/http"
	"strconv"

	"verdict/internal/admission"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

func (a *API) decide(c *call) error {
	reply := operation.Reply[decisioning.Decided]{Once: c.once}
	decided, err := a.service.Decisions.Decide(c.ctx, c.caller, document.DecisionRequest(c.body, c.strict()), &reply)
	return sendReply(c, &reply, decided, err)
}

func (a *API) evaluate(c *call) error {
	defer c.body.Free() // the largest documents there are, and nobody reads one after its decision
	reply := operation.Reply[decisioning.Decided]{Once: c.once}
	decided, err := a.service.Decisions.Evaluate(c.ctx, c.caller, document.EvaluateRequest(c.body, c.strict()), &reply)
	return sendReply(c, &reply, decided, err)
}

func (a *API) features(c *call) error {
	q := c.query()
	filter := decisioning.FeatureFilter{
		Name: q.text("name"), Prefix: q.text("prefix"),
		Metric: q.choice("metric", decisioning.FeatureMetrics()...), Product: q.choice("product", decisioning.FeatureProducts()...),
		Aggregation: q.choice("aggregation", "count", "sum", "max", "avg", "trend", "ratio"),
		UsedOnly:    q.flag("used_only"), PopulatedOnly: q.flag("populated_only"), Provenance: q.flag("provenance"),
	}
	if window := q.choice("window", "7", "30", "60", "90", "180", "365"); window != "" {
		filter.WindowDays, _ = strconv.Atoi(window)
	}
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	vector, err := a.service.Decisions.Features(c.ctx, c.caller, c.id, filter, list)
	return sendValue(c, vector, err, document.WriteFeatures)
}

func (a *API) preview(c *call) error {
	strict := c.strict()
	ask, err := readAs(c, tenant.Decide, document.ReadWhatIf)
	if err != nil {
		return err
	}
	ask.Request.Strict = strict
	previewed, err := a.service.Decisions.Preview(c.ctx, c.caller, ask)
	if err != nil {
		return err
	}
	return c.answer(document.EncodePreviewed(previewed))
}

func (a *API) eligibility(c *call) error {
	reply := &operation.Reply[*decisioning.Eligibility]{Once: c.once, Encode: document.EncodeEligibility}
	found, err := a.service.Decisions.Eligibility(c.ctx, c.caller, document.EitherRequest(c.body, c.strict()), reply)
	return sendReply(c, reply, found, err)
}

func (a *API) decision(c *call) error {
	q := c.query()
	var how []decisioning.Option
	if q.choice("include", "facts") != "" {
		how = append(how, decisioning.WithFacts)
	}
	if err := q.err(); err != nil {
		return err
	}
	explained, err := a.service.Decisions.Decision(c.ctx, c.caller, c.id, how...)
	return sendValue(c, explained, err, document.WriteExplained)
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
	page, err := a.service.Decisions.Decisions(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteDecisionSummary)
}

func (a *API) review(c *call) error {
	review, err := readAs(c, tenant.Decide, document.ReadReview)
	if err != nil {
		return err
	}
	reply := &operation.Reply[decisioning.Review]{Once: c.once, Encode: document.EncodeReview}
	added, err := a.service.Decisions.ReviewDecision(c.ctx, c.caller, c.id, review, reply)
	return sendReply(c, reply, added, err)
}

// sendPage writes a page of a list.
func sendPage[T any](c *call, page operation.Page[T], err error, write func(*wire.Writer, T)) error {
	if err != nil {
		return err
	}
	w := wire.Writer{Buf: make([]byte, 0, 16<<10)}
	pace := c.pacer()
	page.Write(&w, func(w *wire.Writer, row T) {
		write(w, row)
		pace(w)
	})
	return c.send(http.StatusOK, w.Buf)
}

// pacer returns a function to be called while an answer is written. It lets others
// compute after every 16 KiB, which take about half a millisecond. If the caller has
// gone, sending the answer fails.
func (c *call) pacer() func(*wire.Writer) {
	const step = 16 << 10
	written := step
	return func(w *wire.Writer) {
		if len(w.Buf) >= written {
			written = len(w.Buf) + step
			_ = admission.Checkpoint(c.ctx)
		}
	}
}

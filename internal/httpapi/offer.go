package httpapi

import (
	"net/http"

	"verdict/internal/civil"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/offer"
	"verdict/internal/offerdesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// offerHandlers serve the documents of decisions and the lender profile.
type offerHandlers struct{ offers *offerdesk.Service }

const htmlType = "text/html"

func (h *offerHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/decisions/{id}/kfs", handle: h.kfs, bucket: bucketRead, page: true},
		{pattern: "GET /v1/decisions/{id}/letter", handle: h.letter, bucket: bucketRead, page: true},
		{pattern: "GET /v1/lender-profile", handle: h.profile, bucket: bucketRead},
		{pattern: "PUT /v1/lender-profile", handle: h.replaceProfile, bucket: bucketWrite, body: required},
	}
}

func (h *offerHandlers) profile(c *call) error {
	const most = 1_000_000_000
	q := c.query()
	version := q.number("version", 0, 1, most)
	if err := q.err(); err != nil {
		return err
	}
	profile, err := h.offers.Profile(c.ctx, c.caller, version)
	return sendVersioned(c, profile, profile.Version, err, document.WriteLenderProfile)
}

func (h *offerHandlers) replaceProfile(c *call) error {
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	if err := c.query().err(); err != nil {
		return err
	}
	next, err := readAs(c, tenant.PolicyWrite, document.ReadLenderProfile)
	if err != nil {
		return err
	}
	profile, err := h.offers.ReplaceProfile(c.ctx, c.caller, next, expected)
	return sendVersioned(c, profile, profile.Version, err, document.WriteLenderProfile)
}

// wanted reads the parameters that both documents have. page reports whether the document is wanted as a page.
func (c *call) wanted(q *query) (want offerdesk.Wanted, page bool) {
	want = offerdesk.Wanted{Language: q.choice("lang", offer.Languages()...), DisbursedOn: civil.NoDay}
	switch q.choice("format", "json", "html") {
	case "html":
		page = true
	case "":
		page = c.html
	}
	return want, page
}

func (h *offerHandlers) kfs(c *call) error {
	q := c.query()
	want, page := c.wanted(q)
	if text := q.text("disbursed_on"); text != "" {
		day, ok := offer.ParseDay(text)
		if !ok {
			q.fail("disbursed_on", fault.CodeInvalidField, "must be a date such as 2026-11-20")
		}
		want.DisbursedOn = day
	}
	if err := q.err(); err != nil {
		return err
	}
	statement, err := h.offers.KFS(c.ctx, c.caller, c.id, want)
	return sendDocument(c, statement, err, page, document.WriteKFS)
}

func (h *offerHandlers) letter(c *call) error {
	q := c.query()
	want, page := c.wanted(q)
	if err := q.err(); err != nil {
		return err
	}
	letter, err := h.offers.Letter(c.ctx, c.caller, c.id, want)
	return sendDocument(c, letter, err, page, document.WriteLetter)
}

// sendDocument writes a document as JSON or as a page, or returns the operation's error.
func sendDocument[T interface{ HTML() ([]byte, error) }](
	c *call, value T, err error, page bool, write func(*wire.Writer, T),
) error {
	h := c.response.header()
	if err != nil || !page {
		return sendValue(c, value, err, write)
	}
	body, err := value.HTML()
	if err != nil {
		return err
	}
	h["Content-Type"] = []string{htmlType + "; charset=utf-8"}
	h["Content-Security-Policy"] = []string{offer.ContentPolicy}
	return c.response.send(c.ctx, http.StatusOK, body)
}

package httpapi

import (
	"net/http"
	"strings"

	"verdict/internal/civil"
	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/offer"
	"verdict/internal/offerdesk"
	"verdict/internal/reference"
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

// wanted reads the parameters that both documents have. It sets c.html if the client wants the document as a page.
func (c *call) wanted(q *query) offerdesk.Wanted {
	switch q.choice("format", "json", "html") {
	case "html":
		c.html = true
	case "json":
		c.html = false
	}
	return offerdesk.Wanted{Language: q.choice("lang", offer.Languages()...), DisbursedOn: civil.NoDay}
}

func (h *offerHandlers) kfs(c *call) error {
	q := c.query()
	want := c.wanted(q)
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
	return sendDocument(c, statement, err, document.WriteKFS)
}

func (h *offerHandlers) letter(c *call) error {
	q := c.query()
	want := c.wanted(q)
	if err := q.err(); err != nil {
		return err
	}
	letter, err := h.offers.Letter(c.ctx, c.caller, c.id, want)
	return sendDocument(c, letter, err, document.WriteLetter)
}

// sendDocument writes a document as JSON or as a page, or returns the operation's error.
func sendDocument[T interface{ HTML() ([]byte, error) }](
	c *call, value T, err error, write func(*wire.Writer, T),
) error {
	if err != nil || !c.html {
		return sendValue(c, value, err, write)
	}
	body, err := value.HTML()
	if err != nil {
		return err
	}
	return c.sendHTML(http.StatusOK, body)
}

// sendHTML writes a page of package offer.
func (c *call) sendHTML(status int, body []byte) error {
	h := c.response.header()
	h["Content-Type"] = []string{htmlType + "; charset=utf-8"}
	h["Content-Security-Policy"] = []string{offer.ContentPolicy}
	return c.response.send(c.ctx, status, body)
}

// sentence turns a detail into a sentence, with a capital letter and a full stop.
func sentence(detail string) string {
	if detail == "" {
		return ""
	}
	return strings.ToUpper(detail[:1]) + detail[1:] + "."
}

// sendRefusal writes a refusal: as a problem, or as a page if the client asked for one.
func (c *call) sendRefusal(refusal *fault.Error, status int) {
	if c.html {
		page := offer.Refusal{
			Title:  reference.Title(refusal.Code),
			Detail: sentence(refusal.Detail),
			Code:   refusal.Code, RequestID: c.requestID,
		}
		for _, item := range refusal.Items {
			page.Faults = append(page.Faults, strings.TrimPrefix(item.Pointer+" ", " ")+item.Detail)
		}
		if body, err := page.HTML(); err == nil {
			_ = c.sendHTML(status, body)
			return
		}
	}
	c.response.header()["Content-Type"] = []string{"application/problem+json"}
	_ = c.response.send(c.ctx, status, problemBody(refusal, status, c.requestID))
}

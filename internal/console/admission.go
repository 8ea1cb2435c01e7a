package console

import (
	"net/http"

	"verdict/internal/fault"
	"verdict/internal/serving"
)

// capacityTexts are the messages with which requests beyond the capacity are refused.
var capacityTexts = serving.Texts{
	Full:    "too many requests are in progress; try again in a moment",
	Share:   "too many requests of your organisation are in progress; try again in a moment",
	Exports: "too many downloads are in progress; try again when one has finished",
	Memory:  "too many large files are being read; try again in a moment",
}

var errTooFast = fault.New(fault.Limited, fault.CodeRateLimited,
	"you sent too many forms in a short time; try again in a moment")

// limit applies the person's rate limit to posted forms. Requests for pages have no rate limit.
// Use cases that need no session apply rate limits of their own.
func (v *visit) limit() error {
	if v.r.Method != http.MethodPost {
		return nil
	}
	_, wait, ok := v.console.posts.Take(v.who.UserID(), v.console.options.PostRate, v.begun)
	if !ok {
		serving.SetRetryAfter(v.w.Header(), wait)
		return errTooFast
	}
	return nil
}

// admit takes a place among the requests in progress, after the form has arrived, and then waits
// for a processor slot. An export takes one of the few places for exports instead, and gives up its
// slot while the client reads. An upload takes no place: the memory budget limits uploads, and the
// upload's handler waits for a slot itself.
func (v *visit) admit() (err error) {
	switch {
	case v.page.upload:
	case v.page.export:
		v.ctx, err = v.resources.EnterExports(v.ctx)
	default:
		v.ctx, err = v.resources.Enter(v.ctx)
	}
	return err
}

// owner returns the owner whose share of the node's capacity the request uses: the tenant if
// somebody is signed in, else the network address.
func (v *visit) owner() string {
	if v.who != nil {
		return v.who.session.Tenant.ID
	}
	return v.address()
}

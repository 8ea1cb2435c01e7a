package console

import (
	"errors"
	"net/http"
	"time"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/serving"
)

var (
	errNowhere = fault.New(fault.NotFound, fault.CodeNotFound, "there is no such page")
	errMethod  = fault.New(serving.MethodNotAllowed, fault.CodeMethodNotAllowed, "this page does not accept that method")
	errRole    = fault.New(fault.Forbidden, fault.CodeInsufficientScope,
		"your role does not include this; an admin of your organisation can change it")
	errCrossOrigin = fault.New(fault.Forbidden, fault.CodeCrossOrigin,
		"this form was sent from another site and nothing was done")
	errUnavailable = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"the request timed out before it was done; you can safely try again")
	errGone = fault.New(serving.ClientGone, fault.CodeClientGone, "the browser disconnected")
)

// titles head the pages of refusals.
var titles = map[int]string{
	http.StatusForbidden:           "Not allowed",
	http.StatusNotFound:            "Not found",
	http.StatusMethodNotAllowed:    "Not possible here",
	http.StatusConflict:            "Not possible now",
	http.StatusTooManyRequests:     "Too many requests",
	http.StatusInternalServerError: "Something broke",
	http.StatusServiceUnavailable:  "Not available right now",
}

// refuse answers with a page in the frame that says what was wrong. An error
// that is no refusal of ours is logged in full and told without a word of it.
func (v *visit) refuse(err error) {
	refusal := v.refusal(err)
	v.status, v.code = serving.Status(refusal), refusal.Code
	v.waitHint(err)
	title := titles[v.status]
	if title == "" {
		title = "Not done"
	}
	if err := v.render("problem", title, refusal); err != nil {
		v.console.options.Logger.Error("could not render the page of a refusal", "request_id", v.requestID, "error", err)
		http.Error(v.w, refusal.Detail, v.status)
	}
}

// waitHint says when to come back, where that is known.
func (v *visit) waitHint(err error) {
	var throttled *account.Throttled
	switch {
	case errors.As(err, &throttled):
		serving.SetRetryAfter(v.w.Header(), throttled.RetryAfter)
	case v.status == http.StatusServiceUnavailable:
		serving.SetRetryAfter(v.w.Header(), time.Second)
	}
}

// refusal is what of an error a person may hear.
func (v *visit) refusal(err error) *fault.Error {
	var refusal *fault.Error
	switch {
	case errors.Is(err, errFull), errors.Is(err, errShare):
		v.turnedAway(v.console.places)
		errors.As(err, &refusal)
		return refusal
	case errors.Is(err, errExports):
		v.turnedAway(v.console.options.Exports)
		return errExports
	}
	return v.console.mapper.Refusal(v.r, err, v.requestID, v.page.pattern)
}

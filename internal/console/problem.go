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
	errNotFound = fault.New(fault.NotFound, fault.CodeNotFound, "there is no such page")
	errMethod   = fault.New(serving.MethodNotAllowed, fault.CodeMethodNotAllowed,
		"this page does not accept that method")
	errRole = fault.New(fault.Forbidden, fault.CodeInsufficientScope,
		"your role does not allow this; an administrator of your organisation can change your role")
	errCrossOrigin = fault.New(fault.Forbidden, fault.CodeCrossOrigin,
		"this form was sent from another site, so nothing was done")
	errUnavailable = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"the request timed out; check whether the change was made before you try again")
	errGone = fault.New(serving.ClientGone, fault.CodeClientGone, "the browser disconnected")
)

// titles holds the headings of error pages, by status.
var titles = map[int]string{
	http.StatusForbidden:           "Not allowed",
	http.StatusNotFound:            "Not found",
	http.StatusMethodNotAllowed:    "Not possible here",
	http.StatusConflict:            "Not possible now",
	http.StatusTooManyRequests:     "Too many requests",
	http.StatusInternalServerError: "Internal error",
	http.StatusServiceUnavailable:  "Not available right now",
}

// refuse answers with an error page. The page shows the detail only of a fault.Error. The text of
// any other error is not shown; end logs it.
func (v *visit) refuse(err error) {
	refusal := v.refusal(err)
	v.status = serving.Status(refusal)
	v.waitHint(err)
	title := titles[v.status]
	if title == "" {
		title = "Not done"
	}
	if err := v.render("problem", title, refusal); err != nil {
		v.console.options.Logger.Error("could not render the error page; sent plain text",
			"request_id", v.requestID, "error", err)
		http.Error(v.w, refusal.Detail, v.status)
	}
}

// waitHint sets the Retry-After header if the time of a possible retry is known.
func (v *visit) waitHint(err error) {
	var throttled *account.Throttled
	switch {
	case errors.As(err, &throttled):
		serving.SetRetryAfter(v.w.Header(), throttled.RetryAfter)
	case v.status == http.StatusServiceUnavailable:
		serving.SetRetryAfter(v.w.Header(), time.Second)
	}
}

// refusal returns the part of an error that may be shown to a person, and records the outcome of
// the request.
func (v *visit) refusal(err error) *fault.Error {
	refusal, outcome := v.console.mapper.Refusal(v.r, err, v.begun)
	v.outcome = outcome
	return refusal
}

package console

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"verdict/internal/account"
	"verdict/internal/fault"
)

// Kinds of refusals that only HTTP knows, beyond those of package fault.
const (
	methodNotAllowed fault.Kind = 200 + iota
	clientGone
)

var (
	errNowhere = fault.New(fault.NotFound, fault.CodeNotFound, "there is no such page")
	errMethod  = fault.New(methodNotAllowed, fault.CodeMethodNotAllowed, "this page does not accept that method")
	errRole    = fault.New(fault.Forbidden, fault.CodeInsufficientScope,
		"your role does not include this; an admin of your organisation can change it")
	errCrossOrigin = fault.New(fault.Forbidden, fault.CodeCrossOrigin,
		"this form was sent from another site and nothing was done")
	errUnavailable = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"the request timed out before it was done; you can safely try again")
	errOurs = fault.New(fault.Internal, fault.CodeInternalError,
		"an internal error occurred; the request id helps to find it")
)

// statuses is the one table of what a refusal is answered with.
var statuses = map[fault.Kind]int{
	fault.Malformed:       http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	methodNotAllowed:      http.StatusMethodNotAllowed,
	fault.Conflict:        http.StatusConflict,
	fault.Precondition:    http.StatusPreconditionFailed,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Limited:         http.StatusTooManyRequests,
	clientGone:            499, // nobody sees it but the metrics
	fault.Internal:        http.StatusInternalServerError,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

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

func statusOf(refusal *fault.Error) int {
	if status := statuses[refusal.Kind]; status != 0 {
		return status
	}
	return http.StatusInternalServerError
}

// refuse answers with a page in the frame that says what was wrong. An error
// that is no refusal of ours is logged in full and told without a word of it.
func (v *visit) refuse(err error) {
	refusal := v.refusal(err)
	v.status, v.code = statusOf(refusal), refusal.Code
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
		v.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(throttled.RetryAfter.Seconds()))))
	case v.status == http.StatusServiceUnavailable:
		v.w.Header().Set("Retry-After", "1")
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
	case errors.As(err, &refusal):
		if refusal.Kind == fault.Unavailable || refusal.Kind == fault.Internal {
			v.console.options.Logger.Warn("refused", "request_id", v.requestID, "route", v.page.pattern, "error", err)
		}
		return refusal
	case v.r.Context().Err() != nil:
		return fault.New(clientGone, fault.CodeClientGone, "the browser disconnected")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errUnavailable
	}
	v.console.options.Logger.Error("internal error", "request_id", v.requestID, "route", v.page.pattern, "error", err)
	return errOurs
}

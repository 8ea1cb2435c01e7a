package console

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"verdict/internal/admission"
	"verdict/internal/fault"
)

// The refusals of what is too much at once.
var (
	errFull    = fault.New(fault.Unavailable, "unavailable", "more is being worked on than can be done in time; try again in a moment")
	errExports = fault.New(fault.Unavailable, "unavailable", "as many files are being sent as there may be; try again when one is done")
	errMemory  = fault.New(fault.Unavailable, "unavailable", "too many large files are being read at once; try again in a moment")
	errTooFast = fault.New(fault.Limited, "rate_limited", "you have sent more than a person does; try again in a moment")
)

// limit takes a token of the person's bucket, or refuses. Reading has none, and
// what needs no session is throttled by its use cases.
func (v *visit) limit() error {
	if v.r.Method != http.MethodPost {
		return nil
	}
	_, wait, ok := v.console.posts.Take(v.who.UserID(), v.console.options.PostRate, v.begun)
	if !ok {
		v.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return errTooFast
	}
	return nil
}

// admit takes a place for the work on a request, when all of it is there. What
// moves at its reader's or sender's pace would keep that from those who need it
// for milliseconds: an export has one of a few of its own, and an upload is
// bounded by the memory it takes.
func (v *visit) admit() error {
	switch {
	case v.page.upload:
		return nil
	case v.page.export:
		shares, owner := v.console.options.Exports, v.who.session.Tenant.ID
		if !shares.Take(owner) {
			return errExports
		}
		v.place = func() { shares.Release(owner) }
	default:
		if !v.console.places.Take() {
			return errFull
		}
		v.place = v.console.places.Release
	}
	return nil
}

// makeRoom gives back what the request has taken.
func (v *visit) makeRoom() {
	v.giveBack()
	if v.place != nil {
		v.place()
	}
}

// turnedAway notes that a request was refused for want of a place.
func (v *visit) turnedAway(from *admission.Places) {
	if n := from.Refused(v.begun); n > 0 {
		v.console.options.Logger.Warn("pages refused for want of room", "requests", n, "places", from.Room())
	}
}

// reserve takes the memory for so many bytes of a body, or refuses.
func (v *visit) reserve(bytes int64) error {
	reserved, ok := v.console.options.Memory.Reserve(bytes)
	if !ok {
		return errMemory
	}
	v.reserved += reserved
	return nil
}

// giveBack is for the memory of a body that is not needed any more.
func (v *visit) giveBack() {
	v.console.options.Memory.Release(v.reserved)
	v.reserved = 0
}

// readFile reads an uploaded file whole; tooLarge is what is wrong with one of
// more bytes than most. How large a packed one becomes is not known before, so
// the memory is taken as it grows; for the beginning readUpload has.
func (v *visit) readFile(file io.Reader, most int, tooLarge error) (string, error) {
	var text strings.Builder
	for {
		_, err := io.CopyN(&text, file, fileMemory)
		switch {
		case text.Len() > most:
			return "", tooLarge
		case errors.Is(err, io.EOF):
			return text.String(), nil
		case err != nil:
			return "", uploadFault(err)
		}
		if err := v.reserve(fileMemory); err != nil {
			return "", err
		}
	}
}

// drain hears out the sender of a file that is refused: a browser hears nothing
// before all is sent, unless it is very much.
func (v *visit) drain(body io.Reader) {
	v.giveBack()
	_, _ = io.CopyN(io.Discard, body, drainedFile)
}

package console

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/serving"
)

// The refusals of what is too much at once.
var (
	errFull = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many requests are in progress; try again in a moment")
	errShare = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many requests of your organisation are in progress; try again in a moment")
	errExports = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many downloads are in progress; try again when one has finished")
	errMemory = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many large files are being read; try again in a moment")
	errTooFast = fault.New(fault.Limited, fault.CodeRateLimited,
		"you sent too many forms in a short time; try again in a moment")
)

// limit takes a token of the person's bucket, or refuses. Reading has none, and
// what needs no session is throttled by its use cases.
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

// admit takes a place for the work on a request once its form has arrived, and
// then waits for a slot on a processor. An export has one of a few places of its
// own, and gives the slot up while its reader takes it in; an upload is bounded by
// the memory it takes, and has a slot once it is there.
func (v *visit) admit() error {
	places, owner, full := v.console.places, v.owner(), errShare
	switch {
	case v.page.upload:
		return nil
	case v.page.export:
		places, full = v.console.options.Exports, errExports
	}
	if !places.Take(owner, 1) {
		return full
	}
	v.place = func() { places.Give(owner, 1) }
	v.ctx, v.slot = v.console.options.Processors.Enter(v.ctx, owner)
	return nil
}

// owner returns whose share of the node a request uses: the tenant's once
// somebody is signed in, the network address's before.
func (v *visit) owner() string {
	if v.who != nil {
		return v.who.session.Tenant.ID
	}
	return v.console.options.Address(v.r)
}

// makeRoom gives back what the request has taken.
func (v *visit) makeRoom() {
	v.slot.Leave()
	v.giveBack()
	if v.place != nil {
		v.place()
	}
}

// turnedAway notes that a request was refused for want of a place.
func (v *visit) turnedAway(from *admission.Pool) {
	if n := from.Refused(v.begun); n > 0 {
		v.console.options.Logger.Warn("refused pages: too many requests in progress", "requests", n, "places", from.Room())
	}
}

// reserve takes so many bytes of memory from the owner's share, or refuses.
func (v *visit) reserve(bytes int64) error {
	if v.reserved == 0 {
		v.payer = v.owner() // who signs in meanwhile is another owner
	}
	if !v.console.options.Memory.Take(v.payer, bytes) {
		return errMemory
	}
	v.reserved += bytes
	return nil
}

// giveBack is for the memory of a body that is not needed any more.
func (v *visit) giveBack() {
	v.console.options.Memory.Give(v.payer, v.reserved)
	v.reserved = 0
}

// readFile reads an uploaded file whole; tooLarge is what is wrong with one of
// more bytes than most. How large a packed one becomes is not known before, so
// the memory is taken as it grows; for the beginning upload.fields has.
func (v *visit) readFile(file io.Reader, most int, tooLarge error) (string, error) {
	var text strings.Builder
	for {
		_, err := io.CopyN(&text, file, fileStep)
		switch {
		case text.Len() > most:
			return "", tooLarge
		case errors.Is(err, io.EOF):
			return text.String(), nil
		case err != nil:
			return "", uploadFault(err)
		}
		if err := v.reserve(formFactor * fileStep); err != nil {
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

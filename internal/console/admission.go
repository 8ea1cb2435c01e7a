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

// The refusals of requests beyond a limit.
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

// limit applies the person's rate limit to posted forms. Reading pages has no rate limit, and the
// use cases that need no session throttle themselves.
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

// admit takes a place for the request once its form has arrived, then waits for a slot on a
// processor. An export takes one of the few places for exports, and gives up the slot while its
// client reads. An upload takes no place: the memory budget bounds uploads, and the handler enters
// the scheduler itself.
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
	return v.ctx.Err() // the caller has gone, or waited for too long
}

// owner returns whose share of the node the request uses: the tenant's if somebody is signed in,
// else the network address's.
func (v *visit) owner() string {
	if v.who != nil {
		return v.who.session.Tenant.ID
	}
	return v.console.options.Address(v.r)
}

// release gives back the slot, the memory and the place of the request.
func (v *visit) release() {
	v.slot.Leave()
	v.releaseMemory()
	if v.place != nil {
		v.place()
	}
}

// logRefusals counts a request that was refused because the pool has no place left, and logs the
// count from time to time.
func (v *visit) logRefusals(from *admission.Pool) {
	if n := from.Refused(v.begun); n > 0 {
		v.console.options.Logger.Warn("page requests were refused: too many in progress",
			"refused", n, "capacity", from.Room())
	}
}

// reserve takes memory from the owner's share, or refuses.
func (v *visit) reserve(bytes int64) error {
	if v.reserved == 0 {
		v.memoryOwner = v.owner() // signing in later changes v.owner
	}
	if !v.console.options.Memory.Take(v.memoryOwner, bytes) {
		return errMemory
	}
	v.reserved += bytes
	return nil
}

// releaseMemory gives back the memory that was reserved for the body.
func (v *visit) releaseMemory() {
	v.console.options.Memory.Give(v.memoryOwner, v.reserved)
	v.reserved = 0
}

// readFile reads an uploaded file into memory. It returns tooLarge if the file has more than most
// bytes. The size of a compressed file is not known before, so memory is reserved as it grows;
// upload.fields has reserved the memory for the beginning.
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

// drain reads on after a file was refused, up to a limit: a browser reads the answer only after it
// has sent everything.
func (v *visit) drain(body io.Reader) {
	v.releaseMemory()
	_, _ = io.CopyN(io.Discard, body, maxDrained)
}

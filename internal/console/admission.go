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

// The errors for requests that exceed a limit.
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

// admit takes a place in the pool of requests in progress, after the form has arrived, and then
// waits for a processor slot. An export takes one of the few places for exports instead, and gives
// up its slot while the client reads. An upload takes no place: the memory budget limits uploads,
// and the upload's handler enters the scheduler itself.
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
	return v.ctx.Err() // the client has disconnected, or the deadline has passed
}

// owner returns the owner whose share of the node's capacity the request uses: the tenant if
// somebody is signed in, else the network address.
func (v *visit) owner() string {
	if v.who != nil {
		return v.who.session.Tenant.ID
	}
	return v.console.options.Address(v.r)
}

// release frees the slot, the memory and the place of the request.
func (v *visit) release() {
	v.slot.Leave()
	v.releaseMemory()
	if v.place != nil {
		v.place()
	}
}

// logRefusals counts a request that was refused because the pool was full, and logs the count at
// intervals.
func (v *visit) logRefusals(from *admission.Pool) {
	if n := from.Refused(v.begun); n > 0 {
		v.console.options.Logger.Warn("page requests were refused: too many in progress",
			"refused", n, "capacity", from.Room())
	}
}

// reserve takes memory from the owner's share. It returns errMemory if the share is used up.
func (v *visit) reserve(bytes int64) error {
	if v.reserved == 0 {
		v.memoryOwner = v.owner() // remember the owner, because signing in changes the result of v.owner
	}
	if !v.console.options.Memory.Take(v.memoryOwner, bytes) {
		return errMemory
	}
	v.reserved += bytes
	return nil
}

// releaseMemory frees the memory that was reserved for the body.
func (v *visit) releaseMemory() {
	v.console.options.Memory.Give(v.memoryOwner, v.reserved)
	v.reserved = 0
}

// readFile reads an uploaded file into memory. It returns tooLarge if the file has more than most
// bytes. The size of a compressed file is not known in advance, so readFile reserves memory as the
// text grows. upload.fields has already reserved the memory for the beginning of the file.
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

// drain reads and discards the rest of a refused upload, up to a limit, because a browser reads
// the answer only after it has sent everything.
func (v *visit) drain(body io.Reader) {
	v.releaseMemory()
	_, _ = io.CopyN(io.Discard, body, maxDrained)
}

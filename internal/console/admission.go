package console

import (
	"errors"
	"io"
	"net/http"
	"strings"

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

// readFile reads an uploaded file into memory. It returns the error tooLarge if the file has more bytes than the
// parameter "most" allows. The size of a compressed file is not known in advance, so readFile reserves memory as
// the text grows. upload.fields has already reserved the memory for the beginning of the file.
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
		if err := v.resources.Reserve(formFactor * fileStep); err != nil {
			return "", err
		}
	}
}

// drain reads and discards the rest of a refused upload, up to a limit, because a browser reads
// the answer only after it has sent everything.
func (v *visit) drain(body io.Reader) {
	v.resources.ReleaseMemory()
	_, _ = io.CopyN(io.Discard, body, maxDrained)
}

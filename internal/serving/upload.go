package serving

import (
	"io"
	"net/http"
	"time"
)

// paceBytes is the number of bytes after which the deadlines of an upload are extended.
const paceBytes = 256 << 10

// Upload reads a body of any length if it arrives fast enough: it extends the deadlines of the connection after every
// 256 KiB. While it waits for the sender, it gives up the request's slot on a processor.
type Upload struct {
	body      io.Reader
	control   *http.ResponseController
	resources *Resources
	pace      time.Duration
	end       time.Time // the latest deadline, zero for none
	left      int       // bytes to read before the deadlines are extended
}

// NewUpload returns the reader of a request's body. The argument pace is the time in which each 256 KiB must
// arrive. The argument longest is the time in which the whole body must arrive; 0 means no limit.
func NewUpload(w http.ResponseWriter, r *http.Request, held *Resources, pace, longest time.Duration) *Upload {
	u := &Upload{
		body:      r.Body,
		control:   http.NewResponseController(w),
		resources: held,
		pace:      pace,
		left:      paceBytes,
	}
	if longest > 0 {
		u.end = time.Now().Add(longest)
	}
	u.extendDeadlines()
	return u
}

// extendDeadlines extends the deadlines of the connection by the time for the next
// bytes, and for the answer after them. If a deadline cannot be set, the server's
// default applies.
func (u *Upload) extendDeadlines() {
	until := time.Now().Add(u.pace)
	if !u.end.IsZero() && u.end.Before(until) {
		until = u.end
	}
	_ = u.control.SetReadDeadline(until)
	_ = u.control.SetWriteDeadline(until.Add(PartTimeout))
}

// StartAnswer sets the deadline for the answer, however long the body took.
func (u *Upload) StartAnswer() { _ = u.control.SetWriteDeadline(time.Now().Add(PartTimeout)) }

func (u *Upload) Read(b []byte) (int, error) {
	u.resources.Slot.Away()
	n, err := u.body.Read(b)
	u.resources.Slot.Back()
	if u.left -= n; u.left <= 0 {
		u.left = paceBytes
		u.extendDeadlines()
	}
	return n, err
}

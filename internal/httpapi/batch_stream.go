package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"verdict/internal/fault"
	"verdict/internal/serving"
	"verdict/internal/wire"
)

const (
	// streamMemory is the memory that a stream always takes, in bytes: its two buffers, and a line of maxRead bytes.
	streamMemory = 3 * maxRead
	// longLine is a length in bytes. An application that is longer is decided before the next one is read, so that a
	// stream has at most one such application in memory.
	longLine = 32 << 10
	// answerMemory is the memory in bytes that is reserved for each unsent answer until the stream has had a larger
	// answer.
	answerMemory = 16 << 10
	// leavingTimeout is the time in which a client must read its last answers when the node stops.
	leavingTimeout = 5 * time.Second
	// keyChecked is the interval at which a stream checks that its key is still valid.
	keyChecked = time.Second
	// blankLines is the number of blank lines that cost one token, as much as an application. Reading them takes
	// processor time that the scheduler does not share fairly.
	blankLines = 100
	// readAfterAnswer is the length in bytes of the rest of a body that net/http still reads after the answer. If the
	// rest is longer, net/http closes the connection.
	readAfterAnswer = 256 << 10
)

// stream is a batch whose applications arrive as lines and are answered as lines, in the same order.
type stream struct {
	*batch
	ctx      context.Context
	cancel   context.CancelFunc
	lines    *bufio.Reader
	control  *http.ResponseController
	queue    chan *inFlight // the applications that are being decided, in order
	deciding atomic.Int64   // the total length of the applications that are being decided, in bytes
	unsent   atomic.Int64   // the number of applications whose answers were not sent yet
	largest  atomic.Int64   // the size of the largest answer, at least answerMemory, in bytes
	reading  int64          // the length of the line that is being read, in bytes, if it is longer than maxRead
	reserved int64          // the memory reserved for these applications, their answers and this line
	checked  time.Time      // when the key was last checked
}

// inFlight is an application that is being decided. done is closed when the application has its answer.
type inFlight struct {
	item
	done chan struct{}
}

// answerStream reads, decides and answers at the same time. It stops reading while itemsAtOnce applications are
// undecided or have unsent answers. So it reads nothing more from a client that does not read its answers.
func (b *batch) answerStream() error {
	c := b.c
	if err := c.query().err(); err != nil {
		return err
	}
	if err := checkLines(c.r); err != nil {
		return err
	}
	if err := c.resources.Reserve(streamMemory); err != nil {
		return err
	}
	var err error
	if c.ctx, err = c.resources.Compute(c.ctx); err != nil {
		return err
	}
	c.resources.Slot.Away() // reading and writing lines needs no slot; each decision has its own

	s := &stream{
		batch:   b,
		lines:   bufio.NewReaderSize(nil, maxRead),
		control: http.NewResponseController(c.response.w),
		queue:   make(chan *inFlight, itemsAtOnce),
		checked: c.started,
	}
	// Do not use the context of the request: it also ends if a read fails, and the applications that were read before
	// must still be decided.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.r.Context()), c.api.options.FileTimeout)
	defer cancel()
	s.ctx, s.cancel = c.resources.Slot.Extend(ctx), cancel
	s.largest.Store(answerMemory)
	s.lines.Reset(streamBody{s})
	if c.r.ProtoMajor == 1 {
		if err := s.control.EnableFullDuplex(); err != nil {
			return err
		}
	}
	return s.run()
}

// run sends the headers. It then answers until the last line is answered, or until nothing more can be read or sent.
func (s *stream) run() error {
	c := s.c
	h := c.response.header()
	if strings.EqualFold(c.r.Header.Get("Expect"), "100-continue") && c.r.ProtoMajor == 1 {
		// net/http sends 100 only if the body is read before the answer. The headers below belong to the answer alone.
		c.response.w.WriteHeader(http.StatusContinue)
	}
	h["Content-Type"] = []string{linesType}
	h["Cache-Control"] = noStore
	if c.r.ProtoMajor == 1 && (c.r.ContentLength < 0 || c.r.ContentLength > readAfterAnswer) {
		// If the stream ends early, net/http closes the connection. The header cannot say so later, and without it the
		// client's next request on this connection would fail.
		h["Connection"] = []string{"close"}
	}
	c.response.status = http.StatusOK
	c.response.w.WriteHeader(http.StatusOK)
	_ = s.control.Flush() // ignore an error, because sending the first answer then fails too

	go s.watchLeave()
	sent := make(chan error, 1)
	go func() { sent <- s.send() }()
	err := s.receive()
	close(s.queue)
	if failed := <-sent; failed != nil {
		return nil //nolint:nilerr // the client has gone, and nobody reads a refusal
	}
	if err != nil {
		s.sendLine(func(w *wire.Writer) { w.Object().Key("error").Raw(s.problem(err)).EndObject() })
	}
	return nil
}

// receive reads the applications and begins to decide them. It returns nil at the end of the body.
func (s *stream) receive() error {
	for index, blank := 0, 0; ; {
		line, err := s.readLine()
		switch {
		case err != nil:
		case len(line) == 0:
			if blank++; blank%blankLines == 0 {
				err = s.c.waitForToken(s.ctx, s.c.route.bucket)
			}
		default:
			if index > 0 { // the request has taken one token
				err = s.c.waitForToken(s.ctx, s.c.route.bucket)
			}
			if err == nil {
				err = s.mayGoOn()
			}
			if err == nil {
				err = s.begin(item{index: index, text: line})
				index++
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// mayGoOn returns an error if the node has begun to stop, the time of the stream is over, or its key is no longer
// valid.
func (s *stream) mayGoOn() error {
	if s.leaving() {
		return errLeaving
	}
	switch err := s.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return s.timeOver()
	case err != nil:
		return err
	}
	now := s.c.api.options.Now()
	if now.Sub(s.checked) < keyChecked {
		return nil
	}
	s.checked = now
	key, _ := bearerKey(s.c.r)
	_, err := s.c.api.access.Authenticate(s.ctx, key)
	return err
}

// timeOver returns the refusal of the rest of a stream that has taken too long.
func (s *stream) timeOver() error {
	return fault.New(serving.RequestTimeout, fault.CodeRequestTimeout,
		"a stream may take at most %s; the applications after the last answer must be sent in another stream",
		s.c.api.options.FileTimeout)
}

// watchLeave waits until the node begins to stop. It then ends reading the body, and shortens the time for a client
// that does not read its answers.
func (s *stream) watchLeave() {
	select {
	case <-s.c.api.left:
		_ = s.control.SetReadDeadline(time.Now())
		s.extendWrite()
	case <-s.ctx.Done():
	}
}

// extendWrite sets the deadline for sending answers.
func (s *stream) extendWrite() {
	timeout := s.c.api.options.AnswerTimeout
	if s.leaving() {
		timeout = leavingTimeout
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(timeout))
}

// leaving reports whether the node has begun to stop.
func (s *stream) leaving() bool {
	select {
	case <-s.c.api.left:
		return true
	default:
		return false
	}
}

// begin begins to decide an application. It waits while too many applications are being decided. A long application
// is decided before the next line is read, so that at most one long application is in memory.
func (s *stream) begin(it item) error {
	f := &inFlight{item: it, done: make(chan struct{})}
	length := int64(len(it.text))
	s.reading = 0
	s.deciding.Add(length)
	s.unsent.Add(1)
	f.err = s.reserve()
	select {
	case s.queue <- f:
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
	decide := func() {
		defer close(f.done)
		if f.err == nil {
			s.decideOne(s.ctx, &f.item)
			s.noteAnswer(int64(cap(f.answer.Body)))
		}
		s.deciding.Add(-length)
	}
	if length > longLine {
		decide()
		return nil
	}
	go decide()
	return nil
}

// noteAnswer raises largest to the size of an answer, if the answer is larger.
func (s *stream) noteAnswer(size int64) {
	for known := s.largest.Load(); size > known && !s.largest.CompareAndSwap(known, size); {
		known = s.largest.Load()
	}
}

// reserve takes or gives back memory, so that exactly the needed memory is reserved: for the applications that are
// being decided, for the answers that are not sent yet, and for the line that is being read. The size of an answer is
// not known in advance, so each counts as the largest answer of this stream.
func (s *stream) reserve() error {
	need := (s.deciding.Load()+s.reading)*parsedFactor + s.unsent.Load()*s.largest.Load()
	if need > s.reserved {
		if err := s.c.resources.Reserve(need - s.reserved); err != nil {
			return err
		}
	} else {
		s.c.resources.Return(s.reserved - need)
	}
	s.reserved = need
	return nil
}

// send sends the answers in the order of the applications, until the queue is closed. After a failure it only
// waits for the decisions that have begun.
func (s *stream) send() (failed error) {
	out := bufio.NewWriterSize(countedBytes{&s.c.response, s.c.response.w}, maxRead)
	flush := func() {
		if failed == nil && out.Buffered() > 0 {
			s.extendWrite()
			if failed = out.Flush(); failed == nil {
				failed = s.control.Flush()
			}
			if failed != nil {
				s.cancel() // nobody reads, so nothing more is decided
			}
		}
	}
	for {
		var f *inFlight
		var more bool
		select {
		case f, more = <-s.queue:
		default:
			flush() // the next answer may take long
			f, more = <-s.queue
		}
		if !more {
			flush()
			return failed
		}
		select {
		case <-f.done:
		default:
			flush()
			<-f.done
		}
		if failed == nil {
			var w wire.Writer
			s.write(&w, &f.item)
			f.answer.Release()
			s.extendWrite()
			if _, failed = out.Write(append(w.Buf, '\n')); failed != nil {
				s.cancel()
			}
		}
		s.unsent.Add(-1)
	}
}

// sendLine sends one more line at the end.
func (s *stream) sendLine(write func(*wire.Writer)) {
	var w wire.Writer
	write(&w)
	s.extendWrite()
	n, _ := s.c.response.w.Write(append(w.Buf, '\n'))
	s.c.response.bytes += int64(n)
}

// readLine returns the next line, which is empty if it was blank. At the end of the body it returns io.EOF; a last line
// without a line end is returned before that. readLine takes memory for a long line as the line arrives, and reads it
// in turns with the bodies of other owners.
func (s *stream) readLine() ([]byte, error) {
	limit := int(s.c.maxBody())
	var line []byte
	s.reading = 0
	for {
		part, err := s.lines.ReadSlice('\n')
		if len(line)+len(part) > limit+1 {
			return nil, fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
				"a line is larger than %d bytes; the stream ends here", limit)
		}
		if len(line) > 0 {
			if err := s.growLine(len(line) + len(part)); err != nil {
				return nil, err
			}
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line = trimmed(line)
		if errors.Is(err, io.EOF) && len(line) > 0 {
			err = nil // the next call returns io.EOF
		}
		return line, err
	}
}

// growLine takes memory for a line that grows to length bytes, and waits for the owner's turn to receive them.
func (s *stream) growLine(length int) error {
	s.reading = int64(length)
	if err := s.reserve(); err != nil {
		return err
	}
	return s.c.resources.Pace(s.ctx)
}

// trimmed returns a line without the blanks around it. If most of the line is blank, it returns a copy. Otherwise the
// application would keep the whole line in memory, although memory is reserved only for the length of the application.
func trimmed(line []byte) []byte {
	text := bytes.TrimSpace(line)
	if len(text) < len(line)/2 {
		return bytes.Clone(text)
	}
	return text
}

// errLeaving is the refusal of the rest of a stream when the node begins to stop.
var errLeaving = fault.New(fault.Unavailable, fault.CodeUnavailable,
	"this node is stopping, and the applications after the last answer were not read")

// streamBody reads the body of a stream. Each read must return something within Options.FilePace, and the whole body
// must arrive within Options.FileTimeout. Each read checks that the stream may continue, so that blank lines and parts
// of a line do not keep it open.
type streamBody struct{ s *stream }

func (b streamBody) Read(p []byte) (int, error) {
	s, c := b.s, b.s.c
	// reserve gives back the memory of decided applications here. Its error is ignored: if an application needs more
	// memory than there is, begin has already refused it.
	_ = s.reserve()
	until := time.Now().Add(c.api.options.FilePace)
	end, _ := s.ctx.Deadline()
	last := end.Before(until)
	if last {
		until = end
	}
	_ = s.control.SetReadDeadline(until)
	// Check this after setting the deadline, because the new deadline may have replaced the deadline that
	// watchLeave has set.
	if err := s.mayGoOn(); err != nil {
		return 0, err
	}
	n, err := c.r.Body.Read(p)
	c.bodyRead, c.bytesIn = true, c.bytesIn+int64(n)
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return n, err
	case s.leaving():
		return n, errLeaving
	case errors.Is(err, os.ErrDeadlineExceeded) && last:
		return n, s.timeOver()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.New(serving.RequestTimeout, fault.CodeRequestTimeout,
			"nothing arrived for %s; the stream ends here", c.api.options.FilePace)
	}
	return n, fault.New(fault.Malformed, fault.CodeMalformedBody, "the body was incomplete or malformed")
}

package console

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

// slowPage is a page whose data takes up to some seconds to compute. If it takes longer than slowAfter, the browser
// gets the beginning of the page immediately, then a line for each step, and at the end the result. The stylesheet
// shows only the last line, and hides the lines once the result has arrived, so this needs no script.
//
// If the data of the page says that the result is not ready, the template must contain two elements: stepsMark, inside
// the element with the class "waiting", and readyMark, after that element. The template "ready" renders the result, in
// an element with the class "ready".
type slowPage struct {
	*visit
	name, title string
	waiting     any // the data of the page until the result is there

	shown    *view // nil until the beginning was sent
	template *template.Template
	middle   []byte // the part of the page between the steps and the result
	tail     []byte // the part after the result
	told     time.Time
}

// The elements at which a slow page is divided.
const (
	stepsMark = `<i id="steps"></i>`
	readyMark = `<i id="ready"></i>`
)

// slowAfter is how long a page may take before its beginning is sent, and stepEvery the time between two steps.
const (
	slowAfter = 400 * time.Millisecond
	stepEvery = time.Second
)

// step shows the reader the progress of the computation. The parameter all is the total, or 0 if the total is not
// known.
func (s *slowPage) step(text string, done, all int64) {
	now := s.console.options.Now()
	if now.Sub(s.begun) < slowAfter || s.shown != nil && now.Sub(s.told) < stepEvery {
		return
	}
	if s.shown == nil && !s.begin() {
		return
	}
	s.told = now
	share := ""
	if all > 0 {
		share = fmt.Sprintf(` max="%d" value="%d"`, all, min(done, all))
	}
	s.part([]byte(`<p class="step"><progress aria-label="Progress"` + share + `></progress> <span>` +
		template.HTMLEscapeString(text) + `</span></p>`))
}

// begin sends the beginning of the page. It reports false if the page cannot be divided; the page is then sent as a
// whole at the end.
func (s *slowPage) begin() bool {
	page, shown, err := s.view(s.name, s.title, s.waiting)
	if err != nil {
		return false // the whole page, sent at the end, reports the same error
	}
	var out bytes.Buffer
	if err := page.ExecuteTemplate(&out, "layout", shown); err != nil {
		return false
	}
	first, rest, ok := bytes.Cut(out.Bytes(), []byte(stepsMark))
	middle, tail, divided := bytes.Cut(rest, []byte(readyMark))
	if !ok || !divided {
		return false
	}
	s.template, s.shown, s.middle, s.tail = page, shown, middle, tail
	s.w.Before = nil // the computation goes on, so the slot is given up only while something is sent
	s.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	s.w.WriteHeader(s.status)
	s.part(first)
	return true
}

// part sends a part of the page.
func (s *slowPage) part(text []byte) {
	s.resources.Slot.Away()
	defer s.resources.Slot.Back()
	_, _ = s.w.Write(text)                      // fails only if the client has disconnected
	_ = http.NewResponseController(s.w).Flush() // a writer that cannot flush sends the parts later
}

// finish sends the result: the whole page, or the rest of it.
func (s *slowPage) finish(data any) error {
	if s.shown == nil {
		return s.render(s.name, s.title, data)
	}
	s.shown.Data = data
	var out bytes.Buffer
	out.Write(s.middle)
	if err := s.template.ExecuteTemplate(&out, "ready", s.shown); err != nil {
		return fmt.Errorf("render %s: %w", s.name, err)
	}
	out.Write(s.tail)
	s.resources.Slot.Leave()
	_, _ = s.w.Write(out.Bytes()) // fails only if the client has disconnected
	return nil
}

// fail answers with an error. If the beginning of the page was already sent, fail finishes the page: the function
// data returns the page data that shows the text of the error in place of the result.
func (s *slowPage) fail(err error, data func(text string) any) error {
	if s.shown == nil {
		return err
	}
	return s.finish(data(sentence(s.refusal(err).Detail)))
}

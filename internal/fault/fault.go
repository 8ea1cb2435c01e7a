// Package fault is the error vocabulary of the whole service: what kind of
// mistake was made, a stable code a program can switch on, and for every
// single place that is wrong a JSON pointer and a sentence on how to mend it.
//
// It owns every code that an Error or an Item carries: refusals, what is wrong
// at one place, warnings, and the findings of the analysis. They stand here and
// not beside the code that answers them, because the adapters, which document
// and compare them, may not import the packages that decide, and every package
// may import this one. The name of a code is the code itself in Go's spelling.
// A code never changes its meaning.
//
// Four packages have words of their own that no Error or Item carries: training
// (code.go: columns and fits), recovery (hold.go: why a borrower is left alone),
// agent (narration.go: why a model's prose was not used) and signal (fraud.go:
// signals and why one was not evaluated). Reason codes of decisions belong to
// the author of the policy.
//
// It holds no transport: the HTTP adapter alone turns kinds into status codes.
// A detail never repeats a submitted value, because the value may be a PAN or
// an account number.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind says whose mistake it is and what the caller can do about it.
type Kind uint8

// The kinds, in the order of the HTTP statuses they become.
const (
	Malformed       Kind = iota + 1 // the bytes are not the format they claim to be
	Unauthenticated                 // no valid key
	Forbidden                       // a valid key without the scope
	NotFound                        // no such thing for this tenant and environment
	Conflict                        // the state does not allow it
	Precondition                    // the caller's expected version is not the current one
	TooLarge                        // the body is over the limit
	Invalid                         // well-formed, and wrong
	Limited                         // too many requests, or the quota is used up
	Internal                        // our mistake
	Unavailable                     // try again later
)

// Item is one thing that is wrong, at one place.
type Item struct {
	Pointer string // RFC 6901, "" for the whole document
	Code    string
	Detail  string

	// Nearest is the known name closest to an unknown one, "" when none is
	// close. Fields are the fields that a warning is about, if it is about
	// several.
	Nearest string
	Fields  []string

	// Key is what a caller sends back to acknowledge a finding.
	Key string
}

// Unknown is the item of a member that is not known. text says what became of
// it, and nearest is the name that was probably meant, "" for none; caseOnly is
// set when the two differ in upper and lower case alone.
func Unknown(pointer, text, nearest string, caseOnly bool) Item {
	switch {
	case nearest == "":
	case caseOnly:
		text += "; names are case-sensitive: write " + nearest
	default:
		text += "; did you mean " + nearest + "?"
	}
	return Item{Pointer: pointer, Code: CodeUnknownField, Detail: text, Nearest: nearest}
}

// maxPointer is how long a pointer may be to stand in a sentence. A longer one
// was made up by the sender; it stands in the item alone.
const maxPointer = 256

// placed is the item's sentence with its pointer in front.
func (i *Item) placed() string {
	if i.Pointer == "" || len(i.Pointer) > maxPointer {
		return i.Detail
	}
	return i.Pointer + " " + i.Detail
}

// Error is one refusal with everything that was wrong.
type Error struct {
	Kind   Kind
	Code   string
	Detail string
	Items  []Item
}

// New makes a refusal without items.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Error renders the refusal with each item on a line of its own, for
// terminals and logs.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Code)
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	for _, it := range e.Items {
		pointer := it.Pointer
		if pointer == "" {
			pointer = "(document)"
		}
		fmt.Fprintf(&b, "\n  %s: %s: %s", pointer, it.Code, it.Detail)
	}
	return b.String()
}

// Retold is a refusal with its items told otherwise, such as from another place.
// Any other error is returned as it is.
func Retold(err error, tell func(Item) Item) error {
	var refusal *Error
	if !errors.As(err, &refusal) {
		return err
	}
	told := *refusal
	told.Items = make([]Item, len(refusal.Items))
	for i, item := range refusal.Items {
		told.Items[i] = tell(item)
	}
	if len(told.Items) > 0 {
		told.Detail = strings.Replace(refusal.Detail, refusal.Items[0].placed(), told.Items[0].placed(), 1)
	}
	return &told
}

// MaxItems bounds a List, so that a hostile document cannot make an answer
// larger than itself.
const MaxItems = 100

// List collects faults while a document is read, so that a caller hears of
// all of them at once. The zero value is ready.
type List struct {
	items   []Item
	dropped int
}

// Add notes one fault. Beyond MaxItems faults are only counted.
func (l *List) Add(pointer, code, format string, args ...any) {
	if len(l.items) >= MaxItems {
		l.dropped++
		return
	}
	l.items = append(l.items, Item{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
}

// AddItem notes one fault that has more to it than a sentence.
func (l *List) AddItem(item Item) {
	if len(l.items) >= MaxItems {
		l.dropped++
		return
	}
	l.items = append(l.items, item)
}

// Move takes the items of one code out of the list and adds them to another
// list. The merely counted ones have no code and stay.
func (l *List) Move(code string, to *List) {
	kept := l.items[:0]
	for _, item := range l.items {
		if item.Code == code {
			to.AddItem(item)
		} else {
			kept = append(kept, item)
		}
	}
	l.items = kept
}

// CopyHinted adds the items to another list that say which known name was
// probably meant: a refusal has no warnings, and a misspelt name is often its
// cause.
func (l *List) CopyHinted(to *List) {
	for _, item := range l.items {
		if item.Code == CodeUnknownField && item.Nearest != "" {
			to.AddItem(item)
		}
	}
}

// maxCostly is how many faults are described with hints that take a search.
const maxCostly = 10

// Terse reports whether enough faults were noted that a reader can spare
// itself costly descriptions: a hostile document must not buy a search for
// the nearest name with every misspelt word.
func (l *List) Terse() bool { return len(l.items) >= maxCostly }

// Len is the number of faults noted, the merely counted ones included.
func (l *List) Len() int { return len(l.items) + l.dropped }

// Items returns the faults in the order they were found.
func (l *List) Items() []Item { return l.items }

// Err is nil when nothing was noted. The code of the whole is the first
// item's where that code is one a caller branches on, else invalid_field. The
// detail begins with the first item's pointer, so that whoever reads no further
// knows where to look.
func (l *List) Err() error {
	if l.Len() == 0 {
		return nil
	}
	code := CodeInvalidField
	switch first := l.items[0].Code; first {
	case CodeUnknownField, CodeInvalidCondition, CodeBureauReportMismatch, CodeReportMustHaveOneKey:
		code = first
	}
	detail := l.items[0].placed()
	if n := l.Len(); n > 1 {
		detail = fmt.Sprintf("%s; the first of %d faults", detail, n)
	}
	return &Error{Kind: Invalid, Code: code, Detail: detail, Items: l.items}
}

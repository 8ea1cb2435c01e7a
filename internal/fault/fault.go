// Package fault defines the errors of the service: the kind of an error, a
// stable code for programs, and for every fault in a document a JSON pointer
// and a sentence that says how to fix it.
//
// It defines every code of an Error or an Item: refusals, faults of one value,
// warnings, and the findings of the analysis. The codes are not in the packages
// that use them, because the adapters document and compare codes but may not
// import those packages. Every package may import this one. The name of a
// constant is its code in Go's spelling. The meaning of a code never changes.
//
// Four packages have codes of their own that do not occur in an Error or an
// Item: training (code.go: columns and fits), recovery (hold.go: why a borrower
// is not contacted), agent (narration.go: why a model's text was not used) and
// signal (fraud.go: signals and why one was not evaluated). Reason codes of
// decisions belong to the author of the policy.
//
// The package does not depend on a transport; package serving maps kinds to
// HTTP status codes. A detail never repeats a submitted value, because the
// value may be a PAN or an account number.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the kind of an error. It determines what the caller can do about the
// error.
type Kind uint8

// The kinds, in the order of their HTTP statuses.
const (
	Malformed       Kind = iota + 1 // the bytes are not in the declared format
	Unauthenticated                 // no valid key or session
	Forbidden                       // the key lacks the scope, or the person lacks the role
	NotFound                        // no such object for this tenant and environment
	Conflict                        // the stored state does not allow the request
	Gone                            // the object existed, but it or its content is no longer available
	Precondition                    // the caller's expected version is not the current one
	TooLarge                        // the body is over the limit
	Invalid                         // the document is well-formed, but its content is wrong
	Limited                         // too many requests, or the quota is used up
	Internal                        // an internal error
	Unavailable                     // try again later
)

// Item is one fault or warning about one value of a document.
type Item struct {
	Pointer string // RFC 6901, "" for the whole document
	Code    string
	Detail  string

	// Nearest is the known name that is most similar to an unknown one, or ""
	// if none is similar. Fields lists the fields of a warning that can be
	// about several fields.
	Nearest string
	Fields  []string

	// Key is the key with which a caller acknowledges a finding.
	Key string
}

// Unknown returns the item for an unknown member. text says what was done with the member. nearest is the name that
// was probably meant, or "" if there is none. caseOnly is set if the two names differ only in upper and lower case.
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

// maxPointer is the maximum length of a pointer in a sentence. A longer pointer
// contains names that the sender made up. It appears only in the item, not in
// the sentence.
const maxPointer = 256

// placed returns the item's sentence with its pointer in front.
func (i *Item) placed() string {
	if i.Pointer == "" || len(i.Pointer) > maxPointer {
		return i.Detail
	}
	return i.Pointer + " " + i.Detail
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// EscapePointer returns a name as one segment of a JSON pointer (RFC 6901).
func EscapePointer(name string) string { return pointerEscaper.Replace(name) }

// Error is a refusal with the faults that caused it.
type Error struct {
	Kind   Kind
	Code   string
	Detail string
	Items  []Item

	// OldestSequence is the number of the oldest event that is still available. It is set only with
	// CodeEventsExpired.
	OldestSequence int64
}

// New returns a refusal without items.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Missing returns the refusal for an object that does not exist in the caller's scope. The parameter "what" names the
// kind of the object.
func Missing(what string) *Error {
	return New(NotFound, CodeNotFound, "there is no such %s", what)
}

// Error returns the refusal with each item on a line of its own, for terminals
// and logs.
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

// Of returns the refusal in err, or nil if err contains none.
func Of(err error) *Error {
	refusal, _ := errors.AsType[*Error](err)
	return refusal
}

// KindOf returns the kind of the refusal in err, or 0 if err contains none.
func KindOf(err error) Kind {
	if refusal := Of(err); refusal != nil {
		return refusal.Kind
	}
	return 0
}

// CodeOf returns the code of the refusal in err, or "" if err contains none.
func CodeOf(err error) string {
	if refusal := Of(err); refusal != nil {
		return refusal.Code
	}
	return ""
}

// MapItems returns a copy of a refusal in which the function change has changed each item, for instance its pointer.
// It returns any other error, or nil, unchanged.
func MapItems(err error, change func(Item) Item) error {
	refusal := Of(err)
	if refusal == nil {
		return err
	}
	changed := *refusal
	changed.Items = make([]Item, len(refusal.Items))
	for i, item := range refusal.Items {
		changed.Items[i] = change(item)
	}
	if len(changed.Items) > 0 {
		changed.Detail = strings.Replace(refusal.Detail, refusal.Items[0].placed(), changed.Items[0].placed(), 1)
	}
	return &changed
}

// MaxItems is the maximum number of items of a List. It prevents a hostile
// document from causing a very large response.
const MaxItems = 100

// List collects faults while a document is read, so that all are reported
// together. The zero value is ready to use.
type List struct {
	items   []Item
	dropped int
}

// Add adds a fault. Faults beyond MaxItems are only counted.
func (l *List) Add(pointer, code, format string, args ...any) {
	if len(l.items) >= MaxItems {
		l.dropped++
		return
	}
	l.items = append(l.items, Item{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
}

// AddItem adds an item. Items beyond MaxItems are only counted.
func (l *List) AddItem(item Item) {
	if len(l.items) >= MaxItems {
		l.dropped++
		return
	}
	l.items = append(l.items, item)
}

// Move moves the items with a code to another list. The count of items beyond
// MaxItems does not change.
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

// CopyHinted copies the items about unknown names that have a suggested name to another list. A
// refusal has no warnings, so the caller adds these items to it: a misspelt name is often its cause.
func (l *List) CopyHinted(to *List) {
	for _, item := range l.items {
		if item.Code == CodeUnknownField && item.Nearest != "" {
			to.AddItem(item)
		}
	}
}

// maxCostly is the number of faults at which the search for suggested names
// stops.
const maxCostly = 10

// SkipHints reports whether there are so many faults that readers should skip
// costly descriptions. Otherwise a hostile document could cause a search for
// the most similar name for every misspelt word.
func (l *List) SkipHints() bool { return len(l.items) >= maxCostly }

// Len returns the number of faults, including those that were only counted.
func (l *List) Len() int { return len(l.items) + l.dropped }

// Items returns the first MaxItems faults in the order they were found.
func (l *List) Items() []Item { return l.items }

// Err returns nil if there are no faults. Otherwise it returns an *Error. Its code is the code of the
// first item if callers distinguish that code, and invalid_field otherwise. Its detail begins with the
// first item's pointer, unless the pointer is longer than maxPointer, so that the detail alone says
// where the fault is.
func (l *List) Err() error {
	if l.Len() == 0 {
		return nil
	}
	code := CodeInvalidField
	switch first := l.items[0].Code; first {
	case CodeUnknownField, CodeUnknownList, CodeUnknownTable, CodeInvalidCondition, CodeBureauReportMismatch,
		CodeReportMustHaveOneKey:
		code = first
	}
	detail := l.items[0].placed()
	if n := l.Len(); n > 1 {
		detail = fmt.Sprintf("%s; the first of %d faults", detail, n)
	}
	return &Error{Kind: Invalid, Code: code, Detail: detail, Items: l.items}
}

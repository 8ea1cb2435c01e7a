package console

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/serving"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// form is what was typed, and what was wrong with it. On a page that nobody
// has posted yet it is empty.
type form struct {
	values url.Values
	// Refusal is what was wrong with the whole, "" when nothing was.
	Refusal string
	Faults  []fault.Item
}

// readForm reads the posted form within its limit.
func (v *visit) readForm() error {
	most := v.console.options.MaxForm
	if v.page.public {
		most = min(most, publicForm)
	}
	body := &metered{v: v, from: http.MaxBytesReader(v.w, v.r.Body, most)}
	v.r.Body = body
	err := v.r.ParseForm()
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, errMemory):
		return errMemory
	case errors.As(err, &tooLarge):
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the form is larger than the limit")
	case err != nil:
		return fault.New(fault.Malformed, fault.CodeMalformedForm, "the form cannot be read")
	}
	v.form = &form{values: v.r.PostForm}
	return nil
}

// publicForm is the largest form of somebody who is not signed in, in bytes: a
// password, and an edit to go on with after a session has ended.
const publicForm = 256 << 10

// The memory of a form is taken in steps as its bytes arrive, whatever length
// was announced. A parsed form takes several times its bytes.
const (
	meterStep  = 4 << 10
	formFactor = 7
)

// metered reserves memory for what is read through it.
type metered struct {
	v    *visit
	from io.ReadCloser
	left int // bytes that memory is reserved for
}

func (m *metered) Read(p []byte) (int, error) {
	if m.left == 0 {
		if err := m.v.reserve(meterStep * formFactor); err != nil {
			return 0, err
		}
		m.left = meterStep
	}
	n, err := m.from.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

func (m *metered) Close() error { return m.from.Close() }

// again draws a page once more after its form was refused: what was typed is
// still there, and beside it what was wrong. What no typing can mend is left
// to the page of refusals.
func (v *visit) again(err error, draw func(*visit) error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return err
	}
	switch refusal.Kind {
	case fault.Invalid, fault.Malformed, fault.Conflict, fault.Precondition, fault.Limited, fault.Unauthenticated:
	default:
		return err
	}
	v.status, v.code = serving.Status(refusal), refusal.Code
	v.waitHint(err)
	v.form.Faults = refusal.Items
	if len(refusal.Items) == 0 {
		v.form.Refusal = sentence(refusal.Detail)
	}
	return draw(v)
}

// Value is what was typed into a field, storable and without the spaces around it.
// A password is read with Secret.
func (f *form) Value(name string) string { return strings.TrimSpace(storable(f.values.Get(name))) }

// storable returns a text that JSON and both databases can hold: valid UTF-8
// without a zero character. What is not becomes the replacement character.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// filled returns the fields that were filled in, as they were typed.
func (f *form) filled(names ...string) map[string]string {
	texts := map[string]string{}
	for _, name := range names {
		if text := f.Value(name); text != "" {
			texts[name] = text
		}
	}
	return texts
}

// Secret is what was typed into a field, as it was typed.
func (f *form) Secret(name string) tenant.Secret { return tenant.NewSecret(f.values.Get(name)) }

// Values are the boxes of a group that were ticked, storable.
func (f *form) Values(name string) []string {
	values := slices.Clone(f.values[name])
	for i := range values {
		values[i] = storable(values[i])
	}
	return values
}

// Has reports whether a box of a group was ticked.
func (f *form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

// Posted reports whether the page is drawn again after its form was refused.
func (f *form) Posted() bool { return f.values != nil }

// Fault is what was wrong with a field, or with something inside it.
func (f *form) Fault(name string) string {
	var said []string
	for _, item := range f.Faults {
		if fieldOf(item.Pointer) == name && !slices.Contains(said, item.Detail) {
			said = append(said, item.Detail)
		}
	}
	return sentence(strings.Join(said, "; "))
}

// Field is the name of the field that a fault is about, "" for the whole form.
func (f *form) Field(item fault.Item) string { return fieldOf(item.Pointer) }

func fieldOf(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return name
}

// sentence makes a sentence of what a refusal says in passing.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if text[0] >= 'a' && text[0] <= 'z' {
		text = string(text[0]-'a'+'A') + text[1:]
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// numberBetween reads a number between bounds with at most the decimals of a rule.Number; 0
// when nothing was typed.
func numberBetween(faults *fault.List, pointer, text string, least, most rule.Number) rule.Number {
	if text == "" {
		return 0
	}
	n, exact, ok := rule.ParseNumber(text)
	if !ok || !exact || n < least || n > most {
		faults.Add(pointer, fault.CodeOutOfRange, "must be a number from %s to %s", least, most)
		return 0
	}
	return n
}

// day reads a date as a browser sends it: the beginning of that day in India,
// the zero time when nothing was typed.
func day(faults *fault.List, pointer, text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	at, err := time.ParseInLocation(time.DateOnly, text, civil.India)
	if err != nil {
		faults.Add(pointer, fault.CodeInvalidField, "must be a date such as 2026-11-14")
	}
	return at
}

// whole reads a whole number between bounds; otherwise, when nothing was typed.
func whole(faults *fault.List, pointer, text string, otherwise, least, most int) int {
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		faults.Add(pointer, fault.CodeOutOfRange, "must be a whole number from %d to %d", least, most)
		return otherwise
	}
	return n
}

// decimal reads a number as a multiple of 10^-places.
func decimal(faults *fault.List, pointer, text string, places int) (coef int64, ok bool) {
	digits := strings.TrimPrefix(text, "-")
	whole, fraction, pointed := strings.Cut(digits, ".")
	if whole == "" || pointed && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		faults.Add(pointer, fault.CodeWrongType, "must be a number")
		return 0, false
	}
	coef, exact, fits := wire.ParseDecimal(text, places)
	switch {
	case !fits:
		faults.Add(pointer, fault.CodeOutOfRange, "is too large")
	case !exact && places == 0:
		faults.Add(pointer, fault.CodeOutOfRange, "must be a whole number")
	case !exact:
		faults.Add(pointer, fault.CodeOutOfRange, "has more than %d decimals", places)
	}
	return coef, fits && exact
}

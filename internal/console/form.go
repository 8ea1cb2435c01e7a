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

// form holds the values of a posted form and its faults. It is empty if nothing was posted.
type form struct {
	values url.Values
	// Refusal says what was wrong with the form as a whole. It is "" if there is no such fault.
	Refusal string
	Faults  []fault.Item
}

// readForm reads the posted form within the size limit.
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
	case serving.IsShortage(err):
		return err
	case errors.As(err, &tooLarge):
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the form is larger than the limit")
	case err != nil:
		return fault.New(fault.Malformed, fault.CodeMalformedForm, "the form cannot be read")
	}
	v.form = &form{values: v.r.PostForm}
	return nil
}

// publicForm is the maximum size, in bytes, of a form posted by a person who is not signed in.
// It is enough for a password and for an edit that is resumed after a session has ended.
const publicForm = 256 << 10

// Memory for a form is reserved in steps of meterStep bytes as the bytes arrive, regardless of
// the Content-Length. A parsed form takes several times its size, so formFactor times the bytes
// are reserved.
const (
	meterStep  = 4 << 10
	formFactor = 7
)

// metered reads from a body and reserves memory for the bytes it reads.
type metered struct {
	v    *visit
	from io.ReadCloser
	left int // bytes that can be read before more memory is reserved
}

func (m *metered) Read(p []byte) (int, error) {
	if m.left == 0 {
		if err := m.v.resources.Reserve(meterStep * formFactor); err != nil {
			return 0, err
		}
		m.left = meterStep
	}
	n, err := m.from.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

func (m *metered) Close() error { return m.from.Close() }

// redraw renders a page again after its form was refused, with the typed values and the faults
// beside their fields. If the person cannot correct the error in the form, redraw returns it
// unchanged, and the answer is an error page.
func (v *visit) redraw(err error, draw func(*visit) error) error {
	refusal := fault.Of(err)
	if refusal == nil {
		return err
	}
	switch refusal.Kind {
	case fault.Invalid, fault.Malformed, fault.Conflict, fault.Precondition, fault.Limited, fault.Unauthenticated:
	default:
		return err
	}
	v.status, v.outcome = serving.Status(refusal), serving.Outcome{Code: refusal.Code}
	v.waitHint(err)
	v.form.Faults = refusal.Items
	if len(refusal.Items) == 0 {
		v.form.Refusal = sentence(refusal.Detail)
	}
	return draw(v)
}

// Value returns the text of a field without surrounding spaces. It replaces characters that cannot
// be stored (see storable). Passwords are read with Secret.
func (f *form) Value(name string) string { return strings.TrimSpace(storable(f.values.Get(name))) }

// storable replaces invalid UTF-8 and NUL by the replacement character, because JSON and both
// databases cannot represent them.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// filled returns the values of the named fields that are not empty.
func (f *form) filled(names ...string) map[string]string {
	texts := map[string]string{}
	for _, name := range names {
		if text := f.Value(name); text != "" {
			texts[name] = text
		}
	}
	return texts
}

// Secret returns the text of a field unchanged, as a secret.
func (f *form) Secret(name string) tenant.Secret { return tenant.NewSecret(f.values.Get(name)) }

// Values returns all values of a name, such as the ticked boxes of a group. It replaces characters that cannot be
// stored (see storable).
func (f *form) Values(name string) []string {
	values := slices.Clone(f.values[name])
	for i := range values {
		values[i] = storable(values[i])
	}
	return values
}

// Has reports whether the box with the value is ticked.
func (f *form) Has(name, value string) bool { return slices.Contains(f.values[name], value) }

// Posted reports whether the form holds posted values.
func (f *form) Posted() bool { return f.values != nil }

// Fault returns the faults of a field, and of anything inside it, as one sentence.
func (f *form) Fault(name string) string {
	var said []string
	for _, item := range f.Faults {
		if fieldOf(item.Pointer) == name && !slices.Contains(said, item.Detail) {
			said = append(said, item.Detail)
		}
	}
	return sentence(strings.Join(said, "; "))
}

// fieldOf returns the name of the field that a fault is about, or "" if it is about the whole form.
func fieldOf(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	return name
}

// sentence turns a fault's detail into a sentence with a capital letter and a full stop.
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

// numberBetween reads a number from least to most, with at most the decimals of a rule.Number.
// It returns 0 if text is empty or has a fault.
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

// day reads a date as browsers send it. It returns the beginning of that day in India, or the zero
// time if text is empty or not a date.
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

// wholeNumber reads a whole number from least to most. If text is empty or has a fault, it returns the argument
// "otherwise".
func wholeNumber(faults *fault.List, pointer, text string, otherwise, least, most int) int {
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

// decimal reads a number and returns it as a multiple of 10^-places. If the text is not such a
// number, decimal adds a fault and returns false.
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

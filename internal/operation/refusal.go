package operation

import (
	"context"
	"errors"

	"verdict/internal/admission"
	"verdict/internal/fault"
)

// Missing returns the refusal of an id that is not the caller's.
func Missing(what string) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "there is no such %s", what)
}

// Invalid returns a refusal with one fault.
func Invalid(pointer, code, detail string) error {
	var faults fault.List
	faults.Add(pointer, code, "%s", detail)
	return faults.Err()
}

// AddAll notes faults that were found elsewhere.
func AddAll(faults *fault.List, items []fault.Item) {
	for _, item := range items {
		faults.AddItem(item)
	}
}

// Defect hides the kind of an error that is our mistake and not the
// caller's, such as a stored document that cannot be read any more.
type Defect struct{ err error }

func (d Defect) Error() string { return d.err.Error() }

// AsDefect hides the kind of an error.
func AsDefect(err error) error { return Defect{err} }

// MissingIsDefect makes a defect of a NotFound: what a stored document points at
// must be there.
func MissingIsDefect(err error) error {
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Kind == fault.NotFound {
		return AsDefect(err)
	}
	return err
}

// IsKind reports whether an error is a refusal of this kind.
func IsKind(err error, kind fault.Kind) bool {
	var refusal *fault.Error
	return errors.As(err, &refusal) && refusal.Kind == kind
}

// Checking returns the check of a long computation for a request: it ends with
// the request and lets others compute meanwhile.
func Checking(ctx context.Context) func() error {
	return func() error { return admission.Checkpoint(ctx) }
}

// Capped refuses one more of something, after which there would be too many.
func Capped(count func() (int64, error), most int, what, mend string) error {
	n, err := count()
	if err != nil || n < int64(most) {
		return err
	}
	return fault.New(fault.Conflict, fault.CodeCapReached,
		"there are %d %s, which is as many as there may be in an environment; %s", n, what, mend)
}

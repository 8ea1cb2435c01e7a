package operation

import (
	"context"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Erased returns the refusal for an object whose documents were erased, with its applicant or at the end of their
// retention period.
func Erased(what string) error {
	return fault.New(fault.Gone, fault.CodeErased,
		"the data of this %s was erased, with the applicant or at the end of its retention period", what)
}

// MaxKeyTries limits how often a document is sealed again because people were erased in the meantime.
// Erasures of one tenant are rare, so the first repetition nearly always succeeds.
const MaxKeyTries = 10

// KeysBusy returns the refusal for a document that could not be stored after it was sealed MaxKeyTries times.
func KeysBusy() error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many people are being erased at the moment; try again later")
}

// CheckVersion returns Precondition precondition_failed if the present version of an object is not the one that a
// caller expects. The parameter "what" names the object.
func CheckVersion(what string, present, expected int64) error {
	if expected == AnyVersion || expected == present {
		return nil
	}
	return fault.New(fault.Precondition, fault.CodePreconditionFailed,
		"the current version of the %s is not the expected one", what)
}

// Invalid returns an Invalid refusal with one fault.
func Invalid(pointer, code, detail string) error {
	var faults fault.List
	faults.Add(pointer, code, "%s", detail)
	return faults.Err()
}

// AddAll adds items to a list of faults.
func AddAll(faults *fault.List, items []fault.Item) {
	for _, item := range items {
		faults.AddItem(item)
	}
}

// Defect is an error that the caller did not cause, for instance that a stored document can
// no longer be read. It hides the kind of the error, so that the error is not reported as a
// mistake of the caller.
type Defect struct{ err error }

func (d Defect) Error() string { return d.err.Error() }

// AsDefect returns err as a Defect.
func AsDefect(err error) error { return Defect{err} }

// MissingIsDefect turns NotFound into a defect, because an object that a stored
// document refers to must exist.
func MissingIsDefect(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return AsDefect(err)
	}
	return err
}

// Checking returns the function that a long computation calls at intervals. That
// function returns an error if the request has ended, and lets other computations run.
func Checking(ctx context.Context) func() error {
	return func() error { return admission.Checkpoint(ctx) }
}

// CheckCap returns Conflict cap_reached if there are already as many objects as the parameter "most" allows. The
// function count returns their number. CheckCap locks the scope, so that no other node adds an object between the
// count and the commit. The parameter "what" names the objects, and "mend" says how to free capacity.
func CheckCap(tx *store.Tx, count func() (int64, error), most int, what, mend string) error {
	if err := tx.Lock(); err != nil {
		return err
	}
	n, err := count()
	if err != nil || n < int64(most) {
		return err
	}
	return fault.New(fault.Conflict, fault.CodeCapReached,
		"there are %d %s, the maximum in an environment; %s", n, what, mend)
}

// CheckStored returns Conflict cap_reached if the environment has stored more bytes than the plan allows. It must be
// called after the change in the same transaction, because the change has locked the counter, so no other node adds
// bytes between the check and the commit.
func CheckStored(tx *store.Tx, plan tenant.PricePlan) error {
	n, err := tx.StoredBytes().Sum()
	if err != nil || n <= plan.StoredBytes {
		return err
	}
	return fault.New(fault.Conflict, fault.CodeCapReached,
		"the plan allows %d bytes of stored uploads, policies, exposures and repeatable answers in an environment, "+
			"and this request would exceed them; wait until the rows of batches and backtests are deleted, cancel "+
			"jobs that are not needed, or delete lists and drafts", plan.StoredBytes)
}

package batchdesk

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// deciding is the work on the rows of a chunk by several goroutines.
type deciding struct {
	*work
	caller tenant.Principal
	lines  [][]byte
	may    decisioning.Permit // nil if every row may be decided

	next    atomic.Int64                // the number of rows that were begun
	decided atomic.Int64                // the number of rows decided
	checked atomic.Int64                // when the rights of the caller were read, in microseconds
	rest    atomic.Pointer[fault.Error] // the error of all further rows, if the quota is used up or a right is revoked
	failed  atomic.Pointer[error]       // a failure of storage; no more rows are begun
}

// decideRows decides the rows that have no outcome, several at a time. It returns operation.ErrUnfinished if it has
// decided some of them and must be called again for the rest.
func (w *work) decideRows(ctx context.Context, caller tenant.Principal, lines [][]byte) error {
	may, err := w.permit(ctx)
	if err != nil {
		return err
	}
	d := &deciding{work: w, caller: caller, lines: lines, may: may}
	d.checked.Store(w.s.core.Now().UnixMicro())
	stop := w.s.core.Now().Add(chunkTime)
	more := func() bool {
		return ctx.Err() == nil && d.failed.Load() == nil && w.s.core.Now().Before(stop)
	}
	todo := w.missing()
	var workers sync.WaitGroup
	for range min(rowsAtOnce, len(todo)) {
		workers.Go(func() {
			for more() {
				i := d.next.Add(1) - 1
				if i >= int64(len(todo)) {
					return
				}
				d.row(ctx, todo[i])
			}
		})
	}
	workers.Wait()

	if err := ctx.Err(); err != nil {
		return err
	}
	if len(w.missing()) == 0 {
		return nil
	}
	// Look for decisions that this attempt does not know of: a commit whose outcome was unknown may have stored
	// one, and so may another node.
	if err := w.recall(ctx); err != nil {
		return err
	}
	failed := errNoTime
	if stored := d.failed.Load(); stored != nil {
		failed = *stored
	}
	switch {
	case len(w.missing()) == 0:
		return nil
	case d.decided.Load() > 0 && (!w.last || d.failed.Load() == nil):
		return operation.ErrUnfinished
	case !w.last:
		return failed
	}
	w.s.core.Logger.ErrorContext(ctx, "could not decide rows of a batch; they get an internal error",
		append(w.about(), "rows", len(w.missing()), "error", failed)...)
	w.refuseRest(errInternal())
	return nil
}

// missing returns the indexes of the rows that have no outcome. They are indexes into w.rows.
func (w *work) missing() (indexes []int) {
	for i := range w.rows {
		if !w.rows[i].known() {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// errNoTime is the failure of an attempt in which no row was decided although storage did not fail.
var errNoTime = errors.New("no row was decided in the time of an attempt")

// permit returns the function that refuses the rows of people who were erased since the batch was started. It
// returns nil if nobody was erased.
func (w *work) permit(ctx context.Context) (decisioning.Permit, error) {
	excluded, err := w.scope.BatchJobs(ctx).Excluded(w.batch.ID)
	if err != nil || len(excluded) == 0 {
		return nil, err
	}
	keyed, err := w.s.core.Keyed(ctx, operation.ScopeID{Tenant: w.scope.Tenant(), Environment: w.scope.Environment()})
	if err != nil {
		return nil, err
	}
	erased := make(map[string]bool, len(excluded))
	for _, person := range excluded {
		erased[person] = true
	}
	return func(reference string) error {
		if reference != "" && erased[keyed(decisioning.ErasedMember, reference)] {
			return fault.New(fault.Gone, fault.CodeErased,
				"the applicant was erased after the row was sent, so the row was not decided")
		}
		return nil
	}, nil
}

func (d *deciding) row(ctx context.Context, i int) {
	row := &d.rows[i]
	d.mayGoOn(ctx)
	if refusal := d.rest.Load(); refusal != nil {
		row.Err = refusal
		return
	}
	decided, err := d.one(ctx, row.Index, d.lines[i])
	if err == nil {
		// If another attempt has decided the row at the same time, the id is "", and recall sets it.
		row.DecisionID, row.Status, row.Grade, row.Policy = decided.ID, decided.Status, decided.Grade, decided.Policy
		d.decided.Add(1)
		return
	}
	refusal := d.final(ctx, err)
	switch {
	case refusal == nil:
		d.failed.CompareAndSwap(nil, &err)
	case refusal.Code == fault.CodeQuotaExceeded:
		d.rest.Store(refusal)
	}
	row.Err = refusal
}

// one decides the row with the given index as if the row had been sent alone. A panic is an error of this row
// alone.
func (d *deciding) one(ctx context.Context, index int64, line []byte) (decided decisioning.Decided, err error) {
	defer func() {
		if p := recover(); p != nil {
			d.s.core.Logger.ErrorContext(ctx, "deciding a row of a batch panicked; the row gets an internal error",
				append(d.about(), "stack", fault.PanicStack(p, debug.Stack()))...) // p may contain a tenant's data
			err = errInternal()
		}
	}()
	if processors := d.s.options.Processors; processors != nil {
		var slot *admission.Slot
		ctx, slot = processors.Enter(ctx, d.caller.TenantID)
		defer slot.Leave()
	}
	var check func() error
	if len(line) > longLine {
		check = operation.Checking(ctx)
	}
	body, err := wire.ParseUntil(line, check)
	if err != nil {
		return decided, err
	}
	defer body.Free()
	key := store.BatchRowKey(d.batch.ID, index)
	reply := operation.Reply[decisioning.Decided]{Idempotency: &operation.Idempotency{
		Route: key.Route, Key: key.Name, Keep: keepRows, LookedUp: true,
	}}
	request := application.DecisionRequest(body)
	if d.batch.Endpoint == decisioning.EndpointEvaluate {
		request = application.EvaluateRequest(body)
	}
	request.Strict = d.batch.Strict
	decided, err = d.s.decisions.DecideFor(ctx, d.caller, d.batch.Endpoint, request, d.may, &reply)
	if err == nil {
		answer := reply.Answer(decided)
		answer.Release()
	}
	return decided, err
}

// longLine is the length of a row that takes half a millisecond to parse, in bytes. Parsing a longer row needs
// checkpoints.
const longLine = 64 << 10

// final returns the refusal that is the outcome of a row, or nil if the row should be tried again.
func (d *deciding) final(ctx context.Context, err error) *fault.Error {
	var spoilt operation.Defect
	if errors.As(err, &spoilt) {
		d.s.core.Logger.ErrorContext(ctx, "could not decide a row of a batch; it gets an internal error",
			append(d.about(), "error", err)...)
		return errInternal()
	}
	refusal := fault.Of(err)
	if refusal == nil || refusal.Kind == fault.Unavailable || refusal.Code == fault.CodeIdempotencyInProgress {
		return nil
	}
	return refusal
}

package batchdesk

import (
	"context"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Cancel cancels an unfinished batch and returns it. No further chunk begins, and the chunks in progress are finished.
// Rows that were decided stay decided; the others get the error batch_cancelled. Cancelling a cancelled batch has no
// effect. A batch that has completed or failed cannot be cancelled.
func (s *Service) Cancel(
	ctx context.Context, p tenant.Principal, id string, reply *operation.Reply[Batch],
) (Batch, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Batch{}, err
	}
	if !tenant.Valid(tenant.KindBatch, id) {
		return Batch{}, fault.Missing("batch")
	}
	now := s.core.Moment()
	return operation.Write(ctx, s.core, s.core.Scope(p), reply, func(tx *store.Tx) (Batch, error) {
		record, changed, err := tx.BatchJobs().Cancel(id, now.UnixMicro())
		switch {
		case err != nil:
			return Batch{}, err
		case record.Status == Completed || record.Status == Failed:
			return Batch{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
				"the batch is over; only an unfinished batch can be cancelled")
		case changed:
			err = tx.Audit().Add(s.core.Audit(p, now, operation.ActionBatchCancelled, id, ""))
			if err != nil {
				return Batch{}, err
			}
		}
		return batchOf(&record)
	})
}

// Delete deletes a batch that is over, with the results of its rows. The decisions stay. It returns NotFound if there
// is no such batch, and invalid_transition if the batch is not over.
func (s *Service) Delete(ctx context.Context, p tenant.Principal, id string) error {
	if err := p.Require(tenant.Decide); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindBatch, id) {
		return fault.Missing("batch")
	}
	scope, now := s.core.Scope(p), s.core.Moment()
	err := scope.Write(ctx, func(tx *store.Tx) error {
		if err := tx.BatchJobs().Delete(id); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionBatchDeleted, id, ""))
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	err = inSteps(ctx, scope, func(tx *store.Tx) (bool, error) { return tx.BatchJobs().DeleteChunks(id, discardSteps) })
	if err != nil {
		s.core.Logger.WarnContext(ctx, "could not delete all chunks of a deleted batch; a later sweep deletes them",
			"tenant_id", scope.Tenant(), "environment", scope.Environment(), "batch_id", id, "error", err)
	}
	return nil
}

const (
	// abortTimeout limits how long a cleanup may take. The cleanup of an aborted batch marks it as failed and deletes
	// its rows. The cleanup of a deleted batch deletes its chunks. If the time is too short, Purge deletes the rest
	// later.
	abortTimeout = 5 * time.Second
	// discardSteps is the number of chunks that one transaction deletes.
	discardSteps = 8
)

// inSteps calls step repeatedly, each time in a new transaction, until step reports that nothing is left.
func inSteps(ctx context.Context, scope *store.Scope, step func(*store.Tx) (more bool, err error)) (err error) {
	for more := true; more && err == nil; {
		err = scope.Write(ctx, func(tx *store.Tx) (err error) {
			more, err = step(tx)
			return err
		})
	}
	return err
}

// abort fails a batch whose rows did not arrive completely, and deletes its rows. The recorded error is cause if cause
// is a refusal other than an internal error, and input_incomplete otherwise. The client may have disconnected, so abort
// ignores the end and the deadline of ctx.
func (s *Service) abort(ctx context.Context, scope *store.Scope, id string, cause error) {
	code, detail := fault.CodeInputIncomplete, "the rows did not arrive completely"
	if refusal := fault.Of(cause); refusal != nil && refusal.Kind != fault.Internal {
		code, detail = refusal.Code, refusal.Detail
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTimeout)
	defer cancel()
	now := s.core.Moment().UnixMicro()
	err := scope.Write(ctx, func(tx *store.Tx) error { return tx.BatchJobs().Fail(id, code, detail, now) })
	if err == nil {
		err = inSteps(ctx, scope, func(tx *store.Tx) (bool, error) { return tx.BatchJobs().Discard(id, discardSteps) })
	}
	if err != nil {
		s.core.Logger.WarnContext(ctx, "could not end an aborted batch or delete its rows; a later sweep retries",
			"tenant_id", scope.Tenant(), "environment", scope.Environment(), "batch_id", id, "error", err)
	}
}

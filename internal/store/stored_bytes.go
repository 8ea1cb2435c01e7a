package store

import "context"

// The fixed numbers of bytes that some rows count as, including their indexes. Migration 0030 contains these numbers
// too.
const (
	exposureBytes = 1 << 10
	answerBytes   = 512 // counted in addition to the body
)

// StoredBytesReader reads the size of a scope's stored data that is not billed by size: the rows and results of
// batches and backtests, the parts of lists, rule sets, their proofs and working copies, scorecards, collections
// strategies, lender profiles, exposures, and answers under idempotency keys that belong to no decision or run.
type StoredBytesReader struct{ access }

// StoredBytes reads the size like StoredBytesReader, and changes it. The methods of this package that store or
// delete such data count it in the same transaction, in one row for each scope.
type StoredBytes struct{ StoredBytesReader }

// StoredBytes returns the StoredBytesReader of the scope.
func (s *Scope) StoredBytes(ctx context.Context) StoredBytesReader {
	return StoredBytesReader{s.access(ctx)}
}

// StoredBytes returns the StoredBytes of the transaction.
func (tx *Tx) StoredBytes() StoredBytes { return StoredBytes{StoredBytesReader{tx.access()}} }

// Sum returns the number of bytes. After a change in the same transaction the number is exact: other nodes wait for
// the end of the transaction before they change it.
func (sb StoredBytesReader) Sum() (int64, error) {
	return read(sb.access, func(tx *Tx) (n int64, err error) {
		err = tx.one([]any{&n}, "SELECT bytes FROM stored_bytes WHERE tenant_id = $1 AND environment = $2")
		return n, ignoreAbsent(err)
	})
}

// add counts bytes that the transaction stores.
func (sb StoredBytes) add(n int) error {
	if n == 0 {
		return nil
	}
	_, err := sb.tx.exec(`INSERT INTO stored_bytes (tenant_id, environment, bytes) VALUES ($1, $2, $3)
		ON CONFLICT (tenant_id, environment) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes`, int64(n))
	return err
}

// release counts bytes that the transaction deletes. The number of stored bytes does not fall below 0, even if a
// deleted row was never counted: nodes of earlier versions did not count rows.
func (sb StoredBytes) release(n int64) error {
	if n == 0 {
		return nil
	}
	_, err := sb.tx.exec(`UPDATE stored_bytes SET bytes = CASE WHEN bytes > $3 THEN bytes - $3 ELSE 0 END
		WHERE tenant_id = $1 AND environment = $2`, n)
	return err
}

// deleteCounted runs a DELETE whose RETURNING clause returns the size of each deleted row, releases the bytes, and
// returns the number of deleted rows.
func (sb StoredBytes) deleteCounted(query string, args ...any) (deleted int64, err error) {
	var sum int64
	err = sb.tx.each(func(scan func(...any) error) error {
		var size int64
		err := scan(&size)
		deleted, sum = deleted+1, sum+size
		return err
	}, query, args...)
	if err != nil {
		return 0, err
	}
	return deleted, sb.release(sum)
}

// scopedJob names a job of any tenant.
type scopedJob struct{ tenant, environment, id string }

// purgeJobs calls purge for the jobs that find returns, each in a transaction of its own, until limit steps were done.
// Only one scope is locked at a time, so two nodes that purge cannot deadlock. It returns the number of steps.
func (j *Jobs) purgeJobs(
	ctx context.Context, find func(*transaction) ([]scopedJob, error), limit int,
	purge func(tx *Tx, id string, limit int64) (int64, error),
) (done int64, err error) {
	var jobs []scopedJob
	err = j.read(ctx, func(s *transaction) (err error) {
		jobs, err = find(s)
		return err
	})
	for i := 0; err == nil && i < len(jobs) && done < int64(limit); i++ {
		name, steps := jobs[i], int64(0)
		err = j.writeIn(ctx, name.tenant, name.environment, func(s *transaction) (err error) {
			steps, err = purge(s.within(name.tenant, name.environment), name.id, int64(limit)-done)
			return err
		})
		if err == nil {
			done += steps
		}
	}
	return done, err
}

// scopedJobs runs a query for tenant, environment and id of jobs, and returns the jobs.
func (s *transaction) scopedJobs(query string, args ...any) (jobs []scopedJob, err error) {
	err = s.each(func(scan func(...any) error) error {
		var j scopedJob
		err := scan(&j.tenant, &j.environment, &j.id)
		jobs = append(jobs, j)
		return err
	}, query, args...)
	return jobs, err
}

package store

import (
	"context"
	"strconv"
)

// LastUploadKey is the highest number that the key of an upload can have in key_trees. The key trees of people have
// higher numbers.
const LastUploadKey = -1 << 61

// UploadsReadable is the UploadKey of a job whose uploaded rows have no key of their own.
const UploadsReadable = 1

// AddUpload stores the key of an upload. It does nothing if k has no key, because nothing is encrypted.
func (kt KeyTrees) AddUpload(k StoredTree) error {
	if k.Tree == nil {
		return nil
	}
	if err := kt.tx.transaction.setRLS(kt.tx.rls); err != nil {
		return err
	}
	_, err := kt.tx.transaction.exec("INSERT INTO key_trees (tenant_id, number, tree) VALUES ($1, $2, $3)",
		kt.tx.rls.tenant, k.Number, k.Tree)
	return err
}

// uploadKeyDestroyed is the name of the row in installation that says when the last key of an upload was destroyed, in
// microseconds.
const uploadKeyDestroyed = "upload_key_destroyed"

// destroyUpload deletes the key of an upload, and records the time. It does nothing if the upload has no key of its
// own. Only a transaction of the system may call it.
func (kt KeyTrees) destroyUpload(number, nowMicros int64) error {
	if number > LastUploadKey {
		return nil
	}
	if err := kt.tx.transaction.setRLS(kt.tx.rls); err != nil {
		return err
	}
	if _, err := kt.tx.transaction.exec(
		"DELETE FROM key_trees WHERE tenant_id = $1 AND number = $2", kt.tx.rls.tenant, number,
	); err != nil {
		return err
	}
	_, err := kt.tx.transaction.exec("INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO "+
		"UPDATE SET value = excluded.value", uploadKeyDestroyed, []byte(strconv.FormatInt(nowMicros, 10)))
	return err
}

// uploadKeyDestroyed returns when the last key of an upload was destroyed, in microseconds; 0 if none was.
func (sys *System) uploadKeyDestroyed(ctx context.Context) (micros int64, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		var value []byte
		err := s.one([]any{&value}, "SELECT value FROM installation WHERE name = $1", uploadKeyDestroyed)
		if err == nil {
			micros, err = strconv.ParseInt(string(value), 10, 64)
		}
		return ignoreAbsent(err)
	})
	return micros, err
}

// DestroyUploadKeys destroys the keys of uploads whose job ended before a time, and of deleted batches. If the job
// is a backtest, it also deletes the uploaded rows; the results stay. (The rows of a batch are deleted when they
// are decided.) A step deletes the rows of one chunk, or destroys one key. DestroyUploadKeys does at most limit
// steps, so that no transaction is long, and returns the number of steps: 0 if nothing is left to do.
func (j *Jobs) DestroyUploadKeys(ctx context.Context, beforeMicros, nowMicros int64, limit int) (int64, error) {
	done, err := j.purgeJobs(ctx, func(s *transaction) ([]scopedJob, error) {
		return s.scopedJobs("SELECT tenant_id, environment, id FROM backtests WHERE finished_micros > 0 "+
			"AND upload_key <> 0 AND finished_micros < $1 ORDER BY finished_micros, id LIMIT $2", beforeMicros,
			int64(limit))
	}, limit, func(tx *Tx, id string, limit int64) (int64, error) {
		return tx.Backtests().destroyUpload(id, nowMicros, limit)
	})
	if err != nil || done >= int64(limit) {
		return done, err
	}
	batches, err := j.purgeJobs(ctx, func(s *transaction) ([]scopedJob, error) {
		return s.scopedJobs("SELECT tenant_id, environment, id FROM batches WHERE finished_micros > 0 "+
			"AND upload_key <> 0 AND (finished_micros < $1 OR deleted = 1) ORDER BY finished_micros, id LIMIT $2",
			beforeMicros, int64(limit))
	}, limit-int(done), func(tx *Tx, id string, _ int64) (int64, error) {
		return 1, tx.BatchJobs().destroyUpload(id, nowMicros)
	})
	return done + batches, err
}

// uploaded reports whether the rows of the backtest were uploaded. If not, the chunks only name rows and contain no
// data of applicants.
func (b *Backtest) uploaded() bool { return b.Source != "decisions" && b.Source != "synthetic" }

// destroyUpload deletes the uploaded rows of at most limit chunks of a backtest. If it deletes fewer, none is left, and
// it destroys their key. It returns the number of steps: one for each chunk, and one for the key.
func (bt Backtests) destroyUpload(id string, nowMicros, limit int64) (steps int64, err error) {
	b, err := bt.lock(id)
	if err != nil || b.UploadKey == 0 { // another node has destroyed the key
		return 0, err
	}
	if b.uploaded() {
		var last, size int64
		err := bt.tx.each(func(scan func(...any) error) error {
			var bytes int64
			err := scan(&last, &bytes)
			steps, size = steps+1, size+bytes
			return err
		}, `SELECT number, length(input) FROM backtest_chunks WHERE tenant_id = $1 AND environment = $2
			AND backtest_id = $3 AND length(input) > 0 ORDER BY number LIMIT $4`, id, limit)
		if err != nil {
			return 0, err
		}
		if steps > 0 {
			if _, err := bt.tx.exec(`UPDATE backtest_chunks SET input = $5 WHERE tenant_id = $1 AND environment = $2
				AND backtest_id = $3 AND number <= $4 AND length(input) > 0`, id, last, noDocument); err != nil {
				return 0, err
			}
		}
		if err := bt.tx.StoredBytes().release(size); err != nil || steps == limit {
			return steps, err
		}
	}
	if err := bt.tx.KeyTrees().destroyUpload(b.UploadKey, nowMicros); err != nil {
		return 0, err
	}
	_, err = bt.tx.exec("UPDATE backtests SET upload_key = 0 WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return steps + 1, err
}

// destroyUpload destroys the key of a batch. If the batch and its chunks are deleted, it also deletes the row of the
// batch.
func (bj BatchJobs) destroyUpload(id string, nowMicros int64) error {
	var key int64
	err := bj.tx.one([]any{&key},
		"SELECT upload_key FROM batches WHERE tenant_id = $1 AND environment = $2 AND id = $3"+
			bj.tx.transaction.db.dialect.forUpdate, id)
	if err != nil {
		return ignoreAbsent(err)
	}
	if err := bj.tx.KeyTrees().destroyUpload(key, nowMicros); err != nil {
		return err
	}
	if _, err := bj.tx.exec(
		`DELETE FROM batches WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND deleted = 1 AND purged = 1`, id,
	); err != nil {
		return err
	}
	_, err = bj.tx.exec("UPDATE batches SET upload_key = 0 WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return err
}

-- The rows that were uploaded for a backtest or a batch are encrypted with a key of their own, which is destroyed a
-- week after the job has ended (ADR 23). The key is in key_trees; upload_key is its number there.
--
-- 0 means that there is no such key, or that it is destroyed. 1 means that rows may be stored that have no key of their
-- own: they are readable, or are from before and encrypted with a key from the tenant's trees. These rows are deleted at
-- the same time.
ALTER TABLE backtests ADD COLUMN upload_key BIGINT NOT NULL DEFAULT 1;
ALTER TABLE batches ADD COLUMN upload_key BIGINT NOT NULL DEFAULT 1;
CREATE INDEX backtests_upload_key ON backtests (finished_micros, id) WHERE finished_micros > 0 AND upload_key <> 0;
CREATE INDEX batches_upload_key ON batches (finished_micros, id) WHERE finished_micros > 0 AND upload_key <> 0;

-- The input of runs that came to nothing is thrown away soon. They are few among
-- those whose input is kept, which are not to be walked through for them.
CREATE INDEX backtests_vain ON backtests (finished_micros, id) WHERE status IN ('failed', 'cancelled') AND purged = 0;

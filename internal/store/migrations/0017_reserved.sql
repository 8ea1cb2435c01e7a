-- Nothing.
SELECT 1;

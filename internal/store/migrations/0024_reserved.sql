-- Number 24 is reserved for a migration that is not merged yet.
SELECT 1;

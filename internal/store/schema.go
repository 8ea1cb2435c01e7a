package store

// SchemaVersion is the version of the schema that this program has, and so of
// every database it has opened.
func SchemaVersion() (int64, error) {
	steps, err := readMigrations(migrationFiles)
	return int64(len(steps)), err
}

package store

// SchemaVersion returns the schema version of this program, to which Open
// migrates every database.
func SchemaVersion() (int64, error) {
	steps, err := readMigrations(migrationFiles)
	return int64(len(steps)), err
}

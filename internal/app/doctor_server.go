package app

import (
	"strings"

	"verdict/internal/job"
	"verdict/internal/store"
)

// sideConnections is how many connections a node opens to PostgreSQL besides those that -db-connections limits.
const sideConnections = store.PostgresWriting + job.Connections

// oldestServer is the oldest major version of PostgreSQL that the tests run with.
const oldestServer = 15

// mendConnection returns advice about a PostgreSQL database that cannot be read.
func mendConnection(err error) string {
	switch store.WhyRefused(err) {
	case store.RefusedFull:
		return "all connections of the server, of the database or of the user are in use: raise max_connections or " +
			"the limit, or lower -db-connections of the nodes"
	case store.RefusedLogin:
		return "check the user and the password in -database-url, and pg_hba.conf of the server"
	case store.RefusedNoDatabase:
		return "create the database (createdb -O USER NAME), or correct its name in -database-url"
	case store.RefusedPrivilege:
		return "let the user of -database-url own the tables, like the user who created them; " +
			"docs/OPERATIONS.md explains it"
	default:
		return "check that PostgreSQL runs, that this machine reaches it, and the user and password in " +
			"-database-url; psql with the same URL says more"
	}
}

// server checks a PostgreSQL server and what the user may do there.
func (d *examiner) server(check string, s store.Server) {
	switch {
	case s.Standby:
		d.add(check, Wrong, "name the primary in -database-url, or all servers, separated by commas: the service "+
			"finds the primary itself", "the server is a standby and accepts no writes")
	case s.ReadOnly:
		d.add(check, Wrong, "set default_transaction_read_only to off for the server, the database and the user",
			"the server accepts no writes, because default_transaction_read_only is on")
	}
	if s.VersionNumber < oldestServer*10_000 {
		d.add(check, Warning, "upgrade the server",
			"the server is PostgreSQL %s; this program is tested with version %d and later", s.Version, oldestServer)
	}
	d.connections(check, s)
	if !s.Encrypted && !s.Local {
		d.add(check, Warning, "add sslmode=verify-full to -database-url",
			"the connection to the database is not encrypted")
	}
	d.durability(check, s)
	d.privileges(check, s)
}

// connections checks how many connections the server has left.
func (d *examiner) connections(check string, s store.Server) {
	usable, needed := s.MaxConnections-s.Reserved, int64(d.Store.Connections)+sideConnections
	switch {
	case usable < needed:
		d.add(check, Wrong, "raise max_connections of the server, or lower -db-connections",
			"the server allows %d connections, and one node opens up to %d", usable, needed)
	case s.Used*10 >= usable*9:
		d.add(check, Warning, "raise max_connections of the server, or see who uses the connections "+
			"(SELECT usename, count(*) FROM pg_stat_activity GROUP BY usename)",
			"%d of the %d connections of the server are in use", s.Used, usable)
	}
}

// durability checks that the server keeps what it has committed.
func (d *examiner) durability(check string, s store.Server) {
	if !s.Fsync {
		d.add(check, Wrong, "set fsync to on, and take a backup: data that was written while it was off may be damaged",
			"fsync is off, so the server may lose or damage everything if the machine stops")
	}
	if !s.FullPageWrites {
		d.add(check, Wrong, "set full_page_writes to on, unless the file system writes pages as a whole",
			"full_page_writes is off, so pages may be damaged if the machine stops")
	}
	switch {
	case s.SyncCommit == "off" || s.SyncCommit == "local":
		d.add(check, Wrong, "set synchronous_commit to on",
			"synchronous_commit is %s, so the server may lose changes that it has already confirmed", s.SyncCommit)
	case s.Standbys == "":
		d.add(check, Note, "docs/OPERATIONS.md, PostgreSQL with a standby, explains how",
			"there is no synchronous standby: if the disk of the server is lost, all changes since the last backup "+
				"are lost, too")
	}
}

// privileges checks what the user of the connection may do.
func (d *examiner) privileges(check string, s store.Server) {
	const owner = "let the user of -database-url own the database and its tables, without being a superuser"
	if s.BypassesRLS {
		d.add(check, Warning, owner,
			"row-level security does not apply to this user, so the database does not check the isolation of tenants "+
				"itself")
	}
	if !s.MayCreate && !s.Standby {
		d.add(check, Wrong, owner, "this user may not create tables, so the service cannot make or migrate its schema")
	}
	if len(s.Unusable) > 0 {
		d.add(check, Wrong, owner, "this user may not read and write %s", some(s.Unusable))
	}
}

// some returns at most three of the names, and says if there are more.
func some(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:shown], ", ") + " and other tables"
}

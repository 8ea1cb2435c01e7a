package store

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server describes a PostgreSQL server and the user who has connected.
type Server struct {
	Version        string
	VersionNumber  int64         // such as 150004 for 15.4
	Ahead          time.Duration // the least possible lead of its clock over that of this machine; see clockAhead
	MaxConnections int64
	Reserved       int64  // the connections that only administrators of the server may use
	Used           int64  // the connections in use, including this one
	Standbys       string // the setting synchronous_standby_names
	SyncCommit     string // the setting synchronous_commit
	Fsync          bool   // the setting fsync
	FullPageWrites bool   // the setting full_page_writes
	Standby        bool   // whether the server is a standby
	ReadOnly       bool   // the setting default_transaction_read_only
	Encrypted      bool   // whether the connection uses TLS
	Local          bool   // whether the server is on this machine

	BypassesRLS bool     // row-level security does not apply to the user
	MayCreate   bool     // whether the user may create tables
	Unusable    []string // tables of the schema that the user may not read and write, in alphabetical order
}

// ConnectRefusal says why PostgreSQL refused a connection, or the first statements on it.
type ConnectRefusal int

// The refusals that WhyRefused knows.
const (
	RefusedOther ConnectRefusal = iota
	RefusedFull
	RefusedLogin
	RefusedNoDatabase
	RefusedPrivilege
)

// WhyRefused returns why PostgreSQL refused a connection or a statement. err is an error of this package.
func WhyRefused(err error) ConnectRefusal {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return RefusedOther
	}
	switch {
	case refused.Code == "53300": // too_many_connections
		return RefusedFull
	case strings.HasPrefix(refused.Code, "28"): // invalid_authorization_specification
		return RefusedLogin
	case refused.Code == "3D000": // invalid_catalog_name
		return RefusedNoDatabase
	case refused.Code == "42501": // insufficient_privilege
		return RefusedPrivilege
	}
	return RefusedOther
}

// acceptAnyServer returns databaseURL with a setting that also permits servers that accept no writes.
func acceptAnyServer(databaseURL string) string {
	join := "?" // net/url cannot parse a URL with several hosts and ports, so the text is changed
	if strings.Contains(databaseURL, "?") {
		join = "&"
	}
	return databaseURL + join + "target_session_attrs=any"
}

const selectServer = `SELECT current_setting('server_version'), current_setting('server_version_num')::bigint,
	(extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
	current_setting('max_connections')::bigint, current_setting('superuser_reserved_connections')::bigint +
		coalesce(nullif(current_setting('reserved_connections', true), ''), '0')::bigint,
	(SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL
		AND coalesce(backend_type, 'client backend') = 'client backend'),
	current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
	current_setting('fsync')::boolean, current_setting('full_page_writes')::boolean, pg_is_in_recovery(),
	current_setting('default_transaction_read_only')::boolean,
	coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
	inet_server_addr() IS NULL OR inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1',
	(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
	coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)`

// selectUnusable lists the tables for which the user lacks a privilege that the service needs.
const selectUnusable = `SELECT c.relname FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
	AND c.relkind = 'r' AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
		AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
	ORDER BY c.relname LIMIT 100`

// readServer asks a PostgreSQL server about itself.
func (db *DB) readServer(ctx context.Context) (server Server, err error) {
	err = db.System().read(ctx, func(s *transaction) error {
		var micros int64
		before := time.Now()
		err := s.one([]any{
			&server.Version, &server.VersionNumber, &micros, &server.MaxConnections, &server.Reserved, &server.Used,
			&server.Standbys, &server.SyncCommit, &server.Fsync, &server.FullPageWrites, &server.Standby,
			&server.ReadOnly, &server.Encrypted, &server.Local, &server.BypassesRLS, &server.MayCreate,
		}, selectServer)
		if err != nil {
			return err
		}
		server.Ahead = clockAhead(time.UnixMicro(micros), before, time.Now())
		server.Unusable, err = s.firstColumn(selectUnusable)
		return err
	})
	return server, err
}

// clockAhead returns the least possible difference between another clock and this
// machine's clock. before and after are this machine's times before and after the
// other clock was read. The result is negative if the other clock is behind. It is 0
// if the other clock was within the two times, so a slow answer never looks like a
// wrong clock.
func clockAhead(other, before, after time.Time) time.Duration {
	switch {
	case other.After(after):
		return other.Sub(after)
	case other.Before(before):
		return other.Sub(before)
	default:
		return 0
	}
}

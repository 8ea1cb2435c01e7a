package tabledesk

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/cache"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/table"
)

// Options configure a Service. A zero field takes its default.
type Options struct {
	Caps store.TableCaps // the limits of an environment; default: DefaultCaps
}

// DefaultCaps returns the default limits of an environment.
func DefaultCaps() store.TableCaps {
	return store.TableCaps{Tables: 100, Rows: 5 * table.MaxRows, Bytes: 32 << 20}
}

// Service offers the operations on tables. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	options Options

	heads  *cache.Cache[headID, *head]
	tables *cache.Cache[versionID, *table.Table]
}

// headID names a table. versionID names one of its versions, and contains the definition, which is needed to
// decode the rows. A version never changes.
type (
	headID    struct{ tenant, environment, name string }
	versionID struct {
		headID
		id            string
		version       int64
		updatedMicros int64
		encoded       string // the definition
	}
)

// The bounds of the caches.
const (
	headsCached  = 10_000
	tablesCached = 10_000
	tableBytes   = 64 << 20
)

// New returns a Service over the database of core.
func New(core *operation.Core, o Options) *Service {
	defaults := DefaultCaps()
	if o.Caps.Tables == 0 {
		o.Caps.Tables = defaults.Tables
	}
	if o.Caps.Rows == 0 {
		o.Caps.Rows = defaults.Rows
	}
	if o.Caps.Bytes == 0 {
		o.Caps.Bytes = defaults.Bytes
	}
	s := &Service{core: core, options: o}
	s.heads = cache.New(headsCached, cache.RefreshAfter, core.Now, s.loadHead)
	s.tables = cache.New(tablesCached, 0, core.Now, s.loadTable)
	s.tables.Bound(tableBytes, (*table.Table).Size)
	return s
}

// head is one version of a table, without its rows.
type head struct {
	versionID
	definition table.Definition
}

func (s *Service) loadHead(ctx context.Context, id headID) (*head, error) {
	stored, err := s.core.DB.Scope(id.tenant, id.environment).Tables(ctx).Get(id.name)
	if err != nil {
		return nil, err
	}
	return headOf(id, &stored)
}

func headOf(id headID, stored *store.Table) (*head, error) {
	definition, err := table.ParseDefinition(stored.Name, stored.Definition)
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	return &head{versionID{id, stored.ID, stored.Version, stored.UpdatedMicros, stored.Definition}, definition}, nil
}

// loadTable reads and decodes the rows of a version. It returns NotFound if the version was replaced or deleted.
func (s *Service) loadTable(ctx context.Context, id versionID) (*table.Table, error) {
	stored, err := s.core.DB.Scope(id.tenant, id.environment).Tables(ctx).Document(id.id, id.version)
	if err != nil {
		return nil, err
	}
	scope := journal.Scope{Tenant: id.tenant, Environment: id.environment}
	rows, err := s.core.Keys.OpenTable(ctx, scope, id.id, id.updatedMicros, stored)
	var unreadable journal.Unreadable
	if errors.As(err, &unreadable) {
		return nil, operation.AsDefect(err)
	}
	if err != nil {
		return nil, err
	}
	definition, err := table.ParseDefinition(id.name, id.encoded)
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	found, err := table.Decode(definition, rows)
	if err != nil {
		return nil, fmt.Errorf("version %d of table %s: %w", id.version, id.id, operation.AsDefect(err))
	}
	return found, nil
}

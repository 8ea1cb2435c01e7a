package tabledesk

import (
	"context"
	"encoding/binary"
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/table"
	"verdict/internal/tenant"
)

// Table describes the latest version of a table.
type Table struct {
	Definition    table.Definition // with its name
	Version       int64
	Rows          int64
	CreatedMicros int64
	CreatedBy     string
	UpdatedMicros int64
	UpdatedBy     string
	UsedBy        []listdesk.User // set only by Table and Tables
}

func tableOf(stored *store.Table) (Table, error) {
	definition, err := table.ParseDefinition(stored.Name, stored.Definition)
	if err != nil {
		return Table{}, operation.AsDefect(err)
	}
	return Table{
		Definition:    definition,
		Version:       stored.Version,
		Rows:          stored.Rows,
		CreatedMicros: stored.CreatedMicros,
		CreatedBy:     stored.CreatedBy,
		UpdatedMicros: stored.UpdatedMicros,
		UpdatedBy:     stored.UpdatedBy,
	}, nil
}

// used returns a table with the rule sets that use it.
func used(tx *store.Tx, stored *store.Table) (Table, error) {
	found, err := tableOf(stored)
	if err != nil {
		return Table{}, err
	}
	users, err := tx.Tables().Users(stored.Name)
	found.UsedBy = listdesk.UsersOf(users)
	return found, err
}

// Tables returns the tables of the caller's environment, by name.
func (s *Service) Tables(ctx context.Context, p tenant.Principal) (tables []Table, err error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		tables = nil // the read may be repeated
		stored, err := tx.Tables().All()
		if err != nil {
			return err
		}
		for i := range stored {
			found, err := used(tx, &stored[i])
			if err != nil {
				return err
			}
			tables = append(tables, found)
		}
		return nil
	})
	return tables, err
}

// Table returns a table. It returns NotFound if there is none of this name.
func (s *Service) Table(ctx context.Context, p tenant.Principal, name string) (found Table, err error) {
	if err := p.Require(tenant.Read); err != nil {
		return Table{}, err
	}
	if !rule.IsTableName(name) {
		return Table{}, fault.Missing("table")
	}
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		stored, err := tx.Tables().Get(name)
		if err != nil {
			return err
		}
		found, err = used(tx, &stored)
		return err
	})
	return found, err
}

// RowPage is a page of the rows of a table.
type RowPage struct {
	operation.Page[table.Row]
	Table   string
	Version int64 // the version to which the page belongs
}

// Rows returns a page of the rows of a table, in the order of their keys. A cursor is valid for one version.
func (s *Service) Rows(
	ctx context.Context, p tenant.Principal, name string, l operation.List,
) (page RowPage, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return RowPage{}, err
	}
	from, err := s.latest(ctx, p, name)
	if err != nil {
		return RowPage{}, err
	}
	filters := []string{"table rows", name, strconv.FormatInt(from.number, 10)}
	text, err := l.After(p, filters)
	if err != nil {
		return RowPage{}, fault.New(fault.Malformed, fault.CodeInvalidCursor,
			"this cursor does not belong to the latest version of this table; begin again without a cursor")
	}
	first := 0
	if len(text) == 8 {
		first = int(min(binary.BigEndian.Uint64([]byte(text)), table.MaxRows)) // at most MaxRows
	} else if text != "" {
		return RowPage{}, operation.NotACursor()
	}
	page.Table, page.Version, page.Limit = name, from.number, l.Limit
	end := min(first+l.Limit, from.Table.Rows())
	for at := first; at < end; at++ {
		page.Data = append(page.Data, from.Row(at))
	}
	if end < from.Table.Rows() && end > first {
		page.NextCursor = l.CursorAfter(p, filters, string(binary.BigEndian.AppendUint64(nil, uint64(end))))
	}
	return page, nil
}

// latest returns the latest version of a table. It does not use the cache, because the table may have just been
// changed on another node.
func (s *Service) latest(ctx context.Context, p tenant.Principal, name string) (*version, error) {
	if !rule.IsTableName(name) {
		return nil, fault.Missing("table")
	}
	id := headID{p.TenantID, string(p.Environment), name}
	for tries := 1; ; tries++ {
		from, err := s.loadHead(ctx, id)
		if err != nil {
			return nil, err
		}
		found, err := s.tables.Get(ctx, from.versionID)
		if err == nil {
			return &version{found, from.versionID.version}, nil
		}
		if fault.KindOf(err) != fault.NotFound || tries == maxTries {
			return nil, err
		}
	}
}

// Found is the result of looking up an application in a table.
type Found struct {
	Table   string
	Version int64
	Columns []rule.TableColumn
	Match   bool         // a row matches
	Row     table.Row    // the row that matches
	Values  []rule.Value // the values of the row or of the default; nil if there is neither
}

// LookUpRow looks up the row that matches the given key values, as a decision made now would.
func (s *Service) LookUpRow(
	ctx context.Context, p tenant.Principal, name string, keys []rule.Value,
) (Found, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Found{}, err
	}
	from, err := s.latest(ctx, p, name)
	if err != nil {
		return Found{}, err
	}
	if err := checkKeys(from.Keys, keys); err != nil {
		return Found{}, err
	}
	out := Found{Table: name, Version: from.number, Columns: from.Columns}
	row, found := from.Find(keys)
	switch {
	case found:
		out.Match, out.Row = true, from.Row(row)
		out.Values = out.Row.Values
	case from.Default:
		out.Values = from.Defaults
	}
	return out, nil
}

// checkKeys refuses values whose number or types are not those of the keys.
func checkKeys(keys []rule.TableKey, values []rule.Value) error {
	var faults fault.List
	if len(values) != len(keys) {
		faults.Add("/keys", fault.CodeInvalidField, "has %d values, but the table has %d keys", len(values), len(keys))
		return faults.Err()
	}
	for i, k := range keys {
		switch {
		case values[i].Type() != k.Field.Type:
			faults.Add("/keys", fault.CodeWrongType, "value %d must have the type %s, as %s has", i+1,
				table.TypeName(k.Field.Type), k.Field.Name)
		case k.Field.Type == rule.StringType && len(values[i].Text()) > table.MaxText: // no row has such a key
			faults.Add("/keys", fault.CodeOutOfRange, "value %d must have at most %d bytes", i+1, table.MaxText)
		}
	}
	return faults.Err()
}

// Delete deletes a table. It fails unless expected is the present version or AnyVersion. It returns Conflict
// table_in_use if a rule set needs the table, see listdesk.User.
func (s *Service) Delete(ctx context.Context, p tenant.Principal, name string, expected int64) error {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	if !rule.IsTableName(name) {
		return fault.Missing("table")
	}
	now := s.core.Moment()
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		found, err := tx.Tables().Lock(name)
		if err != nil {
			return err
		}
		if err := operation.CheckVersion("table", found.Version, expected); err != nil {
			return err
		}
		if _, err := tx.Tables().Delete(name, operation.Actor(p), now.UnixMicro()); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionTableDeleted, name, ""))
	})
	s.heads.Forget(headID{p.TenantID, string(p.Environment), name})
	return err
}

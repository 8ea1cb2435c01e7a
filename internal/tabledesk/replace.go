package tabledesk

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/table"
	"verdict/internal/tenant"
)

// Changed is the latest version of a table after it was replaced.
type Changed struct {
	Table
	Created bool
}

// Replace replaces a table, or creates it. The parameter expected must be the present version or AnyVersion. If a
// row is invalid, or if two rows match the same application, nothing changes.
//
// If a rule set needs the table, the new version must keep the keys and the columns of the present version, and
// must have a default if the present version has one. Otherwise Replace returns Conflict table_in_use.
func (s *Service) Replace(
	ctx context.Context, p tenant.Principal, name string, u Upload, expected int64,
) (Changed, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Changed{}, err
	}
	if !rule.IsTableName(name) {
		return Changed{}, fault.New(fault.Invalid, fault.CodeInvalidField, "the name of a table is %s",
			rule.ListNameRule)
	}
	r := replacement{s: s, p: p, scope: s.core.Scope(p), now: s.core.Moment(), inherits: u.Definition == nil}
	if err := r.begin(ctx, name, expected); err != nil {
		return Changed{}, err
	}
	definition, err := u.definition(name, &r.before)
	if err != nil {
		return Changed{}, err
	}
	built, err := u.Build(ctx, definition)
	if err != nil {
		return Changed{}, err
	}
	stored, err := r.commit(ctx, built, expected == operation.AnyVersion)
	if err != nil {
		return Changed{}, err
	}
	out, err := tableOf(&stored)
	return Changed{Table: out, Created: r.before.Version == 0}, err
}

// replacement stores a new version of a table.
type replacement struct {
	s      *Service
	p      tenant.Principal
	scope  *store.Scope
	tree   *journal.Tree
	now    time.Time
	before store.Table // version 0 if the table does not exist yet
	// inherits says that the upload has no definition: its rows are read with the definition of the previous
	// version, which the new version keeps.
	inherits bool
}

// begin reads the present version, compares its number with expected, and reads the keys of the tenant.
func (r *replacement) begin(ctx context.Context, name string, expected int64) (err error) {
	if r.before, err = r.scope.Tables(ctx).Get(name); err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	if err := operation.CheckVersion("table", r.before.Version, expected); err != nil {
		return err
	}
	r.tree, err = r.s.core.Keys.Tree(ctx, r.p.TenantID)
	return err
}

// commit stores the table. If anyVersion is set, it replaces whichever version is the last one by then, unless the
// rows were read with a definition that has been replaced meanwhile.
func (r *replacement) commit(ctx context.Context, built *table.Table, anyVersion bool) (stored store.Table, err error) {
	rows, err := built.Encode()
	if err != nil {
		return store.Table{}, err
	}
	err = operation.RetryChange(func() (lost bool, err error) {
		next := r.next(built, int64(len(rows)))
		document := r.tree.SealTable(r.scope.Environment(), next.ID, next.UpdatedMicros, rows)
		err = r.scope.Write(ctx, func(tx *store.Tx) (err error) {
			stored, err = tx.Tables().Put(next, document, r.before.Version, r.s.options.Caps,
				func(before store.Table) error { return keeps(tx, &before, built) })
			if err != nil {
				return err
			}
			return tx.Audit().Add(r.audit(&stored))
		})
		if !anyVersion || !operation.IsLost(err) {
			return false, err
		}
		now, reading := r.scope.Tables(ctx).Get(next.Name)
		if reading != nil && fault.KindOf(reading) != fault.NotFound {
			return false, reading
		}
		if r.inherits && now.Definition != r.before.Definition {
			return false, err
		}
		r.before = now // zero if the table was deleted
		return true, err
	})
	r.s.heads.Forget(headID{r.scope.Tenant(), r.scope.Environment(), built.Name})
	return stored, err
}

// next returns the database row of the new version.
func (r *replacement) next(built *table.Table, bytes int64) store.Table {
	next := r.before
	next.UpdatedMicros, next.UpdatedBy = r.now.UnixMicro(), operation.Actor(r.p)
	if r.before.Version == 0 {
		next.Name, next.ID = built.Name, r.s.core.IDs.New(tenant.KindTable, r.now)
		next.CreatedMicros, next.CreatedBy = next.UpdatedMicros, next.UpdatedBy
	}
	next.Rows, next.Bytes, next.Definition = int64(built.Rows()), bytes, built.Definition.Document()
	return next
}

// keeps refuses a version that lacks something of the previous version if a rule set needs the table.
func keeps(tx *store.Tx, before *store.Table, built *table.Table) error {
	definition, err := table.ParseDefinition(before.Name, before.Definition)
	if err != nil {
		return operation.AsDefect(err)
	}
	lacks := definition.Keeps(&built.Definition)
	if lacks == "" {
		return nil
	}
	users, err := tx.Tables().Users(before.Name)
	if err != nil || len(users) == 0 {
		return err
	}
	return fault.New(fault.Conflict, fault.CodeTableInUse,
		"rule set %s, which is %s, reads this table, and the new version lacks something that the present one has: "+
			"%s; keep it, or give the new table another name", users[0].ID, users[0].Role(), lacks)
}

func (r *replacement) audit(to *store.Table) store.AuditEntry {
	action := operation.ActionTableChanged
	if r.before.Version == 0 {
		action = operation.ActionTableCreated
	}
	return r.s.core.Audit(r.p, r.now, action, to.Name, fmt.Sprintf("version %d: %d rows", to.Version, to.Rows))
}

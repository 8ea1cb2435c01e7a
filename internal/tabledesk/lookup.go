package tabledesk

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/table"
)

// maxTries limits how often a lookup begins again because the table was replaced meanwhile.
const maxTries = 5

// LookUp finds the row of an application in each table, and adds the columns of that row to the facts, with the
// version of the table. If no row matches, the columns have the values of the table's default, and without a
// default they are absent. A table is not read if the application lacks one of its key fields, or if the field
// has a value of another type.
//
// It returns Conflict table_missing if a table does not exist or lacks something that the policy reads.
func (s *Service) LookUp(
	ctx context.Context, scope operation.ScopeID, tables []rule.Table, facts *rule.Facts,
) error {
	for i := range tables {
		var buffer [table.MaxKeys]rule.Value
		keys, ok := table.Keys(&tables[i], facts, buffer[:0])
		if !ok {
			continue
		}
		from, err := s.version(ctx, headID{scope.Tenant, scope.Environment, tables[i].Name}, &tables[i])
		if err != nil {
			return err
		}
		from.Answer(&tables[i], keys, facts)
		facts.Set(rule.TableVersionFact(from.Name), rule.Num(rule.Int(from.number)))
	}
	return nil
}

// version is one version of a table with its rows.
type version struct {
	*table.Table
	number int64
}

// version returns the latest version of a table, which other nodes see at most cache.RefreshAfter after it was stored.
func (s *Service) version(ctx context.Context, id headID, read *rule.Table) (*version, error) {
	for tries := 1; ; tries++ {
		from, err := s.head(ctx, id, read)
		if err != nil {
			return nil, err
		}
		found, err := s.tables.Get(ctx, from.versionID)
		if err == nil {
			return &version{found, from.versionID.version}, nil
		}
		if fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
		if tries == maxTries {
			return nil, fault.New(fault.Unavailable, fault.CodeUnavailable,
				"the table %s is being replaced again and again; try again later", id.name)
		}
		s.heads.Forget(id) // the version was replaced
	}
}

// head returns the latest version of a table without its rows, if it has all that a policy reads.
func (s *Service) head(ctx context.Context, id headID, read *rule.Table) (*head, error) {
	found, err := s.heads.Get(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return nil, table.Missing(id.name, "it does not exist")
	}
	if err != nil {
		return nil, err
	}
	if lacks := found.definition.Serves(read); lacks != "" {
		return nil, table.Missing(id.name, lacks)
	}
	return found, nil
}

// Check returns Conflict table_missing if one of the tables does not exist or lacks something that the policy reads.
func (s *Service) Check(ctx context.Context, scope operation.ScopeID, tables []rule.Table) error {
	for i := range tables {
		id := headID{scope.Tenant, scope.Environment, tables[i].Name}
		if _, err := s.head(ctx, id, &tables[i]); err != nil {
			return err
		}
	}
	return nil
}

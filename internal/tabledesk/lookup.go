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

// LookUp finds the row of an application in each table, and adds the columns of that row to the facts, with the version
// of the table. If no row matches, the columns have the values of the table's default, and without a default they are
// absent. A table with a key that is absent, or has a value of another type than the key, is not read.
//
// It returns Conflict table_missing if a table does not exist or lacks something that the policy reads.
func (s *Service) LookUp(
	ctx context.Context, scope operation.ScopeID, tables []rule.Table, facts *rule.Facts,
) error {
	for i := range tables {
		var buffer [table.MaxKeys]rule.Value
		keys, ok := keysOf(&tables[i], facts, buffer[:0])
		if !ok {
			continue
		}
		from, err := s.version(ctx, headID{scope.Tenant, scope.Environment, tables[i].Name}, &tables[i])
		if err != nil {
			return err
		}
		from.answer(&tables[i], keys, facts)
	}
	return nil
}

// keysOf returns the values of the key fields. It returns false if a field is absent or has another type.
func keysOf(t *rule.Table, facts *rule.Facts, keys []rule.Value) ([]rule.Value, bool) {
	for _, key := range t.Keys {
		value := facts.Get(key.Field.Name)
		if value.Type() != key.Field.Type {
			return nil, false
		}
		keys = append(keys, value)
	}
	return keys, true
}

// version is one version of a table with its rows.
type version struct {
	*table.Table
	number int64
}

// answer adds the columns that a policy reads to the facts.
func (v *version) answer(read *rule.Table, keys []rule.Value, facts *rule.Facts) {
	row, found := v.Find(keys)
	for i := range v.Columns {
		c, wanted := read.Column(v.Columns[i].Name)
		switch {
		case !wanted:
		case found:
			facts.Set(c.Fact, v.Value(row, i))
		case v.Default:
			facts.Set(c.Fact, v.Defaults[i])
		default:
			facts.Set(c.Fact, rule.Value{})
		}
	}
	facts.Set(rule.TableVersionFact(v.Name), rule.Num(rule.Int(v.number)))
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

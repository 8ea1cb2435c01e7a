package listdesk

import (
	"context"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/rule"
)

// maxTries limits how often a lookup begins again because the list was replaced meanwhile.
const maxTries = 5

// LookUp looks up the fields of an application in lists, at a given time, and adds the answers to the facts: whether
// each list contains the value, and the version of the list. A field that is absent is not looked up. All answers of
// one list are of one version.
//
// It returns Conflict list_missing if a list does not exist or has another type than the field.
func (s *Service) LookUp(
	ctx context.Context, scope operation.ScopeID, questions []rule.NamedLookup, facts *rule.Facts, atMicros int64,
) error {
	for i := range questions {
		name := questions[i].List
		if slices.ContainsFunc(questions[:i], func(q rule.NamedLookup) bool { return q.List == name }) {
			continue // answered together with the first question to this list
		}
		if err := s.lookUpList(ctx, headID{scope.Tenant, scope.Environment, name}, questions[i:], facts,
			atMicros); err != nil {
			return err
		}
	}
	return nil
}

// Check returns Conflict list_missing if one of the lists does not exist or has another type than the field.
func (s *Service) Check(ctx context.Context, scope operation.ScopeID, questions []rule.NamedLookup) error {
	for _, q := range questions {
		found, err := s.head(ctx, headID{scope.Tenant, scope.Environment, q.List})
		if err != nil {
			return err
		}
		if found.keyer.Type.Of() != q.Field.Type {
			return missingList(q.List)
		}
	}
	return nil
}

// lookUpList answers the questions to one list.
func (s *Service) lookUpList(
	ctx context.Context, id headID, questions []rule.NamedLookup, facts *rule.Facts, atMicros int64,
) error {
	for tries := 1; ; tries++ {
		replaced, err := s.answer(ctx, id, questions, facts, atMicros)
		if err != nil || !replaced {
			return err
		}
		if tries == maxTries {
			return fault.New(fault.Unavailable, fault.CodeUnavailable,
				"the list %s is being replaced again and again; try again later", id.name)
		}
		s.heads.Forget(id)
	}
}

// answer answers the questions to one list from one version of it. replaced is true if that version no longer exists;
// the answers so far are then replaced by the next call.
func (s *Service) answer(
	ctx context.Context, id headID, questions []rule.NamedLookup, facts *rule.Facts, atMicros int64,
) (replaced bool, err error) {
	var from *head
	var version string // the name of the fact
	for i := range questions {
		q := &questions[i]
		value := rule.Value{}
		if q.List == id.name {
			value, version = facts.Get(q.Field.Name), q.Version
		}
		if value.Type() == rule.Absent {
			continue
		}
		if from == nil {
			if from, err = s.head(ctx, id); err != nil {
				return false, err
			}
		}
		if value.Type() != from.keyer.Type.Of() {
			if value.Type() == q.Field.Type {
				return false, missingList(id.name)
			}
			continue // a value of the wrong type has no answer, as in any other predicate
		}
		key := from.keyer.Of(value)
		chunk, err := s.chunk(ctx, id, from, key)
		if fault.KindOf(err) == fault.NotFound {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		facts.Set(q.Fact, rule.Bool(chunk.Contains(key, atMicros)))
	}
	if from != nil {
		facts.Set(version, rule.Num(rule.Int(from.version)))
	}
	return false, nil
}

// head returns the latest version of a list. If another node has stored a new version, head may return the old
// one for at most cache.RefreshAfter.
func (s *Service) head(ctx context.Context, id headID) (*head, error) {
	found, err := s.heads.Get(ctx, id)
	if fault.KindOf(err) == fault.NotFound {
		return nil, missingList(id.name)
	}
	return found, err
}

// chunk returns the chunk to which a key belongs. It returns NotFound if the version was replaced and the chunk was
// deleted.
func (s *Service) chunk(ctx context.Context, id headID, of *head, key list.Key) (list.Chunk, error) {
	at := of.directory.Chunk(of.directory.Index(key))
	if at == 0 {
		return list.Chunk{}, nil
	}
	return s.chunks.Get(ctx, chunkID{id.tenant, id.environment, of.id, at})
}

func missingList(name string) error {
	return fault.New(fault.Conflict, fault.CodeListMissing,
		"the policy names the list %s, which does not exist, or has values of another type; "+
			"create it with PUT /v1/lists/{name}", name)
}

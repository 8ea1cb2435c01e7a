package listdesk

import (
	"context"
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// List describes the latest version of a list.
type List struct {
	Name          string
	Type          list.Type
	Version       int64
	Entries       int64
	CreatedMicros int64
	CreatedBy     string
	UpdatedMicros int64
	UpdatedBy     string
	UsedBy        []User // set only by List and Lists
}

// User is a rule set that keeps a list from being deleted: it names the list, and is active or the one that a rollback
// would activate.
type User struct {
	RuleSetID, PolicyKey, Name, Status string
	Version                            int64
}

func listOf(l store.List) List {
	return List{
		Name:          l.Name,
		Type:          list.Type(l.Type),
		Version:       l.Version,
		Entries:       l.Entries,
		CreatedMicros: l.CreatedMicros,
		CreatedBy:     l.CreatedBy,
		UpdatedMicros: l.UpdatedMicros,
		UpdatedBy:     l.UpdatedBy,
	}
}

// UsersOf returns the users of a list or a table.
func UsersOf(stored []store.ListUser) []User {
	users := make([]User, len(stored))
	for i, u := range stored {
		users[i] = User{RuleSetID: u.ID, PolicyKey: u.PolicyKey, Name: u.Name, Status: u.Status, Version: u.Version}
	}
	return users
}

// Lists returns the lists of the caller's environment, by name.
func (s *Service) Lists(ctx context.Context, p tenant.Principal) ([]List, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	var lists []List
	err := s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		stored, err := tx.Lists().All()
		if err != nil {
			return err
		}
		lists = make([]List, len(stored))
		for i, l := range stored {
			users, err := tx.Lists().Users(l.Name)
			if err != nil {
				return err
			}
			lists[i] = listOf(l)
			lists[i].UsedBy = UsersOf(users)
		}
		return nil
	})
	return lists, err
}

// List returns a list. It returns NotFound if there is none of this name.
func (s *Service) List(ctx context.Context, p tenant.Principal, name string) (found List, err error) {
	if err := p.Require(tenant.Read); err != nil {
		return List{}, err
	}
	if !rule.IsListName(name) {
		return List{}, fault.Missing("list")
	}
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		stored, err := tx.Lists().Get(name)
		if err != nil {
			return err
		}
		users, err := tx.Lists().Users(name)
		found = listOf(stored)
		found.UsedBy = UsersOf(users)
		return err
	})
	return found, err
}

// Membership says whether a list contains a value.
type Membership struct {
	List          string
	Version       int64
	Contains      bool
	ExpiresMicros int64 // when the entry expires or has expired; 0 if it never expires or does not exist
}

// Contains looks a value up in a list, as a decision made now would.
func (s *Service) Contains(ctx context.Context, p tenant.Principal, name, value string) (Membership, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Membership{}, err
	}
	if !rule.IsListName(name) {
		return Membership{}, fault.Missing("list")
	}
	id := headID{p.TenantID, string(p.Environment), name}
	for tries := 1; ; tries++ {
		from, err := s.loadHead(ctx, id) // not from the cache: the list may have just been changed on another node
		if err != nil {
			return Membership{}, err
		}
		key, err := keyOf(from, value)
		if err != nil {
			return Membership{}, err
		}
		chunk, err := s.chunk(ctx, id, from, key)
		if fault.KindOf(err) == fault.NotFound {
			if tries < maxTries {
				continue
			}
			err = s.unreadable(ctx, fmt.Errorf("list %s: a part is missing", from.id))
		}
		if err != nil {
			return Membership{}, err
		}
		out := Membership{List: name, Version: from.version}
		if at, found := chunk.Search(key); found {
			out.ExpiresMicros = chunk.ExpiresMicros(at)
			out.Contains = list.Lasts(out.ExpiresMicros, s.core.Moment().UnixMicro())
		}
		return out, nil
	}
}

// keyOf returns the key of a value that a person has typed. value is the value itself and not its hash, even for
// a hashed list.
func keyOf(of *head, value string) (list.Key, error) {
	refuse := func(code, detail string) (list.Key, error) {
		return list.Key{}, operation.Invalid("/value", code, detail)
	}
	switch {
	case value == "":
		return refuse(fault.CodeRequired, "must be the value to look up")
	case len(value) > list.MaxValue:
		return refuse(fault.CodeOutOfRange, "must have at most 256 bytes")
	case of.keyer.Type != list.Number:
		return of.keyer.Of(rule.Str(value)), nil
	}
	n, code, detail := list.ParseNumber(value)
	if code != "" {
		return refuse(code, detail+"; the list has numbers")
	}
	return of.keyer.Of(rule.Num(n)), nil
}

// Delete deletes a list. It fails unless expected is the present version or AnyVersion. It returns Conflict list_in_use
// if a rule set needs the list, see User.
func (s *Service) Delete(ctx context.Context, p tenant.Principal, name string, expected int64) error {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	if !rule.IsListName(name) {
		return fault.Missing("list")
	}
	now := s.core.Moment()
	var deleted store.List
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) (err error) {
		found, err := tx.Lists().Lock(name)
		if err != nil {
			return err
		}
		if err := operation.CheckVersion("list", found.Version, expected); err != nil {
			return err
		}
		if deleted, err = tx.Lists().Delete(name, operation.Actor(p), now.UnixMicro()); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionListDeleted, name, ""))
	})
	s.heads.Forget(headID{p.TenantID, string(p.Environment), name})
	if err == nil {
		s.discard(ctx, s.core.Scope(p), deleted.ID, chunksOf(deleted.Directory))
	}
	return err
}

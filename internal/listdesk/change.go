package listdesk

import (
	"context"
	"fmt"
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Changed is the latest version of a list, with counts of what the change did.
type Changed struct {
	List
	Created  bool
	Received int // entries that were sent
	Repeated int // entries whose values were sent before in the same request
	Expired  int // entries that had expired when they were sent
	Added    int // values that are new; set only by Change
	Removed  int // values that were removed; set only by Change
	Missing  int // values that were to be removed and were not there; set only by Change
}

// Replace replaces all entries of a list, or creates the list. The parameter expected must be the present version
// or AnyVersion. If an entry is invalid, nothing changes.
func (s *Service) Replace(
	ctx context.Context, p tenant.Principal, name string, u Upload, expected int64,
) (Changed, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Changed{}, err
	}
	if !rule.IsListName(name) {
		return Changed{}, fault.New(fault.Invalid, fault.CodeInvalidField,
			"the name of a list is %s", rule.ListNameRule)
	}
	w, err := s.writer(ctx, p, name, u.Type, expected, true)
	if err != nil {
		return Changed{}, err
	}
	entries, err := u.Read(ctx, &w.keyer)
	if err != nil {
		return Changed{}, err
	}
	out := Changed{Received: len(entries), Expired: expiredAt(entries, w.now.UnixMicro())}
	err = operation.RetryChange(func() (lost bool, err error) {
		out.Created = w.before.Version == 0
		if out.Repeated, err = w.rewrite(ctx, entries); err != nil {
			w.abandon(ctx)
			return false, err
		}
		stored, err := w.commit(ctx, expected == operation.AnyVersion)
		if out.List = listOf(stored); !operation.IsLost(err) || expected != operation.AnyVersion {
			return false, err
		}
		// Somebody deleted or created the list meanwhile. The keys of the entries depend on the id of the list.
		again, failed := s.writer(ctx, p, name, u.Type, expected, true)
		if failed != nil {
			return false, failed
		}
		w = again
		if failed := rekey(&w.keyer, entries); failed != nil {
			return false, failed
		}
		return true, err
	})
	return out, err
}

// rekey computes the keys of entries for another list.
func rekey(keyer *list.Keyer, entries []list.Entry) error {
	for i, e := range entries {
		again, code, detail := keyer.NewEntry(e.Value, e.ExpiresMicros)
		if code != "" {
			return operation.Invalid("/entries/"+strconv.Itoa(i)+"/value", code, detail)
		}
		entries[i] = again
	}
	return nil
}

// expiredAt counts the entries that have expired at a time.
func expiredAt(entries []list.Entry, micros int64) (n int) {
	for i := range entries {
		if !list.Lasts(entries[i].ExpiresMicros, micros) {
			n++
		}
	}
	return n
}

// Patch is a change of some entries of a list.
type Patch struct {
	Add    []NewEntry // an entry replaces the entry of the same value, if the list has one
	Remove []NewEntry // the values, in a hashed list their hashes; expiries are ignored
}

// MaxPatch is the maximum number of values in a Patch.
const MaxPatch = 10_000

// Change adds and removes entries. The parameter expected must be the present version or AnyVersion. If a value is
// invalid, nothing changes.
func (s *Service) Change(
	ctx context.Context, p tenant.Principal, name string, change Patch, expected int64,
) (out Changed, err error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Changed{}, err
	}
	if !rule.IsListName(name) {
		return Changed{}, fault.Missing("list")
	}
	err = operation.RetryChange(func() (lost bool, err error) {
		out, err = s.change(ctx, p, name, change, expected)
		return operation.IsLost(err) && expected == operation.AnyVersion, err
	})
	return out, err
}

func (s *Service) change(
	ctx context.Context, p tenant.Principal, name string, change Patch, expected int64,
) (Changed, error) {
	w, err := s.writer(ctx, p, name, "", expected, false)
	if err != nil {
		return Changed{}, err
	}
	add, remove, err := change.read(&w.keyer)
	if err != nil {
		return Changed{}, err
	}
	out := Changed{Received: len(change.Add), Expired: expiredAt(add, w.now.UnixMicro())}
	out.Repeated = len(change.Add) - len(add)
	if err := w.merge(ctx, add, remove); err != nil {
		w.abandon(ctx)
		return Changed{}, err
	}
	out.Added, out.Removed, out.Missing = w.added, w.removed, len(remove)-w.removed
	stored, err := w.commit(ctx, false)
	out.List = listOf(stored)
	return out, err
}

// read returns the sorted entries and keys of a change, or all its faults.
func (c Patch) read(keyer *list.Keyer) (add []list.Entry, remove []list.Key, err error) {
	var faults fault.List
	switch n := len(c.Add) + len(c.Remove); {
	case n == 0:
		faults.Add("", fault.CodeRequired, "needs \"add\", \"remove\" or both")
	case n > MaxPatch:
		faults.Add("", fault.CodeTooMany, "may add and remove at most %d values; replace the list with PUT instead",
			MaxPatch)
	}
	if err := faults.Err(); err != nil {
		return nil, nil, err
	}
	added := map[list.Key]bool{}
	for i, e := range c.Add {
		entry, code, detail := e.entry(keyer)
		if code != "" {
			faults.Add(fmt.Sprintf("/add/%d/value", i), code, "%s", detail)
			continue
		}
		add, added[entry.Key] = append(add, entry), true
	}
	for i, e := range c.Remove {
		entry, code, detail := e.entry(keyer)
		switch {
		case code != "":
			faults.Add(fmt.Sprintf("/remove/%d", i), code, "%s", detail)
		case added[entry.Key]:
			faults.Add(fmt.Sprintf("/remove/%d", i), fault.CodeConflictingInputs, "is also in \"add\"")
		}
		remove = append(remove, entry.Key)
	}
	add, _ = list.Sort(add)
	return add, sortedKeys(remove), faults.Err()
}

// audit returns the audit entry of a change.
func (w *writer) audit(to *store.List) store.AuditEntry {
	action := operation.ActionListChanged
	if w.before.Version == 0 {
		action = operation.ActionListCreated
	}
	return w.s.core.Audit(w.p, w.now, action, to.Name, fmt.Sprintf("version %d: %d entries", to.Version, to.Entries))
}

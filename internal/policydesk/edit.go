package policydesk

import (
	"context"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Edits keeps the working copies of people who edit policies. A working copy belongs to one person, in one environment,
// and to one version, and nobody else can read it. It is a history of steps. Going back to a step deletes nothing, so
// no change of a person is lost.
//
// Each operation requires a person with the scope policy:write (Forbidden). Besides the errors listed here, any
// operation may fail with a storage error.
//
//	Step      returns a step with its neighbours in the history; a step that does not exist has the number 0
//	Current   returns the step that the caller saw last
//	Add       stores a step: cap_reached
//	Move      goes to a step
//	Discard   deletes a working copy
//	Others    returns who else edits a policy
//	Mine      returns the caller's working copies
//	Purge     is background work: it deletes working copies that nobody has changed for EditDays days
type Edits struct{ core *operation.Core }

// NewEdits returns the service.
func NewEdits(core *operation.Core) *Edits { return &Edits{core} }

// The limits of working copies. If a limit is exceeded, the oldest steps or working copies are deleted.
const (
	EditDays     = 14      // days after the last change until a working copy is deleted
	MaxEdits     = 20      // working copies of a person in an environment
	MaxEditSteps = 200     // steps of a working copy
	maxEditBytes = 4 << 20 // bytes of all steps of a working copy
	maxEditAct   = 200     // bytes of the name of an act; the rest is cut off
)

// editedLately is how recent the last change of another person must be to be reported by Others.
const editedLately = 24 * time.Hour

// maxOthers is the number of people that Others returns.
const maxOthers = 5

// Edit describes a working copy.
type Edit struct {
	UserID        string
	RuleSetID     string
	Current       int64 // the step that the person saw last
	BeganMicros   int64
	ChangedMicros int64
}

// EditStep is one step of a working copy.
type EditStep struct {
	Edit   Edit   // the working copy; zero if there is none
	Number int64  // 0 if there is no such step
	Parent int64  // the step that it was made from; 0 for the stored version
	Left   int64  // the step that was current when this step was made; 0 if that was Parent
	Act    string // what the person did
	State  []byte
	Undo   int64 // the step to which an undo leads; -1 if there is none, 0 for the stored version
	Redo   int64 // the step to which a redo leads; -1 if there is none
}

// NewEditStep is a step to be stored.
type NewEditStep struct {
	RuleSetID string
	PolicyKey string
	Parent    int64 // the step that it was made from; 0 for the stored version
	Changes   bool  // whether the document differs from that of Parent
	Act       string
	State     []byte
	Amend     bool // replace Parent if it has the same Act and is the last step
}

// Step returns a step of the caller's working copy of a version. Number 0 is the stored version.
func (s *Edits) Step(ctx context.Context, p tenant.Principal, ruleSetID string, number int64) (EditStep, error) {
	if err := mayEdit(p); err != nil {
		return EditStep{}, err
	}
	return s.step(s.core.Scope(p).PolicyEdits(ctx), p.UserID, ruleSetID, number)
}

// Current returns the step that the caller saw last.
func (s *Edits) Current(ctx context.Context, p tenant.Principal, ruleSetID string) (EditStep, error) {
	if err := mayEdit(p); err != nil {
		return EditStep{}, err
	}
	edits := s.core.Scope(p).PolicyEdits(ctx)
	e, err := edits.Get(p.UserID, ruleSetID)
	if err != nil {
		return EditStep{}, err
	}
	return s.step(edits, p.UserID, ruleSetID, e.Current)
}

func (s *Edits) step(edits store.PolicyEditReader, userID, ruleSetID string, number int64) (EditStep, error) {
	e, err := edits.Get(userID, ruleSetID)
	if err != nil {
		return EditStep{}, err
	}
	found, err := edits.Step(userID, ruleSetID, number)
	if err != nil {
		return EditStep{}, err
	}
	all, err := edits.Steps(userID, ruleSetID)
	step := EditStep{
		Edit:   editOf(e),
		Number: found.Number,
		Parent: found.Parent,
		Left:   found.Left,
		Act:    found.Act,
		State:  found.State,
		Undo:   undoOf(all, found.Number),
		Redo:   redoOf(all, found.Number),
	}
	return step, err
}

func editOf(e store.PolicyEdit) Edit {
	return Edit{
		UserID:        e.UserID,
		RuleSetID:     e.RuleSetID,
		Current:       e.Current,
		BeganMicros:   e.BeganMicros,
		ChangedMicros: e.ChangedMicros,
	}
}

// undoOf returns the step that becomes current if the last change is undone while the given step is current, or
// -1 if nothing can be undone. Steps that changed nothing, such as opening a line, are skipped.
func undoOf(all []store.PolicyEditStep, number int64) int64 {
	for i := len(all) - 1; i >= 0; i-- { // backwards, because a parent has a lower number
		if all[i].Number != number {
			continue
		}
		if number = all[i].Parent; all[i].Changes == 0 {
			continue
		}
		if number == 0 || has(all[:i], number) {
			return number
		}
		return -1 // the step was too old and has been deleted
	}
	return -1
}

// redoOf returns the step that becomes current if the next change is repeated while the given step is current, or
// -1 if there is no next change. If several steps were made from the same step, the latest counts.
func redoOf(all []store.PolicyEditStep, number int64) int64 {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Parent != number || all[i].Number == number {
			continue
		}
		if all[i].Changes == 1 {
			return all[i].Number
		}
		if later := redoOf(all[i+1:], all[i].Number); later > 0 {
			return later
		}
	}
	return -1
}

func has(all []store.PolicyEditStep, number int64) bool {
	for i := range all {
		if all[i].Number == number {
			return true
		}
	}
	return false
}

// Add stores a step, makes it the current step of the caller's working copy, and returns its number.
func (s *Edits) Add(ctx context.Context, p tenant.Principal, n NewEditStep) (number int64, err error) {
	if err := mayEdit(p); err != nil {
		return 0, err
	}
	// Limit the length of the act: the browser chooses the act, and neither the limit of Trim nor the stored
	// bytes of the tenant include it.
	n.Act = strings.ToValidUTF8(n.Act[:min(len(n.Act), maxEditAct)], "")
	now := s.core.Moment().UnixMicro()
	err = s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		edits := tx.PolicyEdits()
		e, err := edits.Get(p.UserID, n.RuleSetID)
		if err != nil {
			return err
		}
		step := store.PolicyEditStep{Parent: n.Parent, Act: n.Act, State: n.State}
		if n.Changes {
			step.Changes = 1
		}
		if e.Current != n.Parent {
			step.Left = e.Current
		}
		if n.Amend && n.Parent > 0 && n.Parent == e.Last && n.Parent == e.Current {
			parent, err := edits.Step(p.UserID, n.RuleSetID, n.Parent)
			if err != nil {
				return err
			}
			if parent.Act == n.Act {
				number, parent.State = n.Parent, n.State
				parent.Changes = max(parent.Changes, step.Changes)
				if err := edits.Amend(p.UserID, n.RuleSetID, parent, now); err != nil {
					return err
				}
				return operation.CheckStored(tx, p.Plan)
			}
		}
		if e.Last == 0 {
			if err := s.makeRoom(edits, p.UserID); err != nil {
				return err
			}
		}
		if number, err = edits.Add(store.PolicyEdit{
			UserID:        p.UserID,
			RuleSetID:     n.RuleSetID,
			PolicyKey:     n.PolicyKey,
			BeganMicros:   now,
			ChangedMicros: now,
		}, step); err != nil {
			return err
		}
		if err := edits.Trim(p.UserID, n.RuleSetID, MaxEditSteps, maxEditBytes); err != nil {
			return err
		}
		return operation.CheckStored(tx, p.Plan)
	})
	return number, err
}

// makeRoom deletes the oldest working copies of a person, so that there is room for one more.
func (s *Edits) makeRoom(edits store.PolicyEdits, userID string) error {
	all, err := edits.Of(userID, 2*MaxEdits)
	for i := MaxEdits - 1; err == nil && i < len(all); i++ {
		err = edits.Delete(userID, all[i].RuleSetID)
	}
	return err
}

// Move makes a step the current one. Number 0 is the stored version.
func (s *Edits) Move(ctx context.Context, p tenant.Principal, ruleSetID string, number int64) error {
	if err := mayEdit(p); err != nil {
		return err
	}
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		return tx.PolicyEdits().Move(p.UserID, ruleSetID, number, s.core.Moment().UnixMicro())
	})
}

// Discard deletes the caller's working copy of a version.
func (s *Edits) Discard(ctx context.Context, p tenant.Principal, ruleSetID string) error {
	if err := mayEdit(p); err != nil {
		return err
	}
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		return tx.PolicyEdits().Delete(p.UserID, ruleSetID)
	})
}

// Others returns the working copies of other people who have edited a version of the same policy lately, the latest
// change first. It returns who they are and when they changed something, but not what they changed.
func (s *Edits) Others(ctx context.Context, p tenant.Principal, policyKey string) ([]Edit, error) {
	if err := mayEdit(p); err != nil {
		return nil, err
	}
	after := s.core.Now().Add(-editedLately).UnixMicro()
	found, err := s.core.Scope(p).PolicyEdits(ctx).Others(p.UserID, policyKey, after, maxOthers)
	return editsOf(found), err
}

// Mine returns the caller's working copies, the latest change first.
func (s *Edits) Mine(ctx context.Context, p tenant.Principal) ([]Edit, error) {
	if err := mayEdit(p); err != nil {
		return nil, err
	}
	found, err := s.core.Scope(p).PolicyEdits(ctx).Of(p.UserID, MaxEdits)
	return editsOf(found), err
}

func editsOf(found []store.PolicyEdit) []Edit {
	list := make([]Edit, len(found))
	for i := range found {
		list[i] = editOf(found[i])
	}
	return list
}

// Purge deletes, for all tenants, the working copies that nobody has changed for EditDays days.
func (s *Edits) Purge(ctx context.Context) {
	before := s.core.Now().AddDate(0, 0, -EditDays).UnixMicro()
	s.core.PurgeAll(ctx, "working copies of policies", func(limit int) (int64, error) {
		return s.core.DB.System().PurgePolicyEdits(ctx, before, limit)
	})
}

// mayEdit refuses callers who may not edit policies. An API key has no working copy, because it is not a person.
func mayEdit(p tenant.Principal) error {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	if p.UserID == "" {
		return fault.New(fault.Forbidden, fault.CodeInsufficientScope,
			"only a person who is signed in has working copies")
	}
	return nil
}

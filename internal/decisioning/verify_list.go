package decisioning

import (
	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/listdesk"
	"verdict/internal/store"
)

// listEntries holds the entries of scorecards, of lists, of tables and of the block list.
type listEntries struct {
	lists  map[string]*entry // the last change of each list, by its id
	tables map[string]*entry // the last change of each table, by its id
	cards  map[string]*entry // by the id of the scorecard
	blocks map[string]*entry // the last change of each entry of the block list, by its id
}

func (v *recordVerifier) collectList(e *entry) {
	if e.leaf.Kind == evidence.Scorecard {
		if before := v.cards[e.leaf.ID]; before == nil || before.number > e.number {
			v.cards[e.leaf.ID] = e
		}
		return
	}
	v.compareEvent(e)
	last := v.blocks
	switch e.leaf.Kind {
	case evidence.List:
		last = v.lists
	case evidence.Table:
		last = v.tables
	default:
	}
	if before := last[e.leaf.ID]; before == nil || before.number < e.number {
		last[e.leaf.ID] = e
	}
}

// checkLists compares the stored lists with the last change of each.
func (v *recordVerifier) checkLists(tx *store.Tx) error {
	rows, err := tx.Lists().AllLogged()
	if err != nil {
		return err
	}
	stored := map[string]bool{}
	for i := range rows {
		l := &rows[i]
		switch e := v.lists[l.ID]; {
		case e == nil:
			v.wrong(l.ID, "it has no entry in the journal")
		case stored[l.ID]:
			v.wrong(l.ID, "two lists have this id")
		case e.is(store.EventListDeleted):
			v.wrong(l.ID, "it was deleted by entry %d of the journal, but is still stored", e.number)
		case v.linked(e, l.Leaf) && l.Commitment() != e.leaf.Commitment:
			v.wrong(l.ID, "the stored list differs from entry %d of the journal", e.number)
		default:
			damage, err := listdesk.Damage(tx, &l.List)
			if err != nil {
				return err
			}
			if damage != "" {
				v.wrong(l.ID, "%s", damage)
			}
		}
		stored[l.ID] = true
	}
	for id, e := range v.lists {
		if !stored[id] && !e.is(store.EventListDeleted) {
			v.wrong(id, "the list of entry %d of the journal is missing", e.number)
		}
	}
	return nil
}

// checkTables compares the stored tables with the last change of each.
func (v *recordVerifier) checkTables(tx *store.Tx) error {
	rows, err := tx.Tables().AllLogged()
	if err != nil {
		return err
	}
	stored := map[string]bool{}
	for i := range rows {
		t := &rows[i]
		document, err := tx.Tables().Document(t.ID, t.Version)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return err
		}
		switch e := v.tables[t.ID]; {
		case e == nil:
			v.wrong(t.ID, "it has no entry in the journal")
		case stored[t.ID]:
			v.wrong(t.ID, "two tables have this id")
		case e.is(store.EventTableDeleted):
			v.wrong(t.ID, "it was deleted by entry %d of the journal, but is still stored", e.number)
		case v.linked(e, t.Leaf) && t.Commitment(document) != e.leaf.Commitment:
			v.wrong(t.ID, "the stored table differs from entry %d of the journal", e.number)
		}
		stored[t.ID] = true
	}
	for id, e := range v.tables {
		if !stored[id] && !e.is(store.EventTableDeleted) {
			v.wrong(id, "the table of entry %d of the journal is missing", e.number)
		}
	}
	return nil
}

// checkScorecards compares the stored scorecards, which are never changed or deleted, with
// their entries.
func (v *recordVerifier) checkScorecards(tx *store.Tx) error {
	stored := map[string]bool{}
	err := tx.Scorecards().WalkLogged(func(c *store.LoggedScorecard) error {
		stored[c.ID] = true
		switch e := v.cards[c.ID]; {
		case e == nil && c.Leaf < 0 && v.olderLists(c.CreatedMicros):
			v.noEntry++
		case e == nil:
			v.wrong(c.ID, "it has no entry in the journal")
		case v.linked(e, c.Leaf):
			v.compare(e, c.Record(), "the stored document or name")
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, e := range v.cards {
		if !stored[id] {
			v.wrong(id, "the scorecard of entry %d of the journal is missing", e.number)
		}
	}
	return nil
}

// checkBlocklist compares the stored block list with the last change of each entry.
func (v *recordVerifier) checkBlocklist(tx *store.Tx) error {
	stored := map[string]bool{}
	err := tx.Blocklist().WalkLogged(func(b *store.LoggedBlock) error {
		name := b.ID
		if name == "" {
			name = b.Entity.Kind + " " + b.Entity.Key // as in the audit trail
		}
		switch e := v.blocks[b.ID]; {
		case e == nil && b.Leaf < 0 && v.olderLists(b.BlockedMicros):
			v.noEntry++
		case e == nil:
			v.wrong(name, "it is on the block list and has no entry in the journal")
		case stored[b.ID]:
			v.wrong(name, "two entries of the block list have this id")
		case e.is(store.EventBlockRemoved):
			v.wrong(name, "it was removed from the block list by entry %d of the journal, but is still stored",
				e.number)
		case v.linked(e, b.Leaf) && b.Commitment() != e.leaf.Commitment:
			v.wrong(name, "the stored entry of the block list differs from entry %d of the journal", e.number)
		}
		stored[b.ID] = true
		return nil
	})
	if err != nil {
		return err
	}
	for id, e := range v.blocks {
		if !stored[id] && !e.is(store.EventBlockRemoved) {
			v.wrong(id, "the block list entry that entry %d of the journal names is missing", e.number)
		}
	}
	return nil
}

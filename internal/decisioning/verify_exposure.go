package decisioning

import (
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// exposureEntry is the journal entry of the last change of an exposure. It has only a few fields of the entry,
// because a lender may have millions of loans.
type exposureEntry struct {
	number     int64
	commitment sealing.Hash
	deleted    bool
}

func (v *recordVerifier) collectExposure(e *entry) {
	v.compareEvent(e)
	if before, found := v.exposures[e.leaf.ID]; !found || before.number < e.number {
		v.exposures[e.leaf.ID] = exposureEntry{e.number, e.leaf.Commitment, e.is(store.EventExposureDeleted)}
	}
}

// checkExposures compares the stored exposures with the last change of each.
func (v *recordVerifier) checkExposures(tx *store.Tx) error {
	stored := make(map[string]struct{}, len(v.exposures))
	err := tx.Exposures().WalkLogged(func(x *store.LoggedExposure) error {
		stored[x.ID] = struct{}{}
		switch e, found := v.exposures[x.ID]; {
		case !found && x.Leaf < 0 && v.olderExposures(x.CreatedMicros):
			v.noEntry++
		case !found:
			v.wrong(x.ID, "it has no entry in the journal")
		case e.deleted:
			v.wrong(x.ID, "it was deleted by entry %d of the journal, but is still stored", e.number)
		case x.Leaf != e.number:
			v.wrong(x.ID, "its last change is entry %d of the journal, but its row names entry %d", e.number, x.Leaf)
		case x.Commitment() != e.commitment:
			v.wrong(x.ID, "the stored exposure differs from entry %d of the journal", e.number)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, e := range v.exposures {
		if _, found := stored[id]; !found && !e.deleted {
			v.wrong(id, "the exposure of entry %d of the journal is missing", e.number)
		}
	}
	return nil
}

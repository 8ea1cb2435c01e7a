package decisioning

import (
	"verdict/internal/evidence"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// keyEntries holds the entries of API keys and of legal holds, by their ids.
type keyEntries struct {
	created, revoked map[string]*entry
	placed, released map[string]*entry
}

func newKeyEntries() keyEntries {
	return keyEntries{
		created: map[string]*entry{}, revoked: map[string]*entry{},
		placed: map[string]*entry{}, released: map[string]*entry{},
	}
}

func (v *recordVerifier) collectKey(e *entry) {
	v.compareEvent(e)
	switch kind, _, _ := evidence.ParseEvent(e.event); kind {
	case store.EventKeyCreated:
		v.keys.created[e.leaf.ID] = e
	case store.EventKeyRevoked:
		v.keys.revoked[e.leaf.ID] = e
	case store.EventHoldPlaced:
		v.keys.placed[e.leaf.ID] = e
	case store.EventHoldReleased:
		v.keys.released[e.leaf.ID] = e
	}
}

// checkKeys compares the stored API keys with their entries. It finds keys that somebody has inserted, whose rights
// or secret somebody has exchanged, or that work again after they were revoked. Such a key can give access to
// everything else.
func (v *recordVerifier) checkKeys(tx *store.Tx) error {
	stored := map[string]bool{}
	err := tx.Keys().Walk(func(k *store.Key) error {
		stored[k.ID] = true
		v.checkKey(k)
		return nil
	})
	if err != nil {
		return err
	}
	for id, e := range v.keys.created {
		if !stored[id] {
			v.wrong(id, "the API key of entry %d of the journal is missing", e.number)
		}
	}
	return nil
}

func (v *recordVerifier) checkKey(k *store.Key) {
	created, revoked := v.keys.created[k.ID], v.keys.revoked[k.ID]
	switch {
	case created != nil:
		v.compareKey(created, k)
	case !v.beforeEvents(k.CreatedMicros):
		v.wrong(k.ID, "the API key has no entry in the journal")
	}
	switch {
	case revoked != nil && revoked.leaf.At != evidence.At(k.RevokedMicros):
		v.wrong(k.ID, "the API key was revoked by entry %d of the journal, but its row has another time or none",
			revoked.number)
	case revoked == nil && k.RevokedMicros != 0 && (created != nil || !v.beforeEvents(k.RevokedMicros)):
		v.wrong(k.ID, "the API key is stored as revoked, but the journal has no entry about the revocation")
	}
}

// compareKey compares a key with the entry of its creation. A key that is replaced by another one expires earlier than
// its entry says, never later.
func (v *recordVerifier) compareKey(e *entry, k *store.Key) {
	expires := ""
	if k.ExpiresMicros != 0 {
		expires = evidence.At(k.ExpiresMicros)
	}
	until := e.value("expires_at")
	switch {
	case e.value("role") != k.Role, e.value("scopes") != k.Scopes, e.value("owner") != k.CreatedBy:
		v.wrong(k.ID, "the role, the scopes or the owner of the API key was altered after entry %d of the journal",
			e.number)
	case e.leaf.At != evidence.At(k.CreatedMicros):
		v.wrong(k.ID, "the stored time of its creation was altered")
	case until != "" && (expires == "" || expires > until):
		v.wrong(k.ID, "the API key expires later than entry %d of the journal says", e.number)
	case e.leaf.Commitment != sealing.Hash{} && e.leaf.Commitment != k.Commitment():
		v.wrong(k.ID, "the name, the prefix or the hash of the API key was altered after entry %d of the journal",
			e.number)
	}
}

// checkHolds compares the stored legal holds with their entries. The entries do not have the person, whose reference is
// replaced when the person is erased.
func (v *recordVerifier) checkHolds(tx *store.Tx) error {
	stored := map[string]bool{}
	err := tx.LegalHolds().Walk(func(h *store.LegalHold) error {
		stored[h.ID] = true
		placed, released := v.keys.placed[h.ID], v.keys.released[h.ID]
		switch {
		case placed == nil:
			v.wrong(h.ID, "the legal hold has no entry in the journal")
		case released == nil && h.ReleasedMicros != 0:
			v.wrong(h.ID, "the legal hold is stored as released, but the journal has no entry about the release")
		case released != nil && h.ReleasedMicros == 0:
			v.wrong(h.ID, "the legal hold was released by entry %d of the journal, but is stored as in force",
				released.number)
		default:
			v.compare(placed, h.Placed(), "")
			if released != nil {
				v.compare(released, h.Released(), "")
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for id, e := range v.keys.placed {
		if !stored[id] {
			v.wrong(id, "the legal hold of entry %d of the journal is missing", e.number)
		}
	}
	return nil
}

package journal

import (
	"context"
	"encoding/hex"
	"slices"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// defaultMaxTree is the size of a tree from which about 5,000 people were removed.
const defaultMaxTree = 55 << 20

// TreeOf returns the number of the tree with whose keys a document is sealed. head is the document
// or its beginning.
func (t *Tree) TreeOf(head []byte) int64 { return t.number(head) }

// Replacement returns the text that replaces the reference of an applicant in erased rows whose
// keys are from the tree with the given number. It is also the reference in the leaves of these rows.
func (t *Tree) Replacement(number int64, environment, reference string) string {
	hash := sealing.Reference(t.person(number, environment, reference), reference)
	return hex.EncodeToString(hash[:])
}

// Remove returns the changes that remove the keys of a person from the stored trees with the given
// numbers. If the newest tree becomes too large, another one is added. The changes must be stored
// in the transaction that completes the erasure (store.Tx.ChangeTrees).
func (k *Keys) Remove(
	ctx context.Context, tenantID, environment string, p store.Person, numbers []int64,
) ([]store.TreeChange, error) {
	if err := k.permitted(ctx); err != nil {
		return nil, err
	}
	fresh, err := k.newTree()
	if err != nil {
		return nil, err
	}
	stored, err := k.db.System().TenantKeys(ctx, tenantID, k.wrap(treeName(tenantID, firstTree), fresh))
	if err != nil {
		return nil, err
	}
	var changes []store.TreeChange
	for i, s := range stored.Trees {
		newest := i == len(stored.Trees)-1
		if !slices.Contains(numbers, s.Number) {
			continue
		}
		keys, err := k.parse(ctx, s)
		if err != nil {
			return nil, err
		}
		name := sealing.DecisionName(environment, p.DecisionID)
		if p.ApplicantRef != "" {
			erased, _ := currentKey(keys, environment, p.ApplicantRef)
			name = sealing.PersonName(environment, p.ApplicantRef, erased)
		}
		keys = keys.Forget(name)
		encoded, err := keys.AppendBinary(nil)
		if err != nil {
			return nil, err
		}
		changes = append(changes,
			store.TreeChange{Number: s.Number, Was: s.Tree, Tree: k.wrap(treeName(tenantID, s.Number), encoded)})
		// Without encryption the rows do not name their tree, so there is only one.
		if newest && keys.Size() >= k.maxTree && k.Seals() {
			added, err := k.newTree()
			if err != nil {
				return nil, err
			}
			changes = append(changes,
				store.TreeChange{Number: s.Number + 1, Tree: k.wrap(treeName(tenantID, s.Number+1), added)})
		}
	}
	return changes, nil
}

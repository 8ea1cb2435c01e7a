package journal

import "verdict/internal/sealing"

// SetMemory sets the maximum size of the earlier trees in memory.
func (k *Keys) SetMemory(bytes int) {
	k.older.Bound(bytes, func(t *sealing.KeyTree) int { return treeOverhead + t.Size() })
}

package admission

import "sync/atomic"

// Memory is what bodies may take, all together. A parsed document takes several
// times its bytes, so that a few large ones at once would be more than the
// machine has.
type Memory struct {
	room  int64
	taken atomic.Int64
}

// NewMemory makes a budget of so many bytes.
func NewMemory(room int64) *Memory { return &Memory{room: room} }

// parsedFactor is about how many times its bytes a parsed document takes.
const parsedFactor = 7

// Reserve takes the memory for a body of so many bytes, and returns what to
// give back; ok is false when there is no room.
func (m *Memory) Reserve(bytes int64) (reserved int64, ok bool) {
	reserved = bytes * parsedFactor
	if m.taken.Add(reserved) > m.room {
		m.taken.Add(-reserved)
		return 0, false
	}
	return reserved, true
}

// Release gives back what was reserved.
func (m *Memory) Release(reserved int64) { m.taken.Add(-reserved) }

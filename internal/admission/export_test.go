package admission

// Remembered returns the number of owners whose state each queue stores, by the name of the queue.
func (s *Scheduler) Remembered() map[string]int {
	numbers := map[string]int{}
	for name, q := range map[string]*fairQueue{"entries": s.entries, "slots": s.slots, "paces": s.paces,
		"reads": s.reads} {
		q.mu.Lock()
		numbers[name] = len(q.users)
		q.mu.Unlock()
	}
	return numbers
}

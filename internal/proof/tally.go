package proof

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Tally counts attempts and their outcomes. The zero value is ready to use. A
// Tally is safe for concurrent use.
type Tally struct {
	mu    sync.Mutex
	kinds map[string]map[string]int // outcomes by kind
}

// Add counts one attempt of the given kind with its outcome, such as a status.
func (t *Tally) Add(kind, outcome string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kinds == nil {
		t.kinds = map[string]map[string]int{}
	}
	if t.kinds[kind] == nil {
		t.kinds[kind] = map[string]int{}
	}
	t.kinds[kind][outcome]++
}

// Total returns the number of attempts.
func (t *Tally) Total() (total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, outcomes := range t.kinds {
		for _, n := range outcomes {
			total += n
		}
	}
	return total
}

// Table returns a Markdown table with a row for each kind, sorted by name. Each
// row has the number of attempts and how often each outcome occurred.
func (t *Tally) Table(kind, outcome string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := [][]string{{kind, "tries", outcome}}
	for _, name := range slices.Sorted(maps.Keys(t.kinds)) {
		total := 0
		var parts []string
		for _, came := range slices.Sorted(maps.Keys(t.kinds[name])) {
			n := t.kinds[name][came]
			total += n
			parts = append(parts, fmt.Sprintf("%s × %d", came, n))
		}
		rows = append(rows, []string{name, fmt.Sprint(total), strings.Join(parts, ", ")})
	}
	return Table(rows)
}

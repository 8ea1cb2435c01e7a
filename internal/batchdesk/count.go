package batchdesk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"verdict/internal/decisioning"
	"verdict/internal/operation"
)

// Counts says how many rows of a batch had which outcome.
type Counts struct {
	Statuses map[string]int64                // decided rows, by status
	Errors   map[string]int64                // other rows, by the code of their error
	Policies map[decisioning.PolicyRef]int64 // decided rows, by the version of the policy
}

func newCounts() Counts {
	return Counts{
		Statuses: map[string]int64{},
		Errors:   map[string]int64{},
		Policies: map[decisioning.PolicyRef]int64{},
	}
}

func count(rows []Row) Counts {
	c := newCounts()
	for i := range rows {
		if r := &rows[i]; r.Err != nil {
			c.Errors[r.Err.Code]++
		} else {
			c.Statuses[r.Status]++
			c.Policies[r.Policy]++
		}
	}
	return c
}

// addTo adds c to the encoded counts and returns the sum, encoded.
func (c Counts) addTo(encoded []byte) ([]byte, error) {
	total, err := readCounts(encoded)
	if err != nil {
		return nil, err
	}
	merge(total.Statuses, c.Statuses)
	merge(total.Errors, c.Errors)
	merge(total.Policies, c.Policies)
	return total.encode()
}

func merge[K comparable](to, from map[K]int64) {
	for key, n := range from {
		to[key] += n
	}
}

// Sorted returns the policies that have counts, by policy key and version.
func (c Counts) Sorted() []decisioning.PolicyRef {
	refs := make([]decisioning.PolicyRef, 0, len(c.Policies))
	for ref := range c.Policies {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b decisioning.PolicyRef) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Version, b.Version), cmp.Compare(a.ID, b.ID))
	})
	return refs
}

// Names returns the keys of counts in alphabetical order.
func Names(counts map[string]int64) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// storedCounts is the form in which counts are stored.
type storedCounts struct {
	Statuses map[string]int64 `json:"statuses"`
	Errors   map[string]int64 `json:"errors"`
	Policies []storedPolicy   `json:"policies"`
}

// storedPolicy is the number of rows that a version of a policy decided.
type storedPolicy struct {
	Key     string `json:"policy_key"`
	ID      string `json:"rule_set_id"`
	Version int64  `json:"version"`
	Rows    int64  `json:"rows"`
}

// encode returns the counts in the form in which they are stored.
func (c Counts) encode() ([]byte, error) {
	stored := storedCounts{Statuses: c.Statuses, Errors: c.Errors}
	for _, ref := range c.Sorted() {
		stored.Policies = append(stored.Policies, storedPolicy{ref.Key, ref.ID, ref.Version, c.Policies[ref]})
	}
	return json.Marshal(stored)
}

// readCounts decodes stored counts. Nothing stored means that no row is done.
func readCounts(encoded []byte) (Counts, error) {
	c := newCounts()
	if len(encoded) == 0 {
		return c, nil
	}
	var stored storedCounts
	if err := json.Unmarshal(encoded, &stored); err != nil {
		return c, fmt.Errorf("read the counts of a batch: %w", operation.AsDefect(err))
	}
	merge(c.Statuses, stored.Statuses)
	merge(c.Errors, stored.Errors)
	for _, p := range stored.Policies {
		c.Policies[decisioning.PolicyRef{Key: p.Key, ID: p.ID, Version: p.Version}] = p.Rows
	}
	return c, nil
}

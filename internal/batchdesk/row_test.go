package batchdesk

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
)

// TestRows checks that outcomes are read as they were stored.
func TestRows(t *testing.T) {
	t.Parallel()
	first, second := decisioning.PolicyRef{Key: "default", ID: "pol_1", Version: 3},
		decisioning.PolicyRef{Key: "gold", ID: "pol_2", Version: 1}
	want := []Row{
		{Index: 7, DecisionID: "dec_1", Status: "APPROVED", Grade: "B", Policy: second},
		{Index: 8, Err: &fault.Error{Kind: fault.Invalid, Code: "invalid_field", Detail: "d", Items: []fault.Item{
			{Pointer: "/a", Code: "required", Detail: "x", Nearest: "b"},
		}}},
		{Index: 9, DecisionID: "dec_2", Status: "DECLINED", Policy: first},
	}
	for kind := range kinds {
		want = append(want, Row{Index: int64(7 + len(want)), Err: &fault.Error{Kind: kind, Code: "c", Detail: "d"}})
	}
	stored, err := encodeRows(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []Row
	err = decodeRows(stored, 7, func(r Row) error {
		got = append(got, r)
		return nil
	})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, spoilt := range [][]byte{nil, []byte("x"), stored[:len(stored)/2]} {
		if err := decodeRows(spoilt, 7, func(Row) error { return nil }); err == nil {
			t.Errorf("outcomes of %d bytes were read", len(spoilt))
		}
	}
}

// TestCounts checks that the counts of chunks add up.
func TestCounts(t *testing.T) {
	t.Parallel()
	ref := decisioning.PolicyRef{Key: "default", ID: "pol_1", Version: 3}
	c := count([]Row{
		{DecisionID: "dec_1", Status: "APPROVED", Policy: ref},
		{Err: fault.New(fault.Invalid, "invalid_field", "x")},
	})
	encoded, err := c.addTo(nil)
	if err == nil {
		encoded, err = c.addTo(encoded)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := readCounts(encoded)
	want := Counts{
		Statuses: map[string]int64{"APPROVED": 2},
		Errors:   map[string]int64{"invalid_field": 2},
		Policies: map[decisioning.PolicyRef]int64{ref: 2},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := readCounts([]byte("{")); err == nil {
		t.Error("spoilt counts were read")
	}
}

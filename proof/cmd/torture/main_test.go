package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		want       []string
		refusal    string
	}{
		{"one on both", "-scenario kill", []string{"kill sqlite 200", "kill postgres 200"}, ""},
		{"several on one", "-db postgres -rounds 3 -scenario network,kill",
			[]string{"kill postgres 3", "network postgres 3"}, ""},
		{"only where it makes sense", "-scenario disk-slow", []string{"disk-slow sqlite 15"}, ""},
		{"an unknown one", "-scenario kill,fire", nil, `there is no scenario "fire"`},
		{"nothing left", "-scenario disk-slow -db postgres", nil, "does not run on the database"},
		{"an unknown database", "-db oracle", nil, "does not run on the database"},
		{"an argument too many", "kill", nil, `what is "kill"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, err := read(strings.Fields(c.args), io.Discard)
			var got []string
			if err == nil {
				got, err = ordered(s)
			}
			if c.refusal == "" && err != nil ||
				c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
				t.Fatalf("got %v, want %q", err, c.refusal)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := read([]string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help: %v", err)
	}
}

func ordered(s settings) ([]string, error) {
	orders, err := s.orders()
	var names []string
	for _, o := range orders {
		names = append(names, fmt.Sprintf("%s %s %d", o.Scenario.Name, o.Database, o.Rounds))
	}
	return names, err
}

package batchdesk

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
)

// Row is the outcome of one row of a batch: a decision, or an error.
type Row struct {
	Index      int64 // the index of the row in the batch, from 0
	DecisionID string
	Status     string
	Grade      string // "" if the policy has none
	Policy     decisioning.PolicyRef
	Err        *fault.Error // why the row was not decided; nil if it was decided
	RequestID  string       // the id of the request that sent the row, set by Results
}

// known reports whether the row has an outcome.
func (r *Row) known() bool { return r.DecisionID != "" || r.Err != nil }

// storedRow is the form in which the outcome of a row is stored. Policy is the index of the policy among the policies
// of the chunk.
type storedRow struct {
	DecisionID string       `json:"d,omitempty"`
	Status     string       `json:"s,omitempty"`
	Grade      string       `json:"g,omitempty"`
	Policy     int          `json:"p,omitempty"`
	Err        *storedError `json:"e,omitempty"`
}

type storedError struct {
	Kind   string       `json:"kind"`
	Code   string       `json:"code"`
	Detail string       `json:"detail"`
	Items  []fault.Item `json:"items,omitempty"`
}

// kinds are the stored names of the kinds of errors that a row can have.
var kinds = map[fault.Kind]string{
	fault.Malformed:       "malformed",
	fault.Unauthenticated: "no_credential",
	fault.Forbidden:       "forbidden",
	fault.NotFound:        "not_found",
	fault.Conflict:        "conflict",
	fault.Gone:            "gone",
	fault.TooLarge:        "too_large",
	fault.Invalid:         "invalid",
	fault.Limited:         "limited",
	fault.Internal:        "internal",
	fault.Unavailable:     "unavailable",
}

func kindOf(name string) fault.Kind {
	for kind, known := range kinds {
		if known == name {
			return kind
		}
	}
	return fault.Internal
}

// encodeRows returns the outcomes of the rows of a chunk in the form in which they are stored: as compressed lines.
// The first line has the policies, and the other lines refer to them.
func encodeRows(rows []Row) ([]byte, error) {
	var policies []decisioning.PolicyRef
	place := map[decisioning.PolicyRef]int{}
	for i := range rows {
		if _, known := place[rows[i].Policy]; !known && rows[i].Err == nil {
			place[rows[i].Policy] = len(policies)
			policies = append(policies, rows[i].Policy)
		}
	}
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	lines := json.NewEncoder(zip) // writes a line for each value
	if err := lines.Encode(policies); err != nil {
		return nil, err
	}
	for i := range rows {
		r := &rows[i]
		stored := storedRow{DecisionID: r.DecisionID, Status: r.Status, Grade: r.Grade, Policy: place[r.Policy]}
		if r.Err != nil {
			stored = storedRow{Err: &storedError{kinds[r.Err.Kind], r.Err.Code, r.Err.Detail, r.Err.Items}}
		}
		if err := lines.Encode(stored); err != nil {
			return nil, err
		}
	}
	err = zip.Close()
	return packed.Bytes(), err
}

// decodeRows calls fn with the outcome of each row of a chunk. The argument first is the index of the first row.
func decodeRows(stored []byte, first int64, fn func(Row) error) error {
	zip, err := gzip.NewReader(bytes.NewReader(stored))
	if err != nil {
		return notReadable(err)
	}
	var policies []decisioning.PolicyRef
	lines := json.NewDecoder(bufio.NewReader(zip))
	if err := lines.Decode(&policies); err != nil {
		return notReadable(err)
	}
	for index := first; ; index++ {
		var s storedRow
		err := lines.Decode(&s)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return notReadable(err)
		case s.Err == nil && s.Policy >= len(policies):
			return notReadable(errors.New("a row refers to a policy that is missing"))
		}
		row := Row{Index: index, DecisionID: s.DecisionID, Status: s.Status, Grade: s.Grade}
		if e := s.Err; e != nil {
			row.Err = &fault.Error{Kind: kindOf(e.Kind), Code: e.Code, Detail: e.Detail, Items: e.Items}
		} else {
			row.Policy = policies[s.Policy]
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

func notReadable(err error) error {
	return fmt.Errorf("read the outcomes of a batch: %w", operation.AsDefect(err))
}

package place

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestSources checks that every table has a source and the hash that the source
// states, and that every source is in NOTICE.
func TestSources(t *testing.T) {
	t.Parallel()
	notice, err := os.ReadFile("../../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	flat := strings.Join(strings.Fields(string(notice)), " ")
	named := map[string]bool{}
	for _, s := range Sources() {
		fields := reflect.ValueOf(s)
		for i := range fields.NumField() {
			name, value := fields.Type().Field(i).Name, fields.Field(i).String()
			if value == "" {
				t.Errorf("%s says nothing of its %s", s.Title, name)
			}
			if name != "Table" && name != "SHA256" && !strings.Contains(flat, value) {
				t.Errorf("NOTICE does not say of %s: %s", s.Title, value)
			}
		}
		if _, err := time.Parse(time.DateOnly, s.Date); err != nil {
			t.Error(err)
		}
		table, err := os.ReadFile(s.File)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(table); hex.EncodeToString(sum[:]) != s.SHA256 {
			t.Errorf("%s is not the table that was made of %s: its SHA-256 is %x", s.File, s.Title, sum)
		}
		named[s.File] = true
	}
	tables, err := filepath.Glob("tables/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if !named[table] {
			t.Errorf("%s has no source", table)
		}
	}
}

// TestTableSizes checks that the tables are small enough to embed in every
// binary.
func TestTableSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		table []byte
		limit int
	}{
		{"pincodes", pincodesTable, 400 << 10},
		{"countries", countriesTable, 3 << 20},
	} {
		if len(c.table) == 0 || len(c.table) > c.limit {
			t.Errorf("the table of %s takes %d bytes, at most %d are allowed", c.name, len(c.table), c.limit)
		}
	}
}

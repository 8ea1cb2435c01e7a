package archive

import (
	"bytes"
	"errors"
	"testing"
)

// columns has one column of each kind.
var columns = []Column{{Name: "id", Kind: Text}, {Name: "at", Kind: Bigint}, {Name: "body", Kind: Bytea}}

// FuzzReadArchive reads arbitrary bytes as a backup, and checks that they are
// refused as damaged, or are read to the end with a matching checksum.
func FuzzReadArchive(f *testing.F) {
	table := Table{Name: "t", Columns: columns}
	var whole bytes.Buffer
	w := NewWriter(&whole, func(string, int64) {})
	row := table.NewRow()
	row.values[0].text, row.values[1].number, row.values[2].bytes = "a", 1, []byte{0, 1}
	for _, err := range []error{
		w.Header(Header{SchemaVersion: 1}), w.Table(table), w.Row(row), w.EndTable(), w.End(),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	if err := readArchive(whole.Bytes()); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(append(bytes.Clone(whole.Bytes()), 0))
	f.Add(whole.Bytes()[:whole.Len()-9])
	f.Add([]byte(gzipHead))
	f.Fuzz(func(t *testing.T, file []byte) {
		err := readArchive(file)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%x: %v", file, err)
		}
		if err == nil && readArchive(append(bytes.Clone(file), 'x')) == nil {
			t.Error("added bytes were not detected")
		}
	})
}

// readArchive reads a backup as a restore does and discards the rows.
func readArchive(file []byte) error {
	archive, _, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return err
	}
	tables := []Table{{Name: "t", Columns: columns}}
	return archive.Load(tables, func(int, [][]any) error { return nil }, func(string, int64) {})
}

// FuzzDecodeRows checks that a frame is either refused or read to its last byte.
func FuzzDecodeRows(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{4, 't', 'e', 'x', 't', 7, 2, 0, 0xff})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'x'})
	f.Fuzz(func(t *testing.T, frame []byte) {
		again, err := decodeAndEncode(frame)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
			return
		}
		// A frame may encode a number in more bytes than needed, so only the second
		// encoding must be stable.
		twice, err := decodeAndEncode(again)
		if err != nil || !bytes.Equal(again, twice) || len(again) > len(frame) {
			t.Errorf("%x became %x and %x, %v", frame, again, twice, err)
		}
	})
}

// decodeAndEncode decodes a frame of rows and encodes it again.
func decodeAndEncode(frame []byte) (again []byte, err error) {
	rows, err := decodeRows(frame, columns)
	for _, row := range rows {
		for i, field := range row {
			v := value{kind: columns[i].Kind}
			switch field := field.(type) {
			case int64:
				v.number = field
			case string:
				v.text = field
			case []byte:
				v.bytes = field
			}
			again = v.appendTo(again)
		}
	}
	return again, err
}

package backtest

import (
	"encoding/binary"
	"errors"
	"slices"
)

// Every stored partial begins with its version. The version changes with the
// layout, so that a newer program does not misread a partial that an older one
// stored. A partial with withReadVersion also contains the counts of
// Partial.read. This version is used only if there are such counts.
const (
	partialVersion  = 3
	withReadVersion = 4
)

// headSize is the size of the version and the numbering, in bytes.
const headSize = 1 + 8

// Append appends the partial in a compact binary form. Two partials of the same
// rows have the same bytes, regardless of the order in which the rows were
// counted or merged.
func (p *Partial) Append(dst []byte) []byte {
	tape := recorder{}
	p.walk(&tape)
	version := byte(partialVersion)
	if len(p.read) > 0 {
		version = withReadVersion
	}
	dst = binary.LittleEndian.AppendUint64(append(dst, version), p.numbering)
	dst = binary.AppendUvarint(dst, uint64(len(tape.tape)))
	for _, n := range tape.tape {
		dst = binary.AppendVarint(dst, n)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.errors)))
	for _, e := range p.errors {
		dst = appendText(binary.AppendVarint(dst, e.Row), e.Field)
		dst = appendText(dst, e.Code)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.codes)))
	for _, c := range p.codes {
		dst = binary.AppendVarint(appendText(dst, c.Code), c.Count)
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.groups.kept)))
	for i := range p.groups.kept {
		g := &p.groups.kept[i]
		dst = appendText(dst, g.name)
		tape := recorder{}
		walkCounts(&tape, &g.approved)
		walkCounts(&tape, &g.others)
		for _, n := range tape.tape {
			dst = binary.AppendVarint(dst, n)
		}
	}
	if version == withReadVersion {
		dst = binary.AppendUvarint(dst, uint64(len(p.read)))
		for _, r := range p.read {
			dst = binary.AppendVarint(appendText(appendText(dst, r.field), r.code), r.count)
		}
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

var errPartial = errors.New("decode partial: the bytes are not a partial of this version")

// DecodePartial reads a partial that Append wrote. It returns an error if data is
// not in the form that Append writes.
func DecodePartial(data []byte) (*Partial, error) {
	if len(data) < headSize || data[0] != partialVersion && data[0] != withReadVersion {
		return nil, errPartial
	}
	d := decoder{data: data[headSize:]}
	p := NewPartial()
	p.numbering = binary.LittleEndian.Uint64(data[1:])
	tape := make([]int64, d.length(1))
	for i := range tape {
		tape[i] = d.varint()
	}
	a := adder{tape: tape}
	p.walk(&a)
	d.bad = d.bad || a.bad || len(a.tape) > 0
	for range d.length(3) {
		e := RowError{Row: d.varint(), Field: d.text(), Code: d.text()}
		p.errors = append(p.errors, e)
	}
	for range d.length(2) {
		c := CodeCount{Code: d.text()}
		c.Count = d.varint()
		p.codes = append(p.codes, c)
	}
	for range d.length(1) {
		g := group{name: d.text()}
		for _, c := range [...]*counts{&g.approved, &g.others} {
			for i := range c {
				c[i].rows, c[i].weight = d.varint(), d.varint()
			}
		}
		p.groups.kept = append(p.groups.kept, g)
	}
	if data[0] == withReadVersion {
		for range d.length(3) {
			r := cellRead{field: d.text(), code: d.text()}
			r.count = d.varint()
			p.read = append(p.read, r)
		}
		d.bad = d.bad || len(p.read) == 0
	}
	if d.bad || len(d.data) > 0 || !p.ordered() {
		return nil, errPartial
	}
	return p, nil
}

// ordered reports whether the lists are sorted and within their bounds. Merge
// requires both.
func (p *Partial) ordered() bool {
	return len(p.errors) <= MaxRowErrors && len(p.groups.kept) <= keptGroups &&
		slices.IsSortedFunc(p.errors, compareErrors) &&
		ascending(p.codes, func(c CodeCount) string { return c.Code }) &&
		slices.IsSortedFunc(p.read, compareReads) &&
		ascending(p.groups.kept, func(g group) string { return g.name })
}

func ascending[T any](list []T, key func(T) string) bool {
	for i := 1; i < len(list); i++ {
		if key(list[i-1]) >= key(list[i]) {
			return false
		}
	}
	return true
}

// decoder reads numbers and texts. bad is set when the data is damaged or ends
// too early.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) varint() int64 {
	n, size := binary.Varint(d.data)
	return n * int64(d.skip(size))
}

// length reads the length of a list. The argument least is the minimum size of an
// element in bytes. If the remaining bytes are too few for that length, length
// sets bad and returns 0.
func (d *decoder) length(least int) int {
	n, size := binary.Uvarint(d.data)
	if d.skip(size) == 0 || n > uint64(len(d.data)/least) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) text() string {
	n := d.length(1)
	s := string(d.data[:n])
	d.data = d.data[n:]
	return s
}

// skip advances by the size of a number and returns 1. If size is not positive,
// there was no number; skip then sets bad and returns 0.
func (d *decoder) skip(size int) int {
	if size <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[size:]
	return 1
}

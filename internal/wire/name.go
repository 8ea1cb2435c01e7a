package wire

import (
	"bytes"
	"encoding/binary"

	"verdict/internal/fault"
)

// name reads a member's name and the colon after it.
func (p *parser) name(at int32, count uint32, seen *names) (span, error) {
	name, err := p.str()
	if err != nil {
		return span{}, err
	}
	if p.duplicate(at, name, count, seen) {
		return span{}, p.twice(at, name)
	}
	p.skipSpace()
	if p.pos >= len(p.src) || p.src[p.pos] != ':' {
		return span{}, p.fail("':' was expected after a member name")
	}
	p.pos++
	return name, nil
}

// pattern points into the last object that was read at the same depth. The
// objects of a list mostly have the same members in the same order. As long as
// an object follows the pattern, its names are only compared with those of the
// pattern. The names of the pattern are distinct, so the object has no
// duplicate.
type pattern struct {
	at   int32  // the next member of the pattern
	left uint32 // number of members left, including at; 0 if the object no longer follows the pattern
}

func (p *parser) pattern(depth int) pattern {
	if p.last[depth] == 0 {
		return pattern{}
	}
	at := p.last[depth] // index of the first member, which follows the node of the object
	return pattern{at: at, left: uint32(p.nodes[at-1].count())}
}

// follow reads a name and its colon if they match the next member of the
// pattern. Otherwise it reads nothing and returns false.
func (t *pattern) follow(p *parser) (name span, ok bool) {
	if t.left == 0 {
		return span{}, false
	}
	n := &p.nodes[t.at]
	name = n.name
	from, end := p.pos+1, p.pos+1+int(name.length)
	if name.length&unescaped != 0 || end+1 >= len(p.src) || p.src[end] != '"' || p.src[end+1] != ':' ||
		!same(p.src, from, int(name.at), end-from) {
		t.left = 0
		return span{}, false
	}
	p.pos = end + 2
	t.at, t.left = n.next(t.at), t.left-1
	return name, true
}

// same reports whether n bytes at two positions are equal. Most names are so
// short that one 8-byte load for each position is enough.
func same(src []byte, a, b, n int) bool {
	if n <= 8 && max(a, b)+8 <= len(src) {
		return (binary.LittleEndian.Uint64(src[a:])^binary.LittleEndian.Uint64(src[b:]))<<(64-8*n) == 0
	}
	return bytes.Equal(src[a:a+n], src[b:b+n])
}

// twice returns the error for a duplicate member.
func (p *parser) twice(at int32, name span) error {
	p.doc.nodes = p.nodes
	return &fault.Error{
		Kind: fault.Malformed, Code: fault.CodeDuplicateKey, Detail: "a member is given twice",
		Items: []fault.Item{{
			Pointer: Value{doc: p.doc, at: at}.Pointer() + "/" + segment(p.doc.text(name)),
			Code:    fault.CodeDuplicateKey, Detail: "is given twice; keep one",
		}},
	}
}

// names records the member names of one object, to find duplicates. For nearly all names, a small Bloom filter is
// enough to show that the name is new. The other names are compared with the members one by one, or looked up in a
// map if the object has many members.
type names struct {
	filter uint64
	noted  uint32 // number of members in the filter
	all    map[string]struct{}
}

// smallObject is the number of members up to which names are compared one by
// one. Most objects are smaller and need no map.
const smallObject = 16

// bit returns the filter bit of a name.
func bit(name string) uint64 {
	n := len(name)
	if n == 0 {
		return 1
	}
	return 1 << ((uint(name[0])*7 + uint(name[n-1])*5 + uint(name[n/2])*3 + uint(n)) & 63)
}

func (p *parser) duplicate(at int32, span span, count uint32, seen *names) bool {
	if seen.noted < count {
		// The previous members followed the pattern and are not in the filter
		// yet.
		for i, left := at+1, count; left > 0; left-- {
			n := &p.nodes[i]
			seen.filter |= bit(p.doc.text(n.name))
			i = n.next(i)
		}
	}
	seen.noted = count + 1
	name := p.doc.text(span)
	mark := bit(name)
	if seen.filter&mark == 0 {
		seen.filter |= mark
		if seen.all != nil {
			seen.all[name] = struct{}{}
		}
		return false
	}
	return p.duplicateAmong(at, name, count, seen)
}

// duplicateAmong reports whether a name whose filter bit is already set is a
// duplicate.
func (p *parser) duplicateAmong(at int32, name string, count uint32, seen *names) bool {
	if count < smallObject {
		for i := at + 1; count > 0; count-- {
			n := &p.nodes[i]
			if p.doc.is(n.name, name) {
				return true
			}
			i = n.next(i)
		}
		return false
	}
	if seen.all == nil {
		seen.all = make(map[string]struct{}, 4*smallObject)
		for i := at + 1; count > 0; count-- {
			n := &p.nodes[i]
			seen.all[p.doc.text(n.name)] = struct{}{}
			i = n.next(i)
		}
	}
	if _, dup := seen.all[name]; dup {
		return true
	}
	seen.all[name] = struct{}{}
	return false
}

// Package wire is what crosses the wire: strict JSON in, canonical JSON out.
//
// Reading keeps what decoders usually lose: whether a member was there at all,
// the number as it was written, and where in the document each value stands.
// It refuses what decoders usually forgive: duplicate names, invalid UTF-8,
// lone surrogates, absurd depth, numbers no credit file can hold.
//
// Nothing here knows a policy or an application; those are read from a Value
// by the packages that own them.
package wire

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"verdict/internal/fault"
)

// MaxDepth bounds how many arrays and objects of a document stand inside one
// another. Conditions are at most 16 deep, which costs two
// levels each; the rest is generous.
const MaxDepth = 128

// MaxValues bounds the values of one document, so that a body of tiny values
// cannot take many times its size in memory.
const MaxValues = 1 << 20

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds. Missing is the kind of a member that is not there, or is null:
// a request that says null says nothing.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}

// String names the kind the way an error message says it.
func (k Kind) String() string { return kindNames[k] }

// span is a piece of text: length bytes of the source from at on, or, with
// the top bit of length set, the unescaped string number at.
type span struct {
	at, length uint32
}

const unescaped = 1 << 31

// node is one value of a document laid out flat, parents before children. It
// holds no pointers, so a document of any size is one allocation that the
// garbage collector never looks into.
type node struct {
	name   span // the member's name, when the parent is an object
	text   span // a string's value, a number's literal, a boolean's word
	parent int32
	end    int32 // one past the last node of this subtree
	index  int32 // position among the parent's children
	count  int32 // number of children
	kind   Kind
}

type document struct {
	src       string
	unescaped []string // strings that had escapes in them
	nodes     []node
}

func (d *document) text(s span) string {
	if s.length&unescaped != 0 {
		return d.unescaped[s.at]
	}
	return d.src[s.at : s.at+s.length]
}

// Parse reads exactly one JSON document. The answer to bytes that are not one
// is a *fault.Error of kind Malformed that says where and what, and never
// quotes a value.
func Parse(data []byte) (Value, error) {
	if len(data) >= unescaped {
		return Value{}, fault.New(fault.TooLarge, "request_too_large", "the document is larger than 2 GiB")
	}
	if !utf8.Valid(data) {
		return Value{}, fault.New(fault.Malformed, fault.CodeMalformedJSON, "the document is not valid UTF-8")
	}
	p := parser{src: string(data), doc: &document{nodes: make([]node, 0, estimate(data))}}
	p.doc.src = p.src
	p.skipSpace()
	if err := p.value(-1, 0, span{}, 0); err != nil {
		return Value{}, err
	}
	p.skipSpace()
	if p.pos != len(p.src) {
		return Value{}, p.fail("unexpected text after the document")
	}
	return Value{doc: p.doc}, nil
}

// estimate is about how many values a document holds: each is the first in
// its container or stands behind a comma. Text full of commas must not make
// us reserve more than a real document of that size could need.
func estimate(data []byte) int {
	n := bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{'{'}) + bytes.Count(data, []byte{'['}) + 1
	return min(n, len(data)/6+8, MaxValues)
}

type parser struct {
	src string
	pos int
	doc *document
}

// fail describes a syntax error by line and column.
func (p *parser) fail(what string) error {
	before := []byte(p.src[:min(p.pos, len(p.src))])
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fault.New(fault.Malformed, fault.CodeMalformedJSON, "line %d, column %d: %s", line, column, what)
}

func (p *parser) skipSpace() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// value reads one value and appends its subtree. parent is -1 for the root,
// depth the number of arrays and objects around it.
func (p *parser) value(parent, index int32, name span, depth int) error {
	if p.pos >= len(p.src) {
		return p.fail("the document ends where a value was expected")
	}
	// The node stands before its children are read, so that a fault inside
	// them can already name its place.
	at := int32(len(p.doc.nodes))
	if at == MaxValues {
		return fault.New(fault.TooLarge, "request_too_large", "the document has more than %d values", MaxValues)
	}
	p.doc.nodes = append(p.doc.nodes, node{})
	n := &p.doc.nodes[at]
	n.name, n.parent, n.index, n.end = name, parent, index, at+1
	switch c := p.src[p.pos]; c {
	case '{', '[':
		if depth == MaxDepth {
			return p.fail(fmt.Sprintf("nested more than %d levels deep", MaxDepth))
		}
		var count int32
		var err error
		if c == '{' {
			n.kind = Object
			count, err = p.object(at, depth)
		} else {
			n.kind = Array
			count, err = p.array(at, depth)
		}
		n = &p.doc.nodes[at] // the array may have grown and moved
		n.count, n.end = count, int32(len(p.doc.nodes))
		return err
	default:
		return p.scalar(at, c)
	}
}

// scalar reads a string, number, boolean or null into the node at.
func (p *parser) scalar(at int32, c byte) (err error) {
	n := &p.doc.nodes[at]
	switch {
	case c == '"':
		n.kind = String
		n.text, err = p.str()
	case c == '-' || '0' <= c && c <= '9':
		n.kind = Number
		n.text, err = p.number(at)
	case c == 't':
		n.kind = Bool
		n.text, err = p.literal("true")
	case c == 'f':
		n.kind = Bool
		n.text, err = p.literal("false")
	case c == 'n':
		n.kind = Null
		n.text, err = p.literal("null")
	default:
		err = p.fail("a value was expected")
	}
	return err
}

// since is the source text from start to here.
func (p *parser) since(start int) span {
	return span{at: uint32(start), length: uint32(p.pos - start)}
}

func (p *parser) literal(word string) (span, error) {
	if len(p.src)-p.pos < len(word) || p.src[p.pos:p.pos+len(word)] != word {
		return span{}, p.fail("a value was expected")
	}
	p.pos += len(word)
	return p.since(p.pos - len(word)), nil
}

func (p *parser) object(at int32, depth int) (count int32, err error) {
	p.pos++
	var seen names
	for {
		p.skipSpace()
		if p.pos < len(p.src) && p.src[p.pos] == '}' && count == 0 {
			p.pos++
			return count, nil
		}
		if p.pos >= len(p.src) || p.src[p.pos] != '"' {
			return 0, p.fail("a member name in double quotes was expected")
		}
		name, err := p.str()
		if err != nil {
			return 0, err
		}
		if p.duplicate(at, p.doc.text(name), count, &seen) {
			return 0, &fault.Error{
				Kind: fault.Malformed, Code: fault.CodeDuplicateKey, Detail: "a member is given twice",
				Items: []fault.Item{{
					Pointer: Value{doc: p.doc, at: at}.Pointer() + "/" + escapePointer(p.doc.text(name)),
					Code:    fault.CodeDuplicateKey, Detail: "is given twice; keep one",
				}},
			}
		}
		p.skipSpace()
		if p.pos >= len(p.src) || p.src[p.pos] != ':' {
			return 0, p.fail("':' was expected after a member name")
		}
		p.pos++
		p.skipSpace()
		if err := p.value(at, count, name, depth+1); err != nil {
			return 0, err
		}
		count++
		p.skipSpace()
		if p.pos >= len(p.src) {
			return 0, p.fail("the document ends inside an object")
		}
		switch p.src[p.pos] {
		case ',':
			p.pos++
		case '}':
			p.pos++
			return count, nil
		default:
			return 0, p.fail("',' or '}' was expected")
		}
	}
}

// names remembers the member names of one object: a bit for each in a filter
// that nearly always tells that a name is new, and behind it the members
// themselves, or a map of them once they are many.
type names struct {
	filter uint64
	all    map[string]struct{}
}

// smallObject is how many members are compared one by one before a map is
// built; most objects never need the map.
const smallObject = 16

func (p *parser) duplicate(at int32, name string, count int32, seen *names) bool {
	bit := uint64(1)
	if n := len(name); n > 0 {
		bit <<= (uint(name[0])*7 + uint(name[n-1])*5 + uint(name[n/2])*3 + uint(n)) & 63
	}
	if seen.filter&bit == 0 {
		seen.filter |= bit
		if seen.all != nil {
			seen.all[name] = struct{}{}
		}
		return false
	}
	if count < smallObject {
		for i, k := at+1, int32(0); k < count; k++ {
			if p.doc.text(p.doc.nodes[i].name) == name {
				return true
			}
			i = p.doc.nodes[i].end
		}
		return false
	}
	if seen.all == nil {
		seen.all = make(map[string]struct{}, 4*smallObject)
		for i, k := at+1, int32(0); k < count; k++ {
			seen.all[p.doc.text(p.doc.nodes[i].name)] = struct{}{}
			i = p.doc.nodes[i].end
		}
	}
	if _, dup := seen.all[name]; dup {
		return true
	}
	seen.all[name] = struct{}{}
	return false
}

func (p *parser) array(at int32, depth int) (count int32, err error) {
	p.pos++
	for {
		p.skipSpace()
		if p.pos < len(p.src) && p.src[p.pos] == ']' && count == 0 {
			p.pos++
			return count, nil
		}
		if err := p.value(at, count, span{}, depth+1); err != nil {
			return 0, err
		}
		count++
		p.skipSpace()
		if p.pos >= len(p.src) {
			return 0, p.fail("the document ends inside an array")
		}
		switch p.src[p.pos] {
		case ',':
			p.pos++
		case ']':
			p.pos++
			return count, nil
		default:
			return 0, p.fail("',' or ']' was expected")
		}
	}
}

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
// another. Conditions are at most 16 deep (CONTRACT C12), which costs two
// levels each; the rest is generous.
const MaxDepth = 128

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds. Missing is the kind of a member that is not there, or is null:
// a request that says null says nothing (CONTRACT C0).
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

// node is one value of a document laid out flat, parents before children, so
// that a whole document is one allocation and walking it is a linear scan.
type node struct {
	name   string // the member's name, when the parent is an object
	text   string // a string's value, a number's literal, "true" or "false"
	parent int32
	end    int32 // one past the last node of this subtree
	index  int32 // position among the parent's children
	count  int32 // number of children
	kind   Kind
}

type document struct {
	nodes []node
}

// Parse reads exactly one JSON document. The answer to bytes that are not one
// is a *fault.Error of kind Malformed that says where and what, and never
// quotes a value.
func Parse(data []byte) (Value, error) {
	if !utf8.Valid(data) {
		return Value{}, fault.New(fault.Malformed, fault.CodeMalformedJSON, "the document is not valid UTF-8")
	}
	p := parser{src: string(data), doc: &document{nodes: make([]node, 0, len(data)/12+8)}}
	p.skipSpace()
	if err := p.value(-1, 0, "", 0); err != nil {
		return Value{}, err
	}
	p.skipSpace()
	if p.pos != len(p.src) {
		return Value{}, p.fail("unexpected text after the document")
	}
	return Value{doc: p.doc}, nil
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
func (p *parser) value(parent, index int32, name string, depth int) error {
	if p.pos >= len(p.src) {
		return p.fail("the document ends where a value was expected")
	}
	var err error
	n := node{name: name, parent: parent, index: index}
	c := p.src[p.pos]
	switch c {
	case '{':
		n.kind = Object
	case '[':
		n.kind = Array
	}
	if n.kind != Missing && depth == MaxDepth {
		return p.fail(fmt.Sprintf("nested more than %d levels deep", MaxDepth))
	}
	// The node stands before its children are read, so that a fault inside
	// them can already name its place.
	at := int32(len(p.doc.nodes))
	p.doc.nodes = append(p.doc.nodes, n)
	switch {
	case n.kind == Object:
		n.count, err = p.object(at, depth)
	case n.kind == Array:
		n.count, err = p.array(at, depth)
	case c == '"':
		n.kind = String
		n.text, err = p.str()
	case c == '-' || '0' <= c && c <= '9':
		n.kind = Number
		n.text, err = p.number(at)
	case c == 't':
		n.kind, n.text = Bool, "true"
		err = p.literal("true")
	case c == 'f':
		n.kind, n.text = Bool, "false"
		err = p.literal("false")
	case c == 'n':
		n.kind = Null
		err = p.literal("null")
	default:
		err = p.fail("a value was expected")
	}
	if err != nil {
		return err
	}
	n.end = int32(len(p.doc.nodes))
	p.doc.nodes[at] = n
	return nil
}

func (p *parser) literal(word string) error {
	if len(p.src)-p.pos < len(word) || p.src[p.pos:p.pos+len(word)] != word {
		return p.fail("a value was expected")
	}
	p.pos += len(word)
	return nil
}

func (p *parser) object(at int32, depth int) (count int32, err error) {
	p.pos++
	var seen map[string]struct{} // only for objects with many members
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
		if p.duplicate(at, name, count, &seen) {
			return 0, &fault.Error{
				Kind: fault.Malformed, Code: fault.CodeDuplicateKey, Detail: "a member is given twice",
				Items: []fault.Item{{
					Pointer: Value{doc: p.doc, at: at}.Pointer() + "/" + escapePointer(name),
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

// smallObject is how many members are compared one by one before a map is
// built; most objects never need the map.
const smallObject = 16

func (p *parser) duplicate(at int32, name string, count int32, seen *map[string]struct{}) bool {
	if count < smallObject {
		for i, k := at+1, int32(0); k < count; k++ {
			if p.doc.nodes[i].name == name {
				return true
			}
			i = p.doc.nodes[i].end
		}
		return false
	}
	if *seen == nil {
		*seen = make(map[string]struct{}, 4*smallObject)
		for i, k := at+1, int32(0); k < count; k++ {
			(*seen)[p.doc.nodes[i].name] = struct{}{}
			i = p.doc.nodes[i].end
		}
	}
	if _, dup := (*seen)[name]; dup {
		return true
	}
	(*seen)[name] = struct{}{}
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
		if err := p.value(at, count, "", depth+1); err != nil {
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

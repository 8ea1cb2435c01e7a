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
	"encoding/binary"
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
// garbage collector never looks into. It is kept small, because a large
// request has tens of thousands and reading one is mostly waiting for memory.
type node struct {
	// name is the member's name when the parent is an object; when it is an
	// array, its at is the position among the elements.
	name span
	// text is a string's value, a number's literal or a boolean's word. An
	// array or object has none; there, at is one past the last node of the
	// subtree and length the number of children.
	text   span
	parent int32
	kind   Kind
}

// next is where the node after the subtree at stands.
func (n *node) next(at int32) int32 {
	if n.kind < Array {
		return at + 1
	}
	return int32(n.text.at)
}

// count is the number of children.
func (n *node) count() int32 {
	if n.kind < Array {
		return 0
	}
	return int32(n.text.length)
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

// is reports whether a piece of text is this one. Most differ in length.
func (d *document) is(s span, text string) bool {
	if s.length&unescaped != 0 {
		return d.unescaped[s.at] == text
	}
	return int(s.length) == len(text) && d.src[s.at:s.at+s.length] == text
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
	p := parser{src: data, nodes: room(estimate(data)), doc: &document{src: string(data)}}
	p.skipSpace()
	if err := p.value(-1, span{}, 0); err != nil {
		return Value{}, err
	}
	p.skipSpace()
	if p.pos != len(p.src) {
		return Value{}, p.fail("unexpected text after the document")
	}
	p.doc.nodes = p.nodes
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
	src   []byte
	pos   int
	nodes []node // those of the document, once it is read
	doc   *document
	// last is one past the node of the object that was read last at each
	// depth, 0 for none.
	last [MaxDepth]int32
}

// fail describes a syntax error by line and column.
func (p *parser) fail(what string) error {
	before := p.src[:min(p.pos, len(p.src))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fault.New(fault.Malformed, fault.CodeMalformedJSON, "line %d, column %d: %s", line, column, what)
}

// skipSpace is small enough to be inlined: most documents have no space.
func (p *parser) skipSpace() {
	if p.pos < len(p.src) && p.src[p.pos] <= ' ' {
		p.skipSpaces()
	}
}

func (p *parser) skipSpaces() {
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
func (p *parser) value(parent int32, name span, depth int) (err error) {
	if p.pos >= len(p.src) {
		return p.fail("the document ends where a value was expected")
	}
	if len(p.nodes) == MaxValues {
		return fault.New(fault.TooLarge, "request_too_large", "the document has more than %d values", MaxValues)
	}
	n := node{name: name, parent: parent}
	switch c := p.src[p.pos]; c {
	case '"':
		n.kind = String
		n.text, err = p.str()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n.kind = Number
		var far bool
		if n.text, far, err = p.number(); far {
			err = p.tooFar(n)
		}
	case '{', '[':
		return p.container(c, n, depth)
	case 't':
		n.kind = Bool
		n.text, err = p.literal("true")
	case 'f':
		n.kind = Bool
		n.text, err = p.literal("false")
	case 'n':
		n.kind = Null
		n.text, err = p.literal("null")
	default:
		err = p.fail("a value was expected")
	}
	p.nodes = append(p.nodes, n)
	return err
}

// container reads an array or object. Its node stands before its children are
// read, so that a fault inside them can already name its place.
func (p *parser) container(open byte, n node, depth int) (err error) {
	if depth == MaxDepth {
		return p.fail(fmt.Sprintf("nested more than %d levels deep", MaxDepth))
	}
	at := int32(len(p.nodes))
	n.kind = Array
	if open == '{' {
		n.kind = Object
	}
	p.nodes = append(p.nodes, n)
	p.pos++
	var count uint32
	if open == '{' {
		count, err = p.object(at, depth)
		p.last[depth] = at + 1
	} else {
		count, err = p.array(at, depth)
	}
	p.nodes[at].text = span{at: uint32(len(p.nodes)), length: count}
	return err
}

// since is the source text from start to here.
func (p *parser) since(start int) span {
	return span{at: uint32(start), length: uint32(p.pos - start)}
}

func (p *parser) literal(word string) (span, error) {
	if len(p.src)-p.pos < len(word) || string(p.src[p.pos:p.pos+len(word)]) != word {
		return span{}, p.fail("a value was expected")
	}
	p.pos += len(word)
	return p.since(p.pos - len(word)), nil
}

func (p *parser) object(at int32, depth int) (count uint32, err error) {
	p.skipSpace()
	if p.pos < len(p.src) && p.src[p.pos] == '}' {
		p.pos++
		return 0, nil
	}
	before := p.pattern(depth)
	var seen names
	for {
		if p.pos >= len(p.src) || p.src[p.pos] != '"' {
			return 0, p.fail("a member name in double quotes was expected")
		}
		name, follows := before.follow(p)
		if !follows {
			if name, err = p.name(at, count, &seen); err != nil {
				return 0, err
			}
		}
		p.skipSpace()
		if err := p.value(at, name, depth+1); err != nil {
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
			p.skipSpace()
		case '}':
			p.pos++
			return count, nil
		default:
			return 0, p.fail("',' or '}' was expected")
		}
	}
}

// name reads a member's name and the colon behind it.
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

// pattern is the object that was read last at a depth. The objects of a list
// mostly have the same members in the same order. As long as one follows the
// pattern its names need only be compared: they are as different from each
// other as the pattern's are.
type pattern struct {
	at   int32  // the member whose turn it is
	left uint32 // how many there are from it on, 0 when it is not followed any more
}

func (p *parser) pattern(depth int) pattern {
	if p.last[depth] == 0 {
		return pattern{}
	}
	at := p.last[depth] // one past the object is its first member
	return pattern{at: at, left: uint32(p.nodes[at-1].count())}
}

// follow reads a name and its colon if they are the pattern's.
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

// same compares n bytes at two places. Names are short, so that one load of
// each is mostly enough.
func same(src []byte, a, b, n int) bool {
	if n <= 8 && max(a, b)+8 <= len(src) {
		return (binary.LittleEndian.Uint64(src[a:])^binary.LittleEndian.Uint64(src[b:]))<<(64-8*n) == 0
	}
	return bytes.Equal(src[a:a+n], src[b:b+n])
}

// twice refuses a member that the object has already.
func (p *parser) twice(at int32, name span) error {
	p.doc.nodes = p.nodes
	return &fault.Error{
		Kind: fault.Malformed, Code: fault.CodeDuplicateKey, Detail: "a member is given twice",
		Items: []fault.Item{{
			Pointer: Value{doc: p.doc, at: at}.Pointer() + "/" + escapePointer(p.doc.text(name)),
			Code:    fault.CodeDuplicateKey, Detail: "is given twice; keep one",
		}},
	}
}

// names remembers the member names of one object: a bit for each in a filter
// that nearly always tells that a name is new, and behind it the members
// themselves, or a map of them once they are many.
type names struct {
	filter uint64
	noted  uint32 // how many members are in the filter
	all    map[string]struct{}
}

// smallObject is how many members are compared one by one before a map is
// built; most objects never need the map.
const smallObject = 16

// bit is a name's place in the filter.
func bit(name string) uint64 {
	n := len(name)
	if n == 0 {
		return 1
	}
	return 1 << ((uint(name[0])*7 + uint(name[n-1])*5 + uint(name[n/2])*3 + uint(n)) & 63)
}

func (p *parser) duplicate(at int32, span span, count uint32, seen *names) bool {
	if seen.noted < count {
		// Those before followed the pattern and were not noted.
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

// duplicateAmong compares a name that the filter could not tell to be new.
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

func (p *parser) array(at int32, depth int) (count uint32, err error) {
	p.skipSpace()
	if p.pos < len(p.src) && p.src[p.pos] == ']' {
		p.pos++
		return 0, nil
	}
	for {
		if err := p.value(at, span{at: count}, depth+1); err != nil {
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
			p.skipSpace()
		case ']':
			p.pos++
			return count, nil
		default:
			return 0, p.fail("',' or ']' was expected")
		}
	}
}

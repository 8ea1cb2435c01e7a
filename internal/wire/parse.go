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

var byteOrderMark = []byte("\xef\xbb\xbf")

// Parse reads exactly one JSON document. The answer to bytes that are not one
// is a *fault.Error of kind Malformed that says where and what, and never
// quotes a value. A UTF-8 byte order mark in front is passed over: editors and
// spreadsheets on Windows write one without asking.
func Parse(data []byte) (Value, error) { return ParseUntil(data, nil) }

// ParseUntil is Parse that calls check for about every 32 KiB, some hundred
// microseconds, and ends with its error; nil lets it come to its end.
func ParseUntil(data []byte, check func() error) (Value, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	if len(data) >= unescaped {
		return Value{}, fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the document is larger than 2 GiB")
	}
	if !utf8.Valid(data) {
		return Value{}, fault.New(fault.Malformed, fault.CodeMalformedJSON, "the document is not valid UTF-8")
	}
	if check == nil {
		check = func() error { return nil }
	}
	// Each of these passes over a large document takes a millisecond or two.
	if err := check(); err != nil {
		return Value{}, err
	}
	p := parser{src: data, doc: &document{src: string(data)}, check: check}
	if err := check(); err != nil {
		return Value{}, err
	}
	p.nodes = room(estimate(data))
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

	check func() error // nil: never interrupted
	pause int          // where it is called next
}

// bytesBetweenChecks is some hundred microseconds of parsing.
const bytesBetweenChecks = 32 << 10

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
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "the document has more than %d values", MaxValues)
	}
	if p.pos >= p.pause {
		p.pause = p.pos + bytesBetweenChecks
		if err := p.check(); err != nil {
			return err
		}
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

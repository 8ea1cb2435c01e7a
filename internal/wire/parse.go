// Package wire parses JSON strictly and writes canonical JSON.
//
// The parser preserves data that decoders usually lose: whether a member was present,
// a number as it was written, and the position of each value in the document. It
// rejects input that decoders usually accept: duplicate names, invalid UTF-8, lone
// surrogates, zero characters, excessive depth, too many values, and numbers too large
// for any credit file.
//
// The packages that define policies and applications read them from a Value.
package wire

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"verdict/internal/fault"
)

// MaxDepth is the maximum nesting of arrays and objects. A condition has at most 16
// levels of conditions, each of which needs two levels of JSON; the rest is a
// reserve.
const MaxDepth = 128

// MaxValues is the maximum number of values in a document.
const MaxValues = 1 << 20

// mostValues returns the maximum number of values in a request body of the given length: one for every four bytes, plus
// a reserve of 16,384. Without this limit, a body of tiny values could need many times its length in memory and time.
// Objects stay below the limit, even if their member names have only one letter.
func mostValues(length int) int { return min(length/4+1<<14, MaxValues) }

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds. Value.Get returns a value of kind Missing for an absent member and for a
// null member, because in a request null is the same as omitting the member.
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

// String returns the kind as error messages name it.
func (k Kind) String() string { return kindNames[k] }

// span is a piece of text: a part of the source, or an unescaped string.
type span struct {
	at     uint32 // the offset in the source, or the index in the document's list of unescaped strings
	length uint32 // in bytes; the top bit is set for an unescaped string
}

const unescaped = 1 << 31

// node is one value of a document; nodes are stored in one list, parents before
// children. A node contains no pointers, so the list is one allocation that the
// garbage collector does not scan. It is kept small, because a large request has tens
// of thousands of nodes and memory access limits the speed of parsing.
type node struct {
	// name is the member's name if the parent is an object. If the parent is an
	// array, name.at is the index among the elements.
	name span
	// text is a string's value, a number's literal, or the word of a boolean or a
	// null. For an array or object, text.at is one past the last node of the subtree
	// and text.length is the number of children.
	text   span
	parent int32
	kind   Kind
}

// next returns the index of the node after the subtree of n. at is the index of n.
func (n *node) next(at int32) int32 {
	if n.kind < Array {
		return at + 1
	}
	return int32(n.text.at)
}

// count returns the number of children.
func (n *node) count() int32 {
	if n.kind < Array {
		return 0
	}
	return int32(n.text.length)
}

type document struct {
	src       string
	unescaped []string // the values of strings that contain escapes
	nodes     []node
}

func (d *document) text(s span) string {
	if s.length&unescaped != 0 {
		return d.unescaped[s.at]
	}
	return d.src[s.at : s.at+s.length]
}

// is reports whether s equals text. It compares the lengths first, because they
// mostly differ.
func (d *document) is(s span, text string) bool {
	if s.length&unescaped != 0 {
		return d.unescaped[s.at] == text
	}
	return int(s.length) == len(text) && d.src[s.at:s.at+s.length] == text
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Parse parses exactly one JSON document. For any other input it returns a *fault.Error that says what the problem is
// and, if it has a position, where. The error never quotes a value. A leading UTF-8 byte order mark is skipped, because
// editors and spreadsheets on Windows write one.
func Parse(data []byte) (Value, error) { return parse(data, nil, MaxValues) }

// ParseUntil parses the body of a request. It does the work of Parse, and also refuses a document with too many values
// for its length; a document that was stored earlier may have more. It calls check about every 32 KiB, which take some
// hundred microseconds. If check returns an error, ParseUntil stops and returns that error. check may be nil.
func ParseUntil(data []byte, check func() error) (Value, error) {
	return parse(data, check, mostValues(len(data)))
}

// parse parses a document. The parameter most is the maximum number of values in the document.
func parse(data []byte, check func() error, most int) (Value, error) {
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
	// Validating UTF-8 and copying a large document take a millisecond or two each,
	// so call check in between.
	if err := check(); err != nil {
		return Value{}, err
	}
	p := parser{src: data, doc: &document{src: string(data)}, check: check, most: most}
	if err := check(); err != nil {
		return Value{}, err
	}
	p.nodes = newNodes(estimate(data))
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

// estimate returns the approximate number of values in a document: each value is the
// first in its container or follows a comma. The result is limited to what a body of that
// length may have, so that a text full of commas cannot cause a large allocation.
func estimate(data []byte) int {
	n := bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{'{'}) + bytes.Count(data, []byte{'['}) + 1
	return min(n, mostValues(len(data)))
}

type parser struct {
	src   []byte
	pos   int
	nodes []node // assigned to doc.nodes at the end
	most  int    // the maximum length of nodes
	doc   *document
	// last has, for each depth, the index after the node of the last object that was
	// read at that depth, or 0 for none.
	last [MaxDepth]int32

	check func() error // never nil
	pause int          // position of the next call of check
}

// bytesBetweenChecks is the interval of the calls of check, some hundred
// microseconds of parsing.
const bytesBetweenChecks = 32 << 10

// fail returns a syntax error with line and column.
func (p *parser) fail(what string) error {
	before := p.src[:min(p.pos, len(p.src))]
	line := bytes.Count(before, []byte{'\n'}) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1) + 1
	return fault.New(fault.Malformed, fault.CodeMalformedJSON, "line %d, column %d: %s", line, column, what)
}

// skipSpace skips white space. Most documents have none, so the test is a separate
// function that is small enough to be inlined.
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

// value parses one value and appends its subtree. parent is -1 for the root;
// depth is the number of enclosing arrays and objects.
func (p *parser) value(parent int32, name span, depth int) (err error) {
	if p.pos >= len(p.src) {
		if len(p.nodes) == 0 {
			return p.fail("the document is empty")
		}
		return p.fail("the document ends where a value was expected")
	}
	if len(p.nodes) == p.most {
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
			"the document has more than %d values, the most for its size", p.most)
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

// container parses an array or object. It appends the node before parsing the
// children, so that a fault in them can already state its pointer.
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

// since returns the source text from start to the current position.
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

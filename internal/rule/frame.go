package rule

import (
	"slices"
)

// Slots numbers the fields that one plan reads, and for each string field the
// texts it is compared with. Once the plan is built it is only read.
type Slots struct {
	refs   []Ref
	types  []Type
	texts  []texts
	byID   []uint16         // catalogue id to slot+1, so that zero means none
	byName map[string]int32 // inputs that the policy declares
}

// NewSlots makes an empty numbering over a catalogue.
func NewSlots(c *Catalogue) *Slots {
	const usual = 48 // fields that a policy reads
	return &Slots{
		byID: make([]uint16, c.Len()),
		refs: make([]Ref, 0, usual), types: make([]Type, 0, usual), texts: make([]texts, 0, usual),
	}
}

// Slot returns the field's number, giving it one when it is new.
func (s *Slots) Slot(ref Ref) int32 {
	if at, ok := s.Find(ref); ok {
		return at
	}
	at := int32(len(s.refs))
	s.refs = append(s.refs, ref)
	s.types = append(s.types, ref.Type)
	s.texts = append(s.texts, texts{})
	if ref.ID >= 0 {
		s.byID[ref.ID] = uint16(at) + 1
		return at
	}
	if s.byName == nil {
		s.byName = map[string]int32{}
	}
	s.byName[ref.Name] = at
	return at
}

// Find returns the field's slot without giving it one.
func (s *Slots) Find(ref Ref) (int32, bool) {
	if ref.ID >= 0 {
		at := s.byID[ref.ID]
		return int32(at) - 1, at != 0
	}
	at, ok := s.byName[ref.Name]
	return at, ok
}

// Len is the number of fields.
func (s *Slots) Len() int { return len(s.refs) }

// Ref is the field behind a slot.
func (s *Slots) Ref(slot int32) Ref { return s.refs[slot] }

// Number is a constant as a frame holds it in the slot it is compared with: a
// number itself, 0 or 1 for a boolean, the text's number for a string.
func (s *Slots) Number(slot int32, v Value) Number {
	if v.typ == StringType {
		return s.texts[slot].intern(v.str)
	}
	return v.num
}

// texts numbers the texts that one slot is compared with.
type texts struct {
	list   []string
	byText map[string]Number // built when the list is too long to search
}

// unseen is the number of every text that no condition compares with.
const unseen Number = -1

const fewTexts = 16

func (t *texts) find(text string) Number {
	if t.byText == nil {
		return Number(slices.Index(t.list, text))
	}
	if n, ok := t.byText[text]; ok {
		return n
	}
	return unseen
}

func (t *texts) intern(text string) Number {
	if n := t.find(text); n != unseen {
		return n
	}
	n := Number(len(t.list))
	t.list = append(t.list, text)
	switch {
	case t.byText != nil:
		t.byText[text] = n
	case len(t.list) > fewTexts:
		t.byText = make(map[string]Number, 2*len(t.list))
		for i, text := range t.list {
			t.byText[text] = Number(i)
		}
	}
	return n
}

// state says whether a slot can be read.
type state uint8

const (
	absent   state = iota
	given          // there, with the type the catalogue promises
	mistyped       // there, with another type: seen by exists, unknown to the rest
)

// Frame holds the facts of one application as one plan numbers them. It
// belongs to a single decision at a time and is reused by the next; nothing
// of a request ever lives in a plan.
type Frame struct {
	nums   []Number // the number, 0 or 1 for a boolean, a text's number for a string
	states []state  // whether nums means anything
	texts  []string
	given  uint64 // a bit for each of the first 64 slots that can be read
}

// Load fills the frame with the facts that the plan reads and with nothing
// else: a fact the policy does not name cannot reach it.
func (s *Slots) Load(f *Facts, fr *Frame) {
	n := len(s.refs)
	if cap(fr.states) < n {
		fr.nums, fr.states, fr.texts = make([]Number, n), make([]state, n), make([]string, n)
	}
	fr.nums, fr.states, fr.texts = fr.nums[:n], fr.states[:n], fr.texts[:n]
	clear(fr.states)
	fr.given = 0
	types, nums, states, bits := s.types[:n], fr.nums, fr.states, uint64(0)
	for i := range f.known {
		x := &f.known[i]
		slot := int(s.byID[x.id]) - 1
		if slot < 0 {
			continue
		}
		if x.typ == types[slot] && x.typ != StringType {
			nums[slot], states[slot] = x.num, given
			bits |= 1 << slot
			continue
		}
		fr.given = bits
		s.Put(fr, int32(slot), f.value(x))
		bits = fr.given
	}
	fr.given = bits
	for i := range f.others {
		if at, ok := s.byName[f.others[i].Name]; ok {
			s.Put(fr, at, f.others[i].Value)
		}
	}
}

// Put gives one slot its value; an absent one clears it.
func (s *Slots) Put(fr *Frame, slot int32, v Value) {
	bit := uint64(1) << slot // 0 beyond the first 64
	if v.typ != s.types[slot] {
		fr.given &^= bit
		fr.states[slot] = mistyped
		if v.typ == Absent {
			fr.states[slot] = absent
		}
		return
	}
	num := v.num
	if v.typ == StringType {
		num = s.texts[slot].find(v.str)
		fr.texts[slot] = v.str
	}
	fr.nums[slot] = num
	fr.states[slot] = given
	fr.given |= bit
}

// Number reads a number slot; ok is false unless it was given as a number.
func (fr *Frame) Number(slot int32) (n Number, ok bool) {
	return fr.nums[slot], fr.states[slot] == given
}

// Given reports whether the slot has a readable value.
func (fr *Frame) Given(slot int32) bool { return fr.states[slot] == given }

// Value reads a slot back as a Value; a mistyped one reads as absent.
func (s *Slots) Value(fr *Frame, slot int32) Value {
	if fr.states[slot] != given {
		return Value{}
	}
	switch t := s.types[slot]; t {
	case StringType:
		return Str(fr.texts[slot])
	default:
		return Value{num: fr.nums[slot], typ: t}
	}
}

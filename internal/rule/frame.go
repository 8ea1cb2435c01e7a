package rule

// Slots numbers the fields that one plan reads and interns the strings it
// compares with. Once the plan is built it is only read.
type Slots struct {
	refs   []Ref
	byID   []uint16         // catalogue id to slot+1, so that zero means none
	byName map[string]int32 // inputs that the policy declares
	texts  map[string]Number
}

// MaxSlots bounds the distinct fields of one policy.
const MaxSlots = 1<<16 - 2

// NewSlots makes an empty numbering over a catalogue.
func NewSlots(c *Catalogue) *Slots {
	return &Slots{byID: make([]uint16, c.Len()), byName: map[string]int32{}, texts: map[string]Number{}}
}

// Slot returns the field's number, giving it one when it is new.
func (s *Slots) Slot(ref Ref) int32 {
	if ref.ID >= 0 {
		if at := s.byID[ref.ID]; at != 0 {
			return int32(at) - 1
		}
		s.refs = append(s.refs, ref)
		s.byID[ref.ID] = uint16(len(s.refs))
		return int32(len(s.refs)) - 1
	}
	if at, ok := s.byName[ref.Name]; ok {
		return at
	}
	s.refs = append(s.refs, ref)
	s.byName[ref.Name] = int32(len(s.refs)) - 1
	return int32(len(s.refs)) - 1
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

// unseen is the number of every string that no condition compares with.
const unseen Number = -1

// Intern returns the number that stands for a string in this plan.
func (s *Slots) Intern(text string) Number {
	n, ok := s.texts[text]
	if !ok {
		n = Number(len(s.texts))
		s.texts[text] = n
	}
	return n
}

// Number is a constant as a frame's cells hold it: a number itself, 0 or 1
// for a boolean, the interned number of a string.
func (s *Slots) Number(v Value) Number {
	if v.typ == StringType {
		return s.Intern(v.str)
	}
	return v.num
}

// state says whether a slot can be read.
type state uint8

const (
	absent   state = iota
	given          // there, with the type the catalogue promises
	mistyped       // there, with another type: seen by exists, unknown to the rest
)

// cell is one slot of a frame. num is the number, 0 or 1 for a boolean, the
// interned number for a string.
type cell struct {
	num   Number
	state state
}

// Frame holds the facts of one application as one plan numbers them. It
// belongs to a single decision at a time and is reused by the next; nothing
// of a request ever lives in a plan.
type Frame struct {
	cells []cell
	texts []string
	given uint64 // a bit for each of the first 64 slots that can be read
}

// Load fills the frame with the facts that the plan reads and with nothing
// else: a fact the policy does not name cannot reach it.
func (s *Slots) Load(f *Facts, fr *Frame) {
	n := len(s.refs)
	if cap(fr.cells) < n {
		fr.cells = make([]cell, n)
		fr.texts = make([]string, n)
	}
	fr.cells = fr.cells[:n]
	fr.texts = fr.texts[:n]
	fr.given = 0
	clear(fr.cells)
	for i := range f.list {
		x := &f.list[i]
		var slot int32
		if x.ID >= 0 {
			slot = int32(s.byID[x.ID]) - 1
			if slot < 0 {
				continue
			}
		} else {
			at, ok := s.byName[x.Name]
			if !ok {
				continue
			}
			slot = at
		}
		s.put(fr, slot, &x.Value)
	}
}

// Put gives one slot its value; an absent one clears it.
func (s *Slots) Put(fr *Frame, slot int32, v Value) { s.put(fr, slot, &v) }

func (s *Slots) put(fr *Frame, slot int32, v *Value) {
	c := &fr.cells[slot]
	bit := uint64(1) << slot // 0 beyond the first 64
	switch {
	case v.typ == Absent:
		c.state = absent
		fr.given &^= bit
		return
	case v.typ != s.refs[slot].Type:
		c.state = mistyped
		fr.given &^= bit
		return
	case v.typ == StringType:
		n, ok := s.texts[v.str]
		if !ok {
			n = unseen
		}
		*c = cell{num: n, state: given}
		fr.texts[slot] = v.str
	default:
		*c = cell{num: v.num, state: given}
	}
	fr.given |= bit
}

// Number reads a number slot; ok is false unless it was given as a number.
func (fr *Frame) Number(slot int32) (n Number, ok bool) {
	c := &fr.cells[slot]
	return c.num, c.state == given
}

// Given reports whether the slot has a readable value.
func (fr *Frame) Given(slot int32) bool { return fr.cells[slot].state == given }

// Value reads a slot back as a Value; a mistyped one reads as absent.
func (s *Slots) Value(fr *Frame, slot int32) Value {
	c := &fr.cells[slot]
	if c.state != given {
		return Value{}
	}
	switch t := s.refs[slot].Type; t {
	case StringType:
		return Str(fr.texts[slot])
	default:
		return Value{num: c.num, typ: t}
	}
}

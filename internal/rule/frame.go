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
	byID   []intake         // by catalogue id
	byName map[string]int32 // inputs that the policy declares
}

// intake is how a known fact gets into a frame, in as little memory as can be:
// every decision looks up one for every fact.
type intake struct {
	slot uint16 // one more than the slot, so that zero means none
	typ  Type   // of facts that are taken over as they are: numbers and booleans
}

// NewSlots makes an empty numbering over a catalogue.
func NewSlots(c *Catalogue) *Slots {
	const usual = 48 // fields that a policy reads
	return &Slots{
		byID: make([]intake, c.Len()),
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
		s.byID[ref.ID] = intake{slot: uint16(at) + 1, typ: ref.Type}
		if ref.Type == StringType {
			s.byID[ref.ID].typ = Absent // a text has yet to be numbered
		}
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
		at := s.byID[ref.ID].slot
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

	// shelves has one more than the number of the only text that stands there,
	// 0 for none and crowded for several, so that a text is seldom compared with
	// more than one other.
	shelves [32]uint8
}

const crowded = 255

// shelf is where a text stands, by a few of its bytes.
func shelf(text string) int {
	if text == "" {
		return 0
	}
	return (len(text) + 7*int(text[0]) + 31*int(text[len(text)/2])) % 32
}

// unseen is the number of every text that no condition compares with.
const unseen Number = -1

const fewTexts = 16

func (t *texts) find(text string) Number {
	switch n := t.shelves[shelf(text)]; {
	case n == 0:
		return unseen
	case n != crowded:
		if t.list[n-1] == text {
			return Number(n) - 1
		}
		return unseen
	case t.byText == nil:
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
	if s := &t.shelves[shelf(text)]; *s != 0 || n+1 >= crowded {
		*s = crowded
	} else {
		*s = uint8(n) + 1
	}
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

// Frame holds the facts of one application as one plan numbers them. It
// belongs to a single decision at a time and is reused by the next; nothing
// of a request ever lives in a plan.
type Frame struct {
	nums  []Number // the number, 0 or 1 for a boolean, a text's number for a string
	texts []string

	// A bit for each slot that is there with the type that the catalogue
	// promises, and for each that is there with another: seen by exists, unknown
	// to the rest. There is always a first word, and nearly always no other.
	given, mistyped []uint64
}

func isSet(words []uint64, slot int32) bool { return words[slot>>6]>>(slot&63)&1 != 0 }

// Load fills the frame with the facts that the plan reads and with nothing
// else: a fact the policy does not name cannot reach it.
func (s *Slots) Load(f *Facts, fr *Frame) {
	fr.clear(len(s.refs))
	// The bits are gathered beside the frame: one that waited for the last to
	// be in memory would take longer than all the rest of its fact.
	byID, nums, bits := s.byID, fr.nums, uint64(0)
	for i := range f.known {
		x := &f.known[i]
		in := byID[x.id]
		if x.typ == in.typ && in.slot <= 64 {
			nums[in.slot-1] = x.num
			bits |= 1 << ((in.slot - 1) & 63)
		} else if in.slot != 0 {
			fr.given[0], bits = fr.given[0]|bits, 0
			s.Put(fr, int32(in.slot)-1, f.value(x))
		}
	}
	fr.given[0] |= bits
	for i := range f.others {
		if at, ok := s.byName[f.others[i].Name]; ok {
			s.Put(fr, at, f.others[i].Value)
		}
	}
}

// clear makes room for n slots without a value. What the numbers and texts
// were stays: nothing reads them.
func (fr *Frame) clear(n int) {
	words := n/64 + 1
	if cap(fr.nums) < n || cap(fr.given) < words {
		fr.nums, fr.texts = make([]Number, n), make([]string, n)
		fr.given, fr.mistyped = make([]uint64, words), make([]uint64, words)
	}
	fr.nums, fr.texts = fr.nums[:n], fr.texts[:n]
	fr.given, fr.mistyped = fr.given[:words], fr.mistyped[:words]
	for i := range words { // one, nearly always: less than a call of clear
		fr.given[i], fr.mistyped[i] = 0, 0
	}
}

// Put gives one slot its value; an absent one clears it.
func (s *Slots) Put(fr *Frame, slot int32, v Value) {
	word, bit := slot>>6, uint64(1)<<(slot&63)
	if v.typ != s.types[slot] {
		fr.given[word] &^= bit
		fr.mistyped[word] |= bit
		if v.typ == Absent {
			fr.mistyped[word] &^= bit
		}
		return
	}
	num := v.num
	if v.typ == StringType {
		num = s.texts[slot].find(v.str)
		fr.texts[slot] = v.str
	}
	fr.nums[slot] = num
	fr.given[word] |= bit
}

// Number reads a number slot; ok is false unless it was given as a number.
func (fr *Frame) Number(slot int32) (n Number, ok bool) {
	return fr.nums[slot], fr.Given(slot)
}

// Given reports whether the slot has a readable value.
func (fr *Frame) Given(slot int32) bool { return isSet(fr.given, slot) }

// Value reads a slot back as a Value; a mistyped one reads as absent.
func (s *Slots) Value(fr *Frame, slot int32) Value {
	if !fr.Given(slot) {
		return Value{}
	}
	switch t := s.types[slot]; t {
	case StringType:
		return Str(fr.texts[slot])
	default:
		return Value{num: fr.nums[slot], typ: t}
	}
}

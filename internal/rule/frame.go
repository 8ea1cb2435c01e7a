package rule

import (
	"slices"
)

// Slots assigns a slot number to each field that one plan reads. For each
// string field it also assigns numbers to the texts that the field is compared
// with. It is read-only once the plan is built.
type Slots struct {
	refs   []Ref
	types  []Type
	texts  []texts
	byID   []slotEntry      // indexed by catalogue id
	byName map[string]int32 // the slots of inputs that the policy declares
}

// slotEntry says in which slot a fact is stored. It is kept small because every
// decision looks up one entry for every fact.
type slotEntry struct {
	slot uint16 // the slot plus one; 0 means none
	typ  Type   // the field's type if its values are copied unchanged (numbers and booleans), otherwise Absent
}

// NewSlots returns Slots without any assigned slot, for fields of the catalogue
// and inputs.
func NewSlots(c *Catalogue) *Slots {
	const usual = 48 // fields that a typical policy reads
	return &Slots{
		byID:  make([]slotEntry, c.Len()),
		refs:  make([]Ref, 0, usual),
		types: make([]Type, 0, usual),
		texts: make([]texts, 0, usual),
	}
}

// Slot returns the field's slot. It assigns one if the field has none yet.
func (s *Slots) Slot(ref Ref) int32 {
	if at, ok := s.Find(ref); ok {
		return at
	}
	at := int32(len(s.refs))
	s.refs = append(s.refs, ref)
	s.types = append(s.types, ref.Type)
	s.texts = append(s.texts, texts{})
	if ref.ID >= 0 {
		s.byID[ref.ID] = slotEntry{slot: uint16(at) + 1, typ: ref.Type}
		if ref.Type == StringType {
			s.byID[ref.ID].typ = Absent // a text must be replaced by its number
		}
		return at
	}
	if s.byName == nil {
		s.byName = map[string]int32{}
	}
	s.byName[ref.Name] = at
	return at
}

// Find returns the field's slot. It returns false, and assigns no slot, if the
// field has none.
func (s *Slots) Find(ref Ref) (int32, bool) {
	if ref.ID >= 0 {
		at := s.byID[ref.ID].slot
		return int32(at) - 1, at != 0
	}
	at, ok := s.byName[ref.Name]
	return at, ok
}

// Len returns the number of slots.
func (s *Slots) Len() int { return len(s.refs) }

// Ref returns the field of a slot.
func (s *Slots) Ref(slot int32) Ref { return s.refs[slot] }

// Number returns the number that represents the constant v in a slot of a
// frame. It is the number itself, 0 or 1 for a boolean, or the number of a
// text, which Number assigns if necessary.
func (s *Slots) Number(slot int32, v Value) Number {
	if v.typ == StringType {
		return s.texts[slot].intern(v.str)
	}
	return v.num
}

// texts assigns numbers to the texts that one slot is compared with.
type texts struct {
	list   []string
	byText map[string]Number // built once the list has more than fewTexts texts; nil before

	// buckets is a small hash table. An entry is 0 if the bucket is empty, the number of its only text plus one, or
	// collided if several texts share it or the number does not fit. So a lookup seldom compares a text with more than
	// one other text.
	buckets [32]uint8
}

const collided = 255

// bucketOf returns the hash bucket of a text, computed from its length and two
// of its bytes.
func bucketOf(text string) int {
	if text == "" {
		return 0
	}
	return (len(text) + 7*int(text[0]) + 31*int(text[len(text)/2])) % 32
}

// noText is the number of every text that has no number of its own, because no
// condition compares with it.
const noText Number = -1

const fewTexts = 16

func (t *texts) find(text string) Number {
	switch n := t.buckets[bucketOf(text)]; {
	case n == 0:
		return noText
	case n != collided:
		if t.list[n-1] == text {
			return Number(n) - 1
		}
		return noText
	case t.byText == nil:
		return Number(slices.Index(t.list, text))
	}
	if n, ok := t.byText[text]; ok {
		return n
	}
	return noText
}

func (t *texts) intern(text string) Number {
	if n := t.find(text); n != noText {
		return n
	}
	n := Number(len(t.list))
	t.list = append(t.list, text)
	if s := &t.buckets[bucketOf(text)]; *s != 0 || n+1 >= collided {
		*s = collided
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

// Frame stores the facts of one application by slot number. One decision uses
// it at a time, and the next decision may reuse it. A plan itself stores no
// data of a request.
type Frame struct {
	nums  []Number // the number, 0 or 1 for a boolean, a text's number for a string
	texts []string

	// given has a bit for each slot whose value has the type that the catalogue
	// states. mistyped has a bit for each slot whose value has another type:
	// "exists" holds for such a value, and all other predicates on it are
	// unknown. Both slices have at least one word, and nearly always only one.
	given, mistyped []uint64
}

func isSet(words []uint64, slot int32) bool { return words[slot>>6]>>(slot&63)&1 != 0 }

// Load fills the frame with the facts that the plan reads. It ignores facts of
// fields that have no slot.
func (s *Slots) Load(f *Facts, fr *Frame) {
	s.Clear(fr)
	s.Merge(f, fr)
}

// Clear removes all values from the frame.
func (s *Slots) Clear(fr *Frame) { fr.clear(len(s.refs)) }

// Merge adds facts to a frame that may have other values already.
func (s *Slots) Merge(f *Facts, fr *Frame) {
	// Collect the bits in a register. If each fact wrote its bit to memory,
	// each write would wait for the previous one, and that would cost more than
	// the rest of the loop.
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

// clear resizes the frame to n slots without values. It does not overwrite old
// numbers and texts, because no code reads the value of a slot that is not
// given.
func (fr *Frame) clear(n int) {
	words := n/64 + 1
	if cap(fr.nums) < n || cap(fr.given) < words {
		fr.nums, fr.texts = make([]Number, n), make([]string, n)
		fr.given, fr.mistyped = make([]uint64, words), make([]uint64, words)
	}
	fr.nums, fr.texts = fr.nums[:n], fr.texts[:n]
	fr.given, fr.mistyped = fr.given[:words], fr.mistyped[:words]
	for i := range words { // nearly always one word, for which the loop is cheaper than the builtin clear
		fr.given[i], fr.mistyped[i] = 0, 0
	}
}

// Put stores a value in one slot. An absent value clears the slot. If the value does not have the type of the
// field, the slot is marked as mistyped.
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

// SetNumber stores a number in one of the first 64 slots. The field of the slot must be a number.
func (fr *Frame) SetNumber(slot int32, n Number) {
	fr.nums[slot] = n
	fr.given[0] |= 1 << (slot & 63)
}

// Number returns the number in a slot. ok is false if the slot has no readable
// value.
func (fr *Frame) Number(slot int32) (n Number, ok bool) {
	return fr.nums[slot], fr.Given(slot)
}

// Given reports whether the slot has a readable value.
func (fr *Frame) Given(slot int32) bool { return isSet(fr.given, slot) }

// Value returns the value of a slot. A mistyped value reads as absent.
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

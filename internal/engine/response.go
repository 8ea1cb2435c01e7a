package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"verdict/internal/wire"
)

// ResponseHash computes the decision hash from a response that Write wrote, so
// that anyone can check that the response was not altered. For any other
// document the hash does not match.
func ResponseHash(v wire.Value) string {
	var w wire.Writer
	w.Object().Key("explanation")
	canonicalValue(&w, v.Get("explanation"))
	w.Key("grade").Value(v.Get("grade"))
	w.Key("offer").Object()
	for _, m := range sortedMembers(v.Get("offer")) {
		switch m.name {
		case offerTable[offerValidUntil].name:
			continue
		case offerTable[offerConditions].name:
			w.Key(m.name).Array()
			for _, term := range m.value.Elements() {
				w.Value(term.Get("code"))
			}
			w.EndArray()
		default:
			w.Name(m.name)
			canonicalValue(&w, m.value)
		}
	}
	w.EndObject()
	w.Key("policy").Object().Key("checksum").Value(v.Get("policy").Get("checksum")).EndObject()
	w.Key("reasons").Array()
	for _, r := range v.Get("reasons").Elements() {
		w.Object().Key("code").Value(r.Get("code")).Key("rank").Value(r.Get("rank")).EndObject()
	}
	w.EndArray().Key("status").Value(v.Get("status")).EndObject()
	sum := sha256.Sum256(w.Buf)
	return hashPrefix + hex.EncodeToString(sum[:])
}

type namedMember struct {
	name  string
	value wire.Value
}

func sortedMembers(v wire.Value) []namedMember {
	list := make([]namedMember, 0, v.Len())
	for name, member := range v.Members() {
		list = append(list, namedMember{name, member})
	}
	slices.SortFunc(list, func(a, b namedMember) int { return cmp.Compare(a.name, b.name) })
	return list
}

// canonicalValue writes a value with the members of its objects in name order.
// It copies numbers as they are, because Write already wrote them in canonical
// form.
func canonicalValue(w *wire.Writer, v wire.Value) {
	switch v.Kind() {
	case wire.Object:
		w.Object()
		for _, m := range sortedMembers(v) {
			w.Name(m.name)
			canonicalValue(w, m.value)
		}
		w.EndObject()
	case wire.Array:
		w.Array()
		for _, e := range v.Elements() {
			canonicalValue(w, e)
		}
		w.EndArray()
	default:
		w.Value(v)
	}
}

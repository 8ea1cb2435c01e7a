package journal

import (
	"context"
	"encoding/hex"
	"iter"
	"slices"
	"strings"

	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/wire"
)

// The facts about people other than the primary applicant are zones of a decision too, each sealed with the key of
// its person. The member "people" of the column plain contains hashes of the references of these people, made with
// the same keys. An erasure replaces a reference by its hash, as it does with the reference in the leaf of a
// decision.

func holderOfPerson(environment string, p *store.DecisionPerson) holder {
	return holder{environment: environment, reference: p.Ref}
}

// peopleOf returns the people of a decision by the zones of their facts, in the order of the zones' numbers. It leaves
// out a role that has no zone.
func peopleOf(d *store.Decision) iter.Seq2[sealing.Zone, *store.DecisionPerson] {
	return func(yield func(sealing.Zone, *store.DecisionPerson) bool) {
		for _, zone := range peopleZones {
			i := slices.IndexFunc(d.People, func(p store.DecisionPerson) bool { return p.Role == zone.String() })
			if i >= 0 && !yield(zone, &d.People[i]) {
				return
			}
		}
	}
}

var peopleZones = [...]sealing.Zone{sealing.CoApplicant, sealing.Guarantor}

// personKey returns the key of a person from the tree that the facts name, or from the tree with the given number if
// the facts are not sealed.
func (t *Tree) personKey(environment string, p *store.DecisionPerson, number int64) sealing.Secret {
	if p.KeyTree != 0 {
		number = p.KeyTree
	}
	return t.secret(number, holderOfPerson(environment, p))
}

// Numbers returns the numbers of all trees of the tenant.
func (t *Tree) Numbers() (numbers []int64) {
	for number := int64(firstTree); number <= t.newest; number++ {
		numbers = append(numbers, number)
	}
	return numbers
}

// personTrees returns the numbers of the trees that may have the key of a person of a decision. It returns the
// number of one tree: that of the person's facts or of the decision's documents. If all these documents were
// erased, it returns the numbers of all trees.
func (t *Tree) personTrees(d *store.Decision, p *store.DecisionPerson) []int64 {
	of, sealed := sealing.TreeOf(p.Facts)
	switch {
	case sealed:
		return []int64{of}
	case p.KeyTree != 0:
		return []int64{p.KeyTree}
	case d.KeyTree != 0:
		return []int64{d.KeyTree} // all documents of a decision are sealed at the same time
	case len(p.Facts) > 0:
		return []int64{firstTree}
	}
	return t.Numbers()
}

// addPeople adds the hashes of the facts about the people of a decision, and returns the hashes of their references in
// the same order. Keys of documents that are not sealed are from the tree with the given number.
func (l *zoneList) addPeople(
	tree *Tree, number int64, environment string, d *store.Decision,
) (refs []sealing.ZoneHash) {
	for zone, p := range peopleOf(d) {
		key := tree.personKey(environment, p, number)
		salt := sealing.SaltOf(&key, d.ID, zone)
		l.zones[l.count] = sealing.ZoneHash{Zone: zone, Hash: sealing.HashZone(zone, salt, p.Facts)}
		l.count++
		refs = append(refs, sealing.ZoneHash{Zone: zone, Hash: sealing.Reference(key, p.Ref)})
	}
	return refs
}

// writePeople writes the references of people into the column plain.
func writePeople(w *wire.Writer, refs []sealing.ZoneHash) {
	if len(refs) == 0 {
		return
	}
	w.Key("people").Object()
	for _, r := range refs {
		w.Key(r.Zone.String()).String(hex.EncodeToString(r.Hash[:]))
	}
	w.EndObject()
}

// sealPeople replaces the facts about people by their ciphertexts, with keys from the tree with the given number. It
// does not change facts that were erased.
func (t *Tree) sealPeople(environment string, d *store.Decision, number int64, hashes []sealing.ZoneHash) {
	for zone, p := range peopleOf(d) {
		i := slices.IndexFunc(hashes, func(h sealing.ZoneHash) bool { return h.Zone == zone })
		if i < 0 || len(p.Facts) == 0 {
			continue
		}
		sealer := sealing.NewSealer(t.secret(number, holderOfPerson(environment, p)), d.ID)
		p.Facts = sealer.SealDocument(nil, number, hashes[i], p.Facts)
	}
}

// openPeople replaces the ciphertexts of facts about people by the facts. It returns the zones that cannot be
// decrypted.
func (t *Tree) openPeople(environment string, d *store.Decision) (unreadable []sealing.Zone) {
	for zone, p := range peopleOf(d) {
		if !sealing.Sealed(p.Facts) {
			continue
		}
		p.KeyTree = t.number(p.Facts)
		sealer := sealing.NewSealer(t.secret(p.KeyTree, holderOfPerson(environment, p)), d.ID)
		opened, err := sealer.OpenDocument(zone, p.Facts)
		if err != nil {
			unreadable = append(unreadable, zone)
		}
		p.Facts = opened
	}
	return unreadable
}

// withPeople returns a Tree that also knows the keys of the facts about the people of a decision.
func (k *Keys) withPeople(ctx context.Context, t *Tree, environment string, d *store.Decision) (_ *Tree, err error) {
	of := *d
	of.KeyTree = treeOfDecision(d, nil)
	for _, p := range peopleOf(d) {
		if strings.HasPrefix(p.Ref, store.ErasedPrefix) {
			continue
		}
		for _, number := range t.personTrees(&of, p) {
			if t, err = k.with(ctx, t, number, holderOfPerson(environment, p)); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// PersonReplacement returns the text that replaces the reference of the person with the given role in an erased row.
// It reads the text from the column plain of the decision, and returns "" if the column does not contain it.
func PersonReplacement(plain, role string) string {
	document, err := wire.Parse([]byte(plain))
	if err != nil {
		return ""
	}
	return strings.Clone(document.Get("people").Get(role).Text())
}

// comparePeople compares the people of a stored decision with the column plain, which the leaf covers. It adds the
// hashes of their zones to l, and returns a sentence for each difference.
func (l *zoneList) comparePeople(
	tree *Tree, environment string, d *store.Decision, plain wire.Value, e Erased,
) (found []string) {
	stored := map[sealing.Zone]*store.DecisionPerson{}
	for zone, p := range peopleOf(d) {
		stored[zone] = p
	}
	if len(stored) < len(d.People) {
		found = append(found, "a person with an unknown role was added")
	}
	refs, zones := plain.Get("people"), plain.Get("zones")
	for _, zone := range peopleZones {
		role := zone.String()
		want, p := refs.Get(role).Text(), stored[zone]
		if want == "" && p == nil {
			continue
		}
		if want == "" {
			found = append(found, "a "+personNames[zone]+" was added")
			continue
		}
		hash := sealing.ZoneHash{Zone: zone, Hash: plainHash(d.Plain, zone)}
		if p == nil {
			found = append(found, "the "+personNames[zone]+" is missing")
		} else {
			found = append(found, e.comparePerson(zone)...)
			key, same := tree.keyFor(environment, d, p, want)
			switch {
			case p.Ref == store.ErasedPrefix+want: // the key is gone
			case !same:
				found = append(found, "the reference of the "+personNames[zone]+" was altered")
			case len(p.Facts) > 0:
				hash.Hash = sealing.HashZone(zone, sealing.SaltOf(&key, d.ID, zone), p.Facts)
				if zones.Get(role).Text() != hex.EncodeToString(hash.Hash[:]) {
					found = append(found, "the stored facts of the "+personNames[zone]+" were altered")
					hash.Hash = plainHash(d.Plain, zone)
				}
			}
		}
		l.zones[l.count] = hash
		l.count++
	}
	return found
}

// keyFor returns the key with which the reference of a person has the given hash. ok is false if there is no such
// key.
func (t *Tree) keyFor(
	environment string, d *store.Decision, p *store.DecisionPerson, hash string,
) (key sealing.Secret, ok bool) {
	for _, number := range t.personTrees(d, p) {
		key = t.secret(number, holderOfPerson(environment, p))
		reference := sealing.Reference(key, p.Ref)
		if hex.EncodeToString(reference[:]) == hash {
			return key, true
		}
	}
	return key, false
}

// comparePerson compares what is left of the facts about a person with what the journal says about the person's
// erasure.
func (e *Erased) comparePerson(zone sealing.Zone) []string {
	emptied := slices.Contains(e.Zones, zone)
	switch entry := e.People[zone]; {
	case entry == ErasureCompleted && !emptied:
		return []string{"the " + personNames[zone] + " was erased, but facts are stored"}
	case emptied && entry == NotErased && !slices.Contains(e.Expired, zone):
		return []string{"the facts of the " + personNames[zone] +
			" were removed, and the journal has no entry of an erasure"}
	}
	return nil
}

var personNames = map[sealing.Zone]string{sealing.CoApplicant: "co-applicant", sealing.Guarantor: "guarantor"}

// PersonReferences reads the column plain of a decision. It returns, by the zone of each person, the hash of the
// person's reference in hexadecimal digits.
func PersonReferences(plain string) iter.Seq2[sealing.Zone, string] {
	return func(yield func(sealing.Zone, string) bool) {
		for _, zone := range peopleZones {
			if ref := PersonReplacement(plain, zone.String()); ref != "" && !yield(zone, ref) {
				return
			}
		}
	}
}

// ofApplicant returns how many of the zones belong to the primary applicant.
func ofApplicant(zones []sealing.Zone) (n int) {
	for _, zone := range zones {
		if !slices.Contains(peopleZones[:], zone) {
			n++
		}
	}
	return n
}

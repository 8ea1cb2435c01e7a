package journal

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

// seal replaces the documents of a decision by their ciphertexts. key is from the tree with the
// given number. All ciphertexts share one piece of memory.
func seal(key *sealing.Secret, number int64, hashes zoneList, w *store.DecisionWrite) {
	sealer := sealing.NewSealer(*key, w.Decision.ID)
	lent := borrow()
	defer lent.release()
	var sizes [maxZones]int
	sealed, zone := lent.text[:0], 0
	for _, document := range documents(&w.Decision, w.Features) {
		before := len(sealed)
		sealed = sealer.SealDocument(sealed, number, hashes.zones[zone], *document)
		sizes[zone], zone = len(sealed)-before, zone+1
	}
	lent.text = sealed
	own, zone := bytes.Clone(sealed), 0
	for _, document := range documents(&w.Decision, w.Features) {
		size := sizes[zone]
		*document, own, zone = own[:size:size], own[size:], zone+1
	}
}

// SealStored replaces the unencrypted documents of a stored decision by their ciphertexts. It
// does nothing if documents are not encrypted.
func (k *Keys) SealStored(ctx context.Context, t *Tree, environment string, w *store.DecisionWrite) error {
	if !t.seals {
		return nil
	}
	// The leaf was made with the key from the first tree.
	t, err := k.with(ctx, t, firstTree, holderOf(environment, &w.Decision))
	if err != nil {
		return err
	}
	for _, p := range peopleOf(&w.Decision) {
		if t, err = k.with(ctx, t, firstTree, holderOfPerson(environment, p)); err != nil {
			return err
		}
	}
	t.sealStored(environment, w)
	return nil
}

func (t *Tree) sealStored(environment string, w *store.DecisionWrite) {
	emptied := Emptied(&w.Decision, w.Features) // at the end of a retention period
	key := t.keyOf(firstTree, environment, &w.Decision)
	hashes := zonesOf(&key, &w.Decision, w.Features)
	seal(&key, firstTree, hashes, w)
	hashes.addPeople(t, firstTree, environment, &w.Decision)
	t.sealPeople(environment, &w.Decision, firstTree, hashes.list())
	w.KeyChanges = t.Changes(environment)
	for zone, document := range documents(&w.Decision, w.Features) {
		if slices.Contains(emptied, zone) {
			*document = []byte{}
		}
	}
}

// Unreadable is the error for sealed documents that cannot be decrypted. They were altered, or
// moved from another row, or the row's applicant reference was altered.
type Unreadable struct{ Zones []sealing.Zone }

func (e Unreadable) Error() string {
	names := make([]string, len(e.Zones))
	for i, zone := range e.Zones {
		names[i] = documentNames[zone]
	}
	return "cannot decrypt the stored " + strings.Join(names, ", ")
}

// documentNames names the document of each zone.
var documentNames = map[sealing.Zone]string{
	sealing.Response: "answer", sealing.History: "history of the features", sealing.Features: "feature vector",
	sealing.Combined: "facts", sealing.Request: "request",
	sealing.CoApplicant: "facts of the co-applicant", sealing.Guarantor: "facts of the guarantor",
}

// Open replaces the ciphertexts of a stored decision by the documents. A document that is
// stored unencrypted or was not read stays as it is. f is the decision's feature vector, nil if
// it was not read. Open sets KeyTree if a document is sealed. The error wraps an Unreadable that
// names the documents which cannot be decrypted; they become nil.
func (t *Tree) Open(environment string, d *store.Decision, f *store.Features) error {
	var sealer sealing.Sealer
	var unreadable []sealing.Zone
	ready := false
	for zone, document := range documents(d, f) {
		if !sealing.Sealed(*document) {
			continue
		}
		if !ready {
			d.KeyTree = t.number(*document)
			sealer, ready = sealing.NewSealer(t.keyOf(d.KeyTree, environment, d), d.ID), true
		}
		opened, err := sealer.OpenDocument(zone, *document)
		if err != nil {
			unreadable = append(unreadable, zone)
		}
		*document = opened
	}
	unreadable = append(unreadable, t.openPeople(environment, d)...)
	if unreadable == nil {
		return nil
	}
	return fmt.Errorf("decision %s: %w", d.ID, Unreadable{unreadable})
}

// holderOfRun returns the holder of a run's key: the person whom the run is about, or the decision of
// the run if the person is not named, or else the run itself.
func holderOfRun(environment string, r *store.Run) holder {
	switch {
	case r.SubjectRef != "":
		return holder{environment: environment, reference: r.SubjectRef}
	case r.DecisionID != "":
		return holder{object: sealing.DecisionName(environment, r.DecisionID)}
	default:
		return holder{object: sealing.RunName(environment, r.ID)}
	}
}

// SealRun replaces the request and the response of a run by their ciphertexts. It does
// nothing if documents are not encrypted.
func (t *Tree) SealRun(environment string, r *store.Run) {
	if !t.seals {
		return
	}
	key := t.secret(t.newest, holderOfRun(environment, r))
	r.Request = t.sealAlone(&key, r.ID, sealing.Request, r.Request)
	r.Response = t.sealAlone(&key, r.ID, sealing.Response, r.Response)
}

// OpenRun replaces the ciphertexts of a stored run by the documents. The error wraps
// Unreadable.
func (t *Tree) OpenRun(environment string, r *store.Run) error {
	if !sealing.Sealed(r.Request) && !sealing.Sealed(r.Response) {
		return nil
	}
	sealer := sealing.NewSealer(t.secret(t.number(r.Response), holderOfRun(environment, r)), r.ID)
	var err error
	if r.Request, err = openAlone(sealer, sealing.Request, r.Request); err != nil {
		return fmt.Errorf("run %s: %w", r.ID, err)
	}
	if r.Response, err = openAlone(sealer, sealing.Response, r.Response); err != nil {
		return fmt.Errorf("run %s: %w", r.ID, err)
	}
	return nil
}

// sealAlone seals a document that has no hash in the journal.
func (t *Tree) sealAlone(key *sealing.Secret, object string, zone sealing.Zone, document []byte) []byte {
	hash := sealing.ZoneHash{Zone: zone, Hash: sealing.HashZone(zone, sealing.SaltOf(key, object, zone), document)}
	to := make([]byte, 0, len(document)+sealing.MaxDocumentOverhead)
	return sealing.NewSealer(*key, object).SealDocument(to, t.newest, hash, document)
}

func openAlone(sealer sealing.Sealer, zone sealing.Zone, stored []byte) ([]byte, error) {
	if !sealing.Sealed(stored) {
		return stored, nil
	}
	opened, err := sealer.OpenDocument(zone, stored)
	if err != nil {
		return nil, Unreadable{[]sealing.Zone{zone}}
	}
	return opened, nil
}

// SealAnswer returns the ciphertext of the body of an answer to a request with an idempotency key, or
// the body itself if documents are not encrypted. of is the decision that the answer is about, or nil.
// An answer about a decision is sealed with the key of the decision, so that removing this key makes
// both unreadable.
func (t *Tree) SealAnswer(environment string, key store.IdempotencyKey, of *store.Decision, body []byte) []byte {
	if !t.seals {
		return body
	}
	secret := t.secret(t.newest, holderOfAnswer(environment, key, of))
	return t.sealAlone(&secret, answerObject(key), sealing.Response, body)
}

// OpenAnswer returns the body of a stored answer. The error wraps Unreadable.
func (t *Tree) OpenAnswer(
	environment string, key store.IdempotencyKey, of *store.Decision, stored []byte,
) ([]byte, error) {
	if !sealing.Sealed(stored) {
		return stored, nil
	}
	sealer := sealing.NewSealer(t.secret(t.number(stored), holderOfAnswer(environment, key, of)), answerObject(key))
	return openAlone(sealer, sealing.Response, stored)
}

// holderOfAnswer returns the holder of the key of an answer: the holder of the key of its decision, or
// the answer itself if it is about no decision.
func holderOfAnswer(environment string, key store.IdempotencyKey, of *store.Decision) holder {
	if of != nil {
		return holderOf(environment, of)
	}
	return holder{object: sealing.AnswerName(environment, key.Route, key.Name)}
}

// answerObject names an answer among the objects that are sealed with a key. Ids contain no
// space, so no decision or run has such a name.
func answerObject(key store.IdempotencyKey) string { return "answer " + key.Route + " " + key.Name }

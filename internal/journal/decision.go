package journal

import (
	"encoding/hex"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"verdict/internal/evidence"
	"verdict/internal/rule"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/wire"
)

// Scope names a tenant in an environment.
type Scope struct{ Tenant, Environment string }

// Outcome is the part of a decision's outcome that has no column of its own. It is stored
// unencrypted, and stays when the applicant is erased.
type Outcome struct {
	Score       rule.Number
	AskedRupees rule.Number // the requested amount, 0 if none is known
	LimitPaise  int64       // 0 if nothing is offered
	RateBP      int64       // hundredths of a percent
	Reasons     []string    // reason codes by rank
	Semantics   int         // semantics of the policy
	Lists       []rule.ListVersion
	Tables      []rule.ListVersion
	Profile     int64 // the version of the lender profile, 0 if there was none
}

// Complete sets the plain text and the journal entry of a decision that is about to be
// stored, and seals its documents. The caller has set all other members of the write, except
// its answer.
func Complete(tree *Tree, s Scope, w *store.DecisionWrite, o *Outcome) {
	key, zones := complete(tree, tree.newest, s, w, o, false)
	if tree.seals {
		seal(&key, tree.newest, zones, w)
		tree.sealPeople(s.Environment, &w.Decision, tree.newest, zones.list())
	}
	w.KeyChanges = tree.Changes(s.Environment)
}

// Backfill sets the plain text and the journal entry of a decision that was stored before
// the journal existed. It sets Backfilled in the leaf, and seals nothing.
func Backfill(tree *Tree, s Scope, w *store.DecisionWrite, o *Outcome) {
	complete(tree, max(w.Decision.KeyTree, firstTree), s, w, o, true)
	w.KeyChanges = tree.Changes(s.Environment)
}

func complete(
	tree *Tree, number int64, s Scope, w *store.DecisionWrite, o *Outcome, backfilled bool,
) (key sealing.Secret, hashes zoneList) {
	d := &w.Decision
	key = tree.keyOf(number, s.Environment, d)
	hashes = zonesOf(&key, d, w.Features)
	refs := hashes.addPeople(tree, number, s.Environment, d)
	d.Plain = plainText(o, hashes.list(), refs, w.Features)
	leaf := leafOf(&key, s, d, hashes.list())
	leaf.Backfilled = backfilled
	w.Entry = store.Entry{Leaf: leaf.Pack(make([]byte, 0, packedSize))}
	return key, hashes
}

// packedSize is the approximate size of a packed leaf.
const packedSize = 176

// maxZones is the maximum number of zones of a decision.
const maxZones = 4 + len(peopleZones)

// zoneList holds the salted hashes of a decision's zones, in the order of the zones'
// numbers.
type zoneList struct {
	zones [maxZones]sealing.ZoneHash
	count int
}

func (l *zoneList) list() []sealing.ZoneHash { return l.zones[:l.count] }

// zonesOf returns the salted hash of each zone of a decision.
func zonesOf(key *sealing.Secret, d *store.Decision, f *store.Features) (l zoneList) {
	for zone, document := range documents(d, f) {
		salt := sealing.SaltOf(key, d.ID, zone)
		l.zones[l.count] = sealing.ZoneHash{Zone: zone, Hash: sealing.HashZone(zone, salt, *document)}
		l.count++
	}
	return l
}

// documents returns the documents of a decision by zone, in the order of the zones' numbers.
// f is the decision's feature vector, nil if it has none.
func documents(d *store.Decision, f *store.Features) iter.Seq2[sealing.Zone, *[]byte] {
	return func(yield func(sealing.Zone, *[]byte) bool) {
		if !yield(sealing.Response, &d.Response) {
			return
		}
		if f != nil && (!yield(sealing.History, &f.Source) || !yield(sealing.Features, &f.Vector)) {
			return
		}
		yield(sealing.Combined, &d.Facts)
	}
}

// Salts returns the salts of the zones of a stored decision, in the order of the zones.
// f is the decision's feature vector, nil if it has none.
func Salts(
	tree *Tree, environment string, d *store.Decision, f *store.Features,
) iter.Seq2[sealing.Zone, sealing.Salt] {
	return func(yield func(sealing.Zone, sealing.Salt) bool) {
		key := tree.keyOf(max(d.KeyTree, firstTree), environment, d)
		for zone := range documents(d, f) {
			if !yield(zone, sealing.SaltOf(&key, d.ID, zone)) {
				return
			}
		}
		for zone, p := range peopleOf(d) {
			key := tree.personKey(environment, p, firstTree)
			if !yield(zone, sealing.SaltOf(&key, d.ID, zone)) {
				return
			}
		}
	}
}

// plainText returns the text of the column plain. refs are the references of people other than the primary applicant.
func plainText(o *Outcome, zones, refs []sealing.ZoneHash, f *store.Features) string {
	lent := borrow()
	defer lent.release()
	w := wire.Writer{Buf: lent.text[:0]}
	defer func() { lent.text = w.Buf }()
	w.Object()
	if o.AskedRupees != 0 {
		w.Key("asked").Decimal(int64(o.AskedRupees), rule.Places)
	}
	if f != nil {
		w.Key("features").Object().Key("as_of").String(f.AsOf).Key("hash").String(f.Hash).EndObject()
	}
	if o.Profile != 0 {
		w.Key("lender_profile").Int(o.Profile)
	}
	if o.LimitPaise != 0 {
		w.Key("limit").Decimal(o.LimitPaise, 2)
	}
	writeVersions(&w, "lists", o.Lists)
	writePeople(&w, refs)
	if o.LimitPaise != 0 {
		w.Key("rate").Decimal(o.RateBP, 2)
	}
	if len(o.Reasons) > 0 {
		w.Key("reasons").Array()
		for _, code := range o.Reasons {
			w.String(code)
		}
		w.EndArray()
	}
	w.Key("score").Decimal(int64(o.Score), rule.Places)
	w.Key("semantics").Int(int64(o.Semantics))
	writeVersions(&w, "tables", o.Tables)
	w.Key("zones").Object()
	for _, z := range zones {
		w.Key(z.Zone.String()).Plain("")
		w.Buf = hex.AppendEncode(w.Buf[:len(w.Buf)-1], z.Hash[:]) // before the closing quote
		w.Buf = append(w.Buf, '"')
	}
	w.EndObject().EndObject()
	return string(w.Buf)
}

// writeVersions writes the versions of the lists or tables that were consulted, if there are any.
func writeVersions(w *wire.Writer, member string, list []rule.ListVersion) {
	if len(list) == 0 {
		return
	}
	w.Key(member).Object()
	for _, l := range list {
		w.Key(l.Name).Int(l.Version)
	}
	w.EndObject()
}

func leafOf(key *sealing.Secret, s Scope, d *store.Decision, zones []sealing.ZoneHash) evidence.Leaf {
	leaf := evidence.Leaf{
		Kind:       evidence.Decision,
		ID:         d.ID,
		At:         evidence.At(d.CreatedMicros),
		Row:        rowHash(s, d),
		Commitment: sealing.Commitment(zones),
	}
	if d.ApplicantRef != "" {
		leaf.Reference = sealing.Reference(*key, d.ApplicantRef)
	}
	return leaf
}

// rowHash returns the hash over the scope and over those columns of a decision that are stored unencrypted.
func rowHash(s Scope, d *store.Decision) (h sealing.Hash) {
	lent := borrow()
	defer lent.release()
	row := RowOf(s, d)
	h, lent.text = row.AppendHash(lent.text)
	return h
}

// RowOf returns the columns of a decision that are stored unencrypted.
func RowOf(s Scope, d *store.Decision) evidence.Row {
	return evidence.Row{
		Tenant:        s.Tenant,
		Environment:   s.Environment,
		ID:            d.ID,
		CreatedMicros: d.CreatedMicros,
		Status:        d.Status,
		Grade:         d.Grade,
		PolicyKey:     d.PolicyKey,
		PolicyID:      d.PolicyID,
		PolicyVersion: d.PolicyVersion,
		Endpoint:      d.Endpoint,
		EngineVersion: d.EngineVersion,
		DecisionHash:  d.Hash,
		Actor:         d.Actor,
		Plain:         d.Plain,
	}
}

// buffer is memory for a text that is needed only briefly.
type buffer struct{ text []byte }

var buffers = sync.Pool{New: func() any { return &buffer{text: make([]byte, 0, 1<<10)} }}

func borrow() *buffer {
	b, _ := buffers.Get().(*buffer) // the pool holds nothing else
	return b
}

func (b *buffer) release() { buffers.Put(b) }

// Erased says what was erased of a decision.
type Erased struct {
	Zones []sealing.Zone // the zones whose documents were emptied
	// Expired lists the zones in Zones that, according to the journal, were emptied at the end of their retention
	// period.
	Expired []sealing.Zone
	Entry   ErasureEntry // the entry of the applicant, or of the decision if it names no applicant
	// People are the entries of the people other than the primary applicant, by the zones of their facts.
	People map[sealing.Zone]ErasureEntry
}

// ErasureEntry says which entry about an erasure the journal has, if any.
type ErasureEntry int

// The entries of an erasure.
const (
	NotErased        ErasureEntry = iota
	ErasureStarted                // each document may or may not be emptied yet
	ErasureCompleted              // all documents must be emptied
)

// Emptied returns the zones of a stored decision whose documents were emptied. It must be called
// before Open. f is the decision's feature vector, nil if it has none.
func Emptied(d *store.Decision, f *store.Features) (zones []sealing.Zone) {
	for zone, document := range documents(d, f) {
		if len(*document) == 0 {
			zones = append(zones, zone)
		}
	}
	for zone, p := range peopleOf(d) {
		if len(p.Facts) == 0 {
			zones = append(zones, zone)
		}
	}
	return zones
}

// Compare compares a stored decision with its leaf, and returns a sentence for each
// difference. f is the decision's feature vector, nil if it has none.
func Compare(
	tree *Tree, s Scope, d *store.Decision, f *store.Features, leaf *evidence.Leaf, e Erased,
) (found []string) {
	if leaf.Kind != evidence.Decision || leaf.ID != d.ID {
		return []string{"the entry " + strconv.FormatInt(d.Leaf, 10) + " of the journal belongs to another object"}
	}
	key := tree.keyOf(max(d.KeyTree, firstTree), s.Environment, d)
	hashes := zonesOf(&key, d, f)
	for i := range hashes.list() {
		if zone := &hashes.zones[i]; slices.Contains(e.Zones, zone.Zone) {
			zone.Hash = plainHash(d.Plain, zone.Zone) // the leaf has the hash that column plain stores
		}
	}
	own := hashes.count
	plain, err := wire.Parse([]byte(d.Plain))
	if err == nil { // alteredParts reports a column that cannot be read
		found = hashes.comparePeople(tree, s.Environment, d, plain, e)
	}
	again := leafOf(&key, s, d, hashes.list())
	if Replaced(d, leaf) {
		again.Reference = leaf.Reference
	}
	switch {
	case e.Entry == ErasureCompleted && ofApplicant(e.Zones) < own:
		found = append(found, "the applicant was erased, but documents are stored")
	case ofApplicant(e.Zones) > ofApplicant(e.Expired) && e.Entry == NotErased:
		found = append(found, "documents were removed, and the journal has no entry of an erasure")
	}
	if again.Reference != leaf.Reference {
		found = append(found, "the stored applicant reference was altered")
	}
	if again.At != leaf.At {
		found = append(found, "the stored time was altered")
	}
	if again.Row != leaf.Row {
		found = append(found, "a stored column was altered")
	}
	if again.Reference != leaf.Reference {
		return found // the salts depend on the reference, so all zones would seem to be altered
	}
	parts := alteredParts(d.Plain, hashes.list(), f)
	if again.Commitment != leaf.Commitment && len(parts) == 0 {
		parts = []string{"the entry of the journal was altered"}
	}
	return append(found, parts...)
}

// Replaced reports whether the reference of a decision is the replacement that an erasure stores.
func Replaced(d *store.Decision, leaf *evidence.Leaf) bool {
	return leaf.Reference != (sealing.Hash{}) &&
		d.ApplicantRef == store.ErasedPrefix+hex.EncodeToString(leaf.Reference[:])
}

// plainHash returns the hash of a zone in the column plain, or the zero value if it cannot be
// read.
func plainHash(plain string, zone sealing.Zone) (h sealing.Hash) {
	document, err := wire.Parse([]byte(plain))
	if err != nil {
		return h
	}
	text := document.Get("zones").Get(zone.String()).Text()
	if decoded, err := hex.DecodeString(text); err == nil && len(decoded) == len(h) {
		copy(h[:], decoded)
	}
	return h
}

// zoneNames names the document of each zone in a report.
var zoneNames = map[sealing.Zone]string{
	sealing.Response: "the stored answer", sealing.History: "the history of the stored features",
	sealing.Features: "the stored feature vector", sealing.Combined: "the stored facts",
}

// alteredParts compares the hashes of the zones, and the date and the hash of the features, with the column
// plain. It returns a sentence for each difference.
func alteredParts(plain string, hashes []sealing.ZoneHash, f *store.Features) (found []string) {
	document, err := wire.Parse([]byte(plain))
	if err != nil {
		return []string{"the stored hashes (column \"plain\") cannot be read"}
	}
	if stored := document.Get("features"); f != nil &&
		(stored.Get("as_of").Text() != f.AsOf || stored.Get("hash").Text() != f.Hash) {
		found = append(found, "the date or the hash of the stored features was altered")
	}
	zones := document.Get("zones")
	for _, h := range hashes {
		if zones.Get(h.Zone.String()).Text() != hex.EncodeToString(h.Hash[:]) {
			found = append(found, zoneNames[h.Zone]+" was altered")
		}
	}
	listed := 0
	for range zones.Members() {
		listed++
	}
	if listed != len(hashes) {
		found = append(found, "the stored feature vector was added or removed")
	}
	return found
}

var errPlain = errors.New("the stored outcome (column \"plain\") cannot be read")

// ReadPlain reads the column plain: the outcome, and the names of the decision's zones. It
// returns an error if a required value is missing or a value cannot be read.
func ReadPlain(plain string) (o Outcome, zones []string, err error) {
	document, err := wire.Parse([]byte(plain))
	if err != nil {
		return o, nil, errPlain
	}
	r := plainReader{document: document}
	for _, v := range document.Members() {
		r.failed = r.failed || v.Kind() == wire.Null // Get does not distinguish null from a missing member
	}
	o = Outcome{
		Score:       r.number("score"),
		AskedRupees: r.optional("asked"),
		LimitPaise:  r.optional("limit").Paise(),
		Semantics:   int(r.number("semantics").Floor()),
		Profile:     r.optional("lender_profile").Floor(),
	}
	const hundredths = int64(rule.One) / 100
	o.RateBP = int64(r.optional("rate")) / hundredths
	limit, rate, reasons := document.Get("limit").Kind(), document.Get("rate").Kind(), document.Get("reasons")
	r.failed = r.failed || limit != rate || reasons.Kind() != wire.Array && reasons.Kind() != wire.Missing
	for _, code := range reasons.Elements() {
		o.Reasons = append(o.Reasons, r.text(code))
	}
	for name, hash := range document.Get("zones").Members() {
		r.text(hash)
		zones = append(zones, strings.Clone(name))
	}
	if r.failed || len(zones) == 0 {
		return Outcome{}, nil, errPlain
	}
	return o, zones, nil
}

// plainReader reads values of the column plain, and notes whether one could not be read.
type plainReader struct {
	document wire.Value
	failed   bool
}

func (r *plainReader) number(name string) rule.Number {
	v := r.document.Get(name)
	if v.Kind() != wire.Number {
		r.failed = true
		return 0
	}
	n, exact, ok := rule.ParseNumber(v.Text())
	r.failed = r.failed || !exact || !ok
	return n
}

// optional reads a number that may be missing, and returns 0 in that case. plainText leaves out
// amounts of 0.
func (r *plainReader) optional(name string) rule.Number {
	if r.document.Get(name).Kind() == wire.Missing {
		return 0
	}
	return r.number(name)
}

func (r *plainReader) text(v wire.Value) string {
	r.failed = r.failed || v.Kind() != wire.String
	return strings.Clone(v.Text())
}

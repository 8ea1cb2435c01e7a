package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Envelope is the data around a decision in a response: its id, its time, the
// policy version and the environment. The decision hash does not cover this
// data.
type Envelope struct {
	DecisionID    string
	PolicyID      string
	PolicyVersion int
	Environment   string
	CreatedAt     string
	ValidUntil    string
	Preview       bool
	Facts         *rule.Facts // shown in previews
	// Blocks, if not nil, writes the members that optional blocks of the
	// request add to the response. The hash does not cover them.
	Blocks func(*wire.Writer)
	// TenurePointer is the pointer of the tenure in the request, or "" if it
	// has none.
	TenurePointer string
	Warnings      []fault.Item // parts of the request that were reinterpreted or ignored
	Lists         []rule.ListVersion
	Tables        []rule.ListVersion
}

// ListVersions returns the versions of the lists in which values were looked up for an application, in name order. It
// returns nil if there were none.
func ListVersions(lookups []rule.NamedLookup, facts *rule.Facts) (list []rule.ListVersion) {
	for i := range lookups {
		name := lookups[i].List
		if slices.ContainsFunc(list, func(v rule.ListVersion) bool { return v.Name == name }) {
			continue
		}
		if version := facts.Get(lookups[i].Version); version.Type() == rule.NumberType {
			list = append(list, rule.ListVersion{Name: name, Version: version.Number().Floor()})
		}
	}
	slices.SortFunc(list, func(a, b rule.ListVersion) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// TableVersions returns the versions of the tables in which a row was looked up for an application, in name order. It
// returns nil if there were none.
func TableVersions(tables []rule.Table, facts *rule.Facts) (list []rule.ListVersion) {
	for i := range tables { // the tables of a policy are sorted by name
		version := facts.Get(rule.TableVersionFact(tables[i].Name))
		if version.Type() == rule.NumberType {
			list = append(list, rule.ListVersion{Name: tables[i].Name, Version: version.Number().Floor()})
		}
	}
	return list
}

// writeVersions writes the versions of the lists or tables that were used, if there are any.
func writeVersions(w *wire.Writer, member string, list []rule.ListVersion) {
	if len(list) == 0 {
		return
	}
	w.Key(member).Array()
	for _, v := range list {
		w.Object().Key("name").String(v.Name).Key("version").Int(v.Version).EndObject()
	}
	w.EndArray()
}

// Write writes the decision as a response.
func (d *Decision) Write(w *wire.Writer, env *Envelope) {
	w.Object()
	w.Optional("decision_id", env.DecisionID)
	if env.Preview {
		w.Key("preview").Bool(true)
	}
	w.Key("status").Plain(d.Status.String())
	w.Key("grade").String(d.Grade)
	w.Key("offer")
	writeOffer(w, d, env.ValidUntil, false)

	w.Key("explanation").Object()
	w.Key("fired_rules")
	writeFired(w, d.Rules(), false)
	w.Key("score_contributions")
	writeContributions(w, d.Contributions())
	number(w, "final_score", d.FinalScore)
	w.EndObject()

	w.Key("reasons")
	d.writeReasons(w)

	w.Key("policy").Object()
	w.Optional("id", env.PolicyID)
	if env.PolicyVersion > 0 {
		w.Key("version").Int(int64(env.PolicyVersion))
	}
	w.Key("name").String(d.plan.policy.Name).Key("checksum").Plain(d.plan.checksum).EndObject()

	w.Key("decision_hash").Plain(d.Hash()).Key("engine_version").Plain(Version)
	w.Optional("environment", env.Environment)
	writeVersions(w, "lists", env.Lists)
	writeVersions(w, "tables", env.Tables)
	if env.Facts != nil {
		w.Key("facts")
		env.Facts.Write(w)
	}
	if env.Blocks != nil {
		env.Blocks(w)
	}
	writeWarnings(w, d.warnings(env))
	w.Optional("created_at", env.CreatedAt)
	w.EndObject()
}

func writeWarnings(w *wire.Writer, list []fault.Item) {
	w.Key("warnings").Array()
	for _, warning := range list {
		w.Object().Key("code").String(warning.Code)
		w.Optional("pointer", warning.Pointer)
		w.Optional("nearest", warning.Nearest)
		if len(warning.Fields) > 0 {
			w.Key("fields").Strings(warning.Fields)
		}
		w.Key("detail").String(warning.Detail).EndObject()
	}
	w.EndArray()
}

// warnings returns the warnings about the request, followed by the engine's own warnings.
func (d *Decision) warnings(env *Envelope) []fault.Item {
	own := d.notCounted()
	if d.Offer.TenureNotAvailable {
		own = append(own,
			fault.Item{Pointer: env.TenurePointer, Code: fault.CodeTenureNotAvailable, Detail: d.otherTenure()})
	}
	if len(own) == 0 {
		return env.Warnings
	}
	return append(slices.Clone(env.Warnings), own...)
}

// otherTenure returns a sentence that says which tenure applies instead of the
// requested one, and which tenures the band allows.
func (d *Decision) otherTenure() string {
	detail := "the tenure asked for is not among the band's; its usual tenure applies"
	if d.band == nil || len(d.band.Tenures) == 0 {
		return detail
	}
	months := make([]string, len(d.band.Tenures))
	for i, n := range d.band.Tenures {
		months[i] = strconv.Itoa(n)
	}
	return detail + fmt.Sprintf(", %d months; %s allows %s", d.Offer.TenureMonths, d.Offer.BandID,
		strings.Join(months, ", "))
}

// writeFired writes the rules. The canonical form has its members in name
// order, so "delta" comes first; the response has "delta" last.
func writeFired(w *wire.Writer, rules []FiredRule, canonical bool) {
	w.Array()
	for i := range rules {
		r := &rules[i]
		applied := r.Result == ResultApplied
		w.Object()
		if applied && canonical {
			number(w, "delta", r.Delta)
		}
		w.Key("id").Plain(r.ID).Key("result").Plain(r.Result.String()) // ids need no escaping
		if applied && !canonical {
			number(w, "delta", r.Delta)
		}
		w.EndObject()
	}
	w.EndArray()
}

func writeContributions(w *wire.Writer, list []Contribution) {
	w.Array()
	for _, c := range list {
		w.Object().Key("factor").Plain(c.Factor)
		number(w, "points", c.Points)
		w.EndObject()
	}
	w.EndArray()
}

func (d *Decision) writeReasons(w *wire.Writer) {
	w.Array()
	for _, r := range d.Reasons {
		w.Object().Key("code").String(r.Code).Key("message").String(d.Message(r)).Key("rank").Int(int64(r.Rank))
		w.Key("detail")
		d.Detail(r).write(w)
		w.EndObject()
	}
	w.EndArray()
}

func (x Detail) write(w *wire.Writer) {
	w.Object()
	w.Optional("rule_id", x.RuleID)
	w.Optional("field", x.Field)
	if x.Value.Type() != rule.Absent {
		w.Key("value")
		x.Value.Write(w)
	}
	if x.Threshold.Type() != rule.Absent {
		w.Key("threshold")
		x.Threshold.Write(w)
	}
	w.Optional("text", x.Text)
	w.EndObject()
}

// Canonical returns the bytes that the hash covers: the decision without
// identities, times and texts, in the form of RFC 8785. Two decisions count as
// equal if these bytes are equal. The slice is valid until d is used again.
func (d *Decision) Canonical() []byte {
	w := wire.Writer{Buf: d.canonical[:0]}
	w.Object().Key("explanation").Object()
	number(&w, "final_score", d.FinalScore)
	w.Key("fired_rules")
	writeFired(&w, d.Rules(), true)
	w.Key("score_contributions")
	writeContributions(&w, d.Contributions())
	w.EndObject().Key("grade").String(d.Grade)
	w.Key("offer")
	writeOffer(&w, d, "", true)
	w.Key("policy").Object().Key("checksum").Plain(d.plan.checksum).EndObject()
	w.Key("reasons").Array()
	for _, r := range d.Reasons {
		w.Object().Key("code").String(r.Code).Key("rank").Int(int64(r.Rank)).EndObject()
	}
	w.EndArray().Key("status").Plain(d.Status.String()).EndObject()
	d.canonical = w.Buf
	return w.Buf
}

// Hash returns the decision hash.
func (d *Decision) Hash() string {
	if d.hash == "" {
		sum := sha256.Sum256(d.Canonical())
		text := append(make([]byte, 0, hashLength), hashPrefix...)
		d.hash = string(hex.AppendEncode(text, sum[:]))
	}
	return d.hash
}

// The form of a decision hash: it starts with the name of its algorithm.
const (
	hashPrefix = "sha256:"
	hashLength = len(hashPrefix) + 2*sha256.Size
)

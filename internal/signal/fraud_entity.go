package signal

import (
	"net/netip"
	"strings"

	"verdict/internal/rule"
)

// The kinds of things that applicants can share.
const (
	KindBeneficiaryAccount = "beneficiary_account"
	KindIP                 = "ip"
	KindPincode            = "pincode"
	KindAgent              = "agent"
	KindDevice             = "device"
	KindMobile             = "mobile"
	KindEmail              = "email"

	// KindRing is a connected group of people. Nobody sends it.
	KindRing = "ring"
)

// Entity is one thing that applicants can share: a keyed hash to count by and
// a display that gives nothing away. Pincodes and agents are shown as they
// are, because neither is the applicant's secret and an alert about "one of
// our agents" helps nobody.
type Entity struct {
	Kind    string
	Key     string
	Display string

	// Older is the key of the spelling as it was sent, by which the thing was
	// kept before spellings were made one. It is "" where it is the same key.
	Older string
}

// Observation is what one application shows of its applicant: who applies, and
// through what.
type Observation struct {
	ApplicantRef string
	Entities     []Entity // at most one of each kind, in a fixed order
}

// Counted reports whether the application can be counted at all: without the
// person, one applicant who asks twice could not be told from two.
func (o Observation) Counted() bool { return o.ApplicantRef != "" }

// Entity finds the entity of a kind.
func (o Observation) Entity(kind string) (Entity, bool) {
	for _, e := range o.Entities {
		if e.Kind == kind {
			return e, true
		}
	}
	return Entity{}, false
}

// source is a fact that an entity is made of, and how spellings of the same
// thing are made one: normal checks and cleans a value, and canonical joins
// spellings that normal still tells apart.
type source struct {
	kind, fact string
	normal     func(string) (string, flaw)
	canonical  func(string) string
	display    func(string) string
}

// entity makes the entity of a value that normal has cleaned.
func (s source) entity(normal string, key func(kind, value string) string) Entity {
	canonical := s.canonical(normal)
	e := Entity{Kind: s.kind, Key: key(s.kind, canonical), Display: s.display(canonical)}
	if canonical != normal {
		e.Older = key(s.kind, normal)
	}
	return e
}

// sources are in the order in which entities are observed.
var sources = []source{
	{KindPincode, "fraud.pincode", normalPincode, asItIs, asItIs},
	{KindIP, "fraud.ip", normalIP, asItIs, maskIP},
	{KindBeneficiaryAccount, "fraud.beneficiary_account", normalAccount, canonicalAccount, mask},
	{KindAgent, "fraud.agent_id", normalAgent, asItIs, asItIs},
	{KindDevice, "device.device_id", normalDevice, asItIs, mask},
	{KindMobile, "fraud.mobile", normalMobile, asItIs, mask},
	{KindEmail, "fraud.email", normalEmail, canonicalEmail, mask},
}

// Observe finds the entities among the facts of a request. key makes a keyed
// hash of a kind and a value; the values themselves stay behind. A value that
// identifies nothing is left out: everybody's "NA" would be the same account.
// Unusable says which values those are.
func Observe(facts *rule.Facts, key func(kind, value string) string) Observation {
	o := Observation{ApplicantRef: ApplicantRef(facts)}
	for _, s := range sources {
		if value, flaw := s.normal(facts.Get(s.fact).Text()); flaw == usable {
			o.Entities = append(o.Entities, s.entity(value, key))
		}
	}
	return o
}

// NewEntity makes an entity of a kind and of a value in clear. A value that is
// none of its kind gives a problem to tell the caller, which does not repeat it.
func NewEntity(kind, value string, key func(kind, value string) string) (e Entity, problem string) {
	normal, problem := normalValue(kind, value)
	if problem != "" {
		return Entity{}, problem
	}
	for _, s := range sources {
		if s.kind == kind {
			return s.entity(normal, key), ""
		}
	}
	return Entity{}, "is of an unknown kind"
}

// normalValue brings a value that a person enters for a block or allow list into
// the form that an application's value is recognised by. A value that an
// application would not be counted by is a problem: its entry would never match.
func normalValue(kind, value string) (normal, problem string) {
	for _, s := range sources {
		if s.kind != kind {
			continue
		}
		normal, flaw := s.normal(value)
		switch flaw {
		case usable:
			return normal, ""
		case malformed, blank:
			return "", "must be " + wanted[kind]
		default:
			return "", flaw.text() + "; must be " + wanted[kind]
		}
	}
	return "", "is of an unknown kind"
}

// canonicalValue is the one spelling of a value that normalValue has cleaned.
func canonicalValue(kind, normal string) string {
	for _, s := range sources {
		if s.kind == kind {
			return s.canonical(normal)
		}
	}
	return normal
}

func asItIs(s string) string { return s }

// networkBits is how much of an IPv6 address is counted: a subscriber has a
// whole /64 and can apply from another address of it every time.
const networkBits = 64

// normalIP is the address, or the network of an IPv6 address. An address that
// is not public is the same for many networks, and identifies none.
func normalIP(s string) (string, flaw) {
	addr, ok := address(strings.TrimSpace(folded(s)))
	switch {
	case strings.TrimSpace(s) == "":
		return "", blank
	case !ok:
		return "", malformed
	case private(addr):
		return "", notPublic
	case addr.Is4():
		return addr.String(), usable
	}
	network, err := addr.Prefix(networkBits)
	if err != nil {
		return "", malformed
	}
	return network.String(), usable
}

// maskIP shows the last four characters of an address, or the last four digits
// of a network in full spelling: its own end says nothing.
func maskIP(normal string) string {
	if network, err := netip.ParsePrefix(normal); err == nil {
		groups := strings.Split(network.Addr().StringExpanded(), ":")
		return maskDots + groups[networkBits/16-1]
	}
	return mask(normal)
}

const maskDots = "••••"

// mask shows the last four characters, and of something short no more than
// half: a mask that shows nearly all is none.
func mask(s string) string {
	runes := []rune(s)
	return maskDots + string(runes[len(runes)-min(4, len(runes)/2):])
}

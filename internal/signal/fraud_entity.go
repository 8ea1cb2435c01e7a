package signal

import (
	"net/netip"
	"strings"

	"verdict/internal/rule"
)

// The kinds of entities that applicants can share.
const (
	KindBeneficiaryAccount = "beneficiary_account"
	KindIP                 = "ip"
	KindPincode            = "pincode"
	KindAgent              = "agent"
	KindDevice             = "device"
	KindMobile             = "mobile"
	KindEmail              = "email"

	// KindRing is a connected group of people; it is never sent in a request.
	KindRing = "ring"
)

// Entity is an account, a device, a pincode or the like that applicants can
// share. Key is a keyed hash by which it is counted, and Display is a masked
// text. Pincodes and agents are displayed in plain text, because they are not the
// applicant's secret and an alert without them would be useless.
type Entity struct {
	Kind    string
	Key     string
	Display string

	// Older is the key of the value before canonicalization, under which older
	// records are stored. It is "" if it equals Key.
	Older string
}

// Observation has the applicant's reference and the entities of one
// application.
type Observation struct {
	ApplicantRef string
	Entities     []Entity // at most one of each kind, in a fixed order
}

// Counted reports whether the application can be counted. Without a reference,
// one person who applies twice would look like two people.
func (o Observation) Counted() bool { return o.ApplicantRef != "" }

// Entity returns the entity of the given kind, and false if there is none.
func (o Observation) Entity(kind string) (Entity, bool) {
	for _, e := range o.Entities {
		if e.Kind == kind {
			return e, true
		}
	}
	return Entity{}, false
}

// source describes the fact that an entity is read from. The function normal validates and cleans the value. The
// function canonical then maps equivalent spellings to one.
type source struct {
	kind, fact string
	normal     func(string) (string, flaw)
	canonical  func(string) string
	display    func(string) string
}

// entity returns the entity of a value that normal has cleaned.
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

// Observe returns the entities in the facts of a request. key makes a keyed hash
// of a kind and a value; the values themselves are not stored. Values that do not
// identify anything are left out, because all applicants with the account "NA"
// would seem to share one account. Unusable returns those values.
func Observe(facts *rule.Facts, key func(kind, value string) string) Observation {
	o := Observation{ApplicantRef: ApplicantRef(facts)}
	for _, s := range sources {
		if value, flaw := s.normal(facts.Get(s.fact).Text()); flaw == usable {
			o.Entities = append(o.Entities, s.entity(value, key))
		}
	}
	return o
}

// NewEntity makes an entity from a kind and a value in plain text. For an invalid
// value it returns a text that says what is wrong and does not repeat the value.
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

// normalValue normalizes a value that a person enters for a block or allow list
// in the same way as a value of an application. A value that would not be
// counted in an application is a problem, because the entry would never match.
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

// canonicalValue returns the canonical spelling of a value that normalValue has
// cleaned.
func canonicalValue(kind, normal string) string {
	for _, s := range sources {
		if s.kind == kind {
			return s.canonical(normal)
		}
	}
	return normal
}

func asItIs(s string) string { return s }

// networkBits is the prefix length by which IPv6 addresses are counted, because a
// subscriber has a whole /64 and can apply from a different address every time.
const networkBits = 64

// normalIP returns an IPv4 address, or the network of an IPv6 address. It refuses
// addresses that are not public, because many networks use the same private
// addresses.
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

// maskIP shows the last four characters of an IPv4 address, or the last group
// of a network's prefix in full spelling.
func maskIP(normal string) string {
	if network, err := netip.ParsePrefix(normal); err == nil {
		groups := strings.Split(network.Addr().StringExpanded(), ":")
		return maskDots + groups[networkBits/16-1]
	}
	return mask(normal)
}

const maskDots = "••••"

// mask shows the last four characters, but at most half of a short value.
func mask(s string) string {
	runes := []rune(s)
	return maskDots + string(runes[len(runes)-min(4, len(runes)/2):])
}

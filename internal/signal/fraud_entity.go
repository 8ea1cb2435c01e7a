package signal

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode"

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

// sources are the facts that entities are made of, in the order they are
// observed, and how spellings of the same thing are made one.
var sources = []struct {
	kind, fact string
	normal     func(string) string
	display    func(string) string
}{
	{KindPincode, "fraud.pincode", normalPincode, asItIs},
	{KindIP, "fraud.ip", normalIP, maskIP},
	{KindBeneficiaryAccount, "fraud.beneficiary_account", normalAccount, mask},
	{KindAgent, "fraud.agent_id", strings.TrimSpace, asItIs},
	{KindDevice, "device.device_id", strings.TrimSpace, mask},
	{KindMobile, "fraud.mobile", normalMobile, mask},
	{KindEmail, "fraud.email", normalEmail, mask},
}

// Observe finds the entities among the facts of a request. key makes a keyed
// hash of a kind and a value; the values themselves stay behind. What is blank
// is not there: everybody's blank account would be the same account.
func Observe(facts *rule.Facts, key func(kind, value string) string) Observation {
	o := Observation{ApplicantRef: strings.TrimSpace(facts.Get("fraud.applicant_ref").Text())}
	for _, s := range sources {
		if value := s.normal(facts.Get(s.fact).Text()); value != "" {
			o.Entities = append(o.Entities, Entity{Kind: s.kind, Key: key(s.kind, value), Display: s.display(value)})
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
			return Entity{Kind: kind, Key: key(kind, normal), Display: s.display(normal)}, ""
		}
	}
	return Entity{}, "is of an unknown kind"
}

// The shortest and the longest account number (an IBAN has 34 characters), and
// the digits of a mobile number.
const (
	minAccount   = 4
	maxAccount   = 34
	mobileDigits = 10
)

// normalValue brings a value into the form that it is recognised by. It asks for
// more than an application is asked for: a person enters it, and a slip would
// block or allow something that never comes.
func normalValue(kind, value string) (normal, problem string) {
	for _, s := range sources {
		if s.kind == kind {
			normal = s.normal(value)
		}
	}
	switch kind {
	case KindBeneficiaryAccount:
		if len(normal) < minAccount || len(normal) > maxAccount {
			return "", fmt.Sprintf("must be an account number of %d to %d letters and digits", minAccount, maxAccount)
		}
	case KindIP:
		if normal == "" {
			return "", "must be an IPv4 or IPv6 address"
		}
	case KindPincode:
		if normal == "" {
			return "", "must be a pincode: six digits, the first not 0"
		}
	case KindMobile:
		if len(normal) < mobileDigits {
			return "", fmt.Sprintf("must be a mobile number of at least %d digits", mobileDigits)
		}
	case KindEmail:
		if name, domain, found := strings.Cut(normal, "@"); !found || name == "" || domain == "" {
			return "", "must be an e-mail address"
		}
	default:
		if normal == "" {
			return "", "must not be blank"
		}
	}
	return normal, ""
}

func asItIs(s string) string { return s }

// normalAccount leaves letters and digits, so that blanks and dashes do not
// make two accounts of one.
func normalAccount(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, s)
}

// normalMobile leaves the last ten digits, without which +91 98…, 098… and 98…
// would be three numbers.
func normalMobile(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
	return digits[max(0, len(digits)-10):]
}

func normalEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

func normalPincode(s string) string {
	if !isPincode(s) {
		return ""
	}
	return s
}

// networkBits is how much of an IPv6 address is counted: a subscriber has a
// whole /64 and can apply from another address of it every time.
const networkBits = 64

// normalIP is the address, or the network of an IPv6 address.
func normalIP(s string) string {
	addr, ok := address(s)
	if !ok {
		return ""
	}
	if addr.Is4() {
		return addr.String()
	}
	network, err := addr.Prefix(networkBits)
	if err != nil {
		return ""
	}
	return network.String()
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

package signal

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Account is an entry of an allow list: an account, a device, a mobile number or
// an e-mail address. It is recognized by a keyed hash and displayed by its last
// characters. The value itself is never written, and is removed when the
// configuration is sealed.
type Account struct {
	Kind   string
	Masked string
	Key    string
	number string // the normalized value, until the entry is sealed
}

// NewAccount returns the entry for a value in plain text. For an invalid value it
// returns a text that says what is wrong. text may also be the mask of an existing
// entry, because a client that reads the configuration and sends it back sends masks.
func NewAccount(kind, text string) (a Account, problem string) {
	if strings.HasPrefix(text, maskDots) && len(text) <= len(maskDots)+4*4 {
		return Account{Kind: kind, Masked: text}, ""
	}
	number, problem := normalValue(kind, text)
	if problem != "" {
		return Account{}, problem
	}
	number = canonicalValue(kind, number)
	return Account{Kind: kind, Masked: mask(number), number: number}, ""
}

// allowlist reads values of the given kind into setting.
func (f *configReader) allowlist(name, kind string, setting *[]Account) {
	if f.checks {
		if len(*setting) > maxAllowlist {
			f.Fail(name, fault.CodeTooMany, "has more than %d entries", maxAllowlist)
		}
		return
	}
	var list []Account
	for _, v := range f.Array(name, maxAllowlist).Elements() {
		if v.Kind() != wire.String {
			f.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
			continue
		}
		a, problem := NewAccount(kind, v.Text())
		if problem != "" {
			f.faults.Add(v.Pointer(), fault.CodeOutOfRange, "%s", problem)
			continue
		}
		list = append(list, a)
	}
	*setting = list
}

// listed reports whether an entity is on an allow list.
func listed(list []Account, e Entity) bool {
	return slices.ContainsFunc(list,
		func(a Account) bool { return a.Key == e.Key || a.Key == e.Older && e.Older != "" })
}

// allowlists returns the allow lists of a configuration with their JSON
// pointers.
func (c *FraudConfig) allowlists() []struct {
	pointer string
	list    *[]Account
} {
	return []struct {
		pointer string
		list    *[]Account
	}{
		{"/fraud/beneficiary_reuse/allowlist_accounts/", &c.BeneficiaryReuse.AllowlistAccounts},
		{"/fraud/device_reuse/allowlist/", &c.DeviceReuse.Allowlist},
		{"/fraud/mobile_reuse/allowlist/", &c.MobileReuse.Allowlist},
		{"/fraud/email_reuse/allowlist/", &c.EmailReuse.Allowlist},
	}
}

// Allowed returns the entries of all allow lists.
func (c *FraudConfig) Allowed() []Account {
	var all []Account
	for _, l := range c.allowlists() {
		all = append(all, *l.list...)
	}
	return all
}

// Sealed returns the configuration with the values of the allow lists replaced by
// keys. kept are the entries of the previous configuration, to which masks refer.
// A mask that unmask cannot assign to an entry of kept is refused with a
// *fault.Error. Duplicate entries are stored once.
func (c Config) Sealed(key func(kind, value string) string, kept []Account) (Config, error) {
	var faults fault.List
	for _, l := range c.Fraud.allowlists() {
		*l.list = sealed(*l.list, l.pointer, key, kept, &faults)
	}
	if err := faults.Err(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// sealed returns one list with keys in place of values.
func sealed(
	sent []Account, pointer string, key func(kind, value string) string, kept []Account, faults *fault.List,
) []Account {
	var list []Account
	for i, a := range sent {
		if a.number != "" {
			a = Account{Kind: a.Kind, Masked: a.Masked, Key: key(a.Kind, a.number)}
		} else if a.Key == "" {
			known, ok := unmask(sent, i, kept)
			if !ok {
				faults.Add(pointer+strconv.Itoa(i), fault.CodeOutOfRange,
					"is masked and must match exactly one entry of the current list; send the whole value instead")
				continue
			}
			a = known
		}
		if !slices.ContainsFunc(list, func(b Account) bool { return a.Key == b.Key }) {
			list = append(list, a)
		}
	}
	return list
}

// unmask returns the entry of kept that the mask at i refers to. If several
// entries have the same mask, they are assigned in order, provided that the mask
// was sent as often as there are such entries. Otherwise unmask returns false.
func unmask(sent []Account, i int, kept []Account) (Account, bool) {
	before, masks := 0, 0
	for j, a := range sent {
		if a.number == "" && a.Key == "" && a.Masked == sent[i].Masked {
			masks++
			if j < i {
				before++
			}
		}
	}
	var alike []Account
	for _, a := range kept {
		if a.Kind == sent[i].Kind && a.Masked == sent[i].Masked {
			alike = append(alike, a)
		}
	}
	if len(alike) != masks {
		return Account{}, false
	}
	return alike[before], true
}

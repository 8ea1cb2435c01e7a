package signal

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Account is an account of the allow list. It is recognised by a keyed hash
// and shown by its last characters; the number itself is gone once the
// configuration is sealed, and is never written before.
type Account struct {
	Masked string
	Key    string
	number string // as it was sent, until it is sealed
}

// The shortest and the longest account number; an IBAN has 34 characters.
const (
	minAccount = 4
	maxAccount = 34
)

// accounts reads account numbers, or masks of accounts that are on the list
// already, which is how a configuration that was read comes back.
func (f *configReader) accounts(name string) []Account {
	var list []Account
	for _, v := range f.Array(name, maxAllowlist).Elements() {
		text := v.Text()
		if v.Kind() == wire.String && strings.HasPrefix(text, maskDots) && len(text) <= len(maskDots)+4*4 {
			list = append(list, Account{Masked: text})
			continue
		}
		number := normalAccount(text)
		switch {
		case v.Kind() != wire.String:
			f.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
		case len(number) < minAccount || len(number) > maxAccount:
			f.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be an account number of %d to %d letters and digits", minAccount, maxAccount)
		default:
			list = append(list, Account{Masked: mask(number), number: number})
		}
	}
	return list
}

// Sealed is the configuration with the account numbers of the allow list
// turned into keys. kept are the accounts of the configuration before: a mask
// stands for one of them, and a mask that could stand for several, or for
// none, is refused as a *fault.Error. An account named twice is kept once.
func (c Config) Sealed(key func(kind, value string) string, kept []Account) (Config, error) {
	var faults fault.List
	var sealed []Account
	sent := c.Fraud.BeneficiaryReuse.AllowlistAccounts
	for i, a := range sent {
		if a.number != "" {
			a = Account{Masked: a.Masked, Key: key(KindBeneficiaryAccount, a.number)}
		} else if a.Key == "" {
			known, ok := unmask(sent, i, kept)
			if !ok {
				faults.Add("/fraud/beneficiary_reuse/allowlist_accounts/"+strconv.Itoa(i), fault.CodeOutOfRange,
					"must stand for exactly one account of the list as it is; send the whole account number instead")
				continue
			}
			a = known
		}
		if !slices.ContainsFunc(sealed, func(b Account) bool { return a.Key == b.Key }) {
			sealed = append(sealed, a)
		}
	}
	if err := faults.Err(); err != nil {
		return Config{}, err
	}
	c.Fraud.BeneficiaryReuse.AllowlistAccounts = sealed
	return c, nil
}

// unmask finds the account that the mask at i stands for. Several accounts may
// look alike; as long as all of them are still listed, each takes its turn.
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
		if a.Masked == sent[i].Masked {
			alike = append(alike, a)
		}
	}
	if len(alike) != masks {
		return Account{}, false
	}
	return alike[before], true
}

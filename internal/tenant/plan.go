package tenant

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/exact"
)

// PricePlan is a price plan: its quota and rates. The zero PricePlan admits nothing.
type PricePlan struct {
	Name         string
	Unmetered    bool
	MonthlyQuota int64 // billable units a month, unless unmetered
	StoredBytes  int64 // maximum of stored bytes that are not billed, in each environment
	Rates        Rates // rate limits of each key
}

// Admits reports whether the quota allows n more units after used. Storage applies
// the same rule in the statement that counts, because two requests may arrive at
// the same moment.
func (p PricePlan) Admits(used, n int64) bool {
	return p.Unmetered || n <= p.MonthlyQuota-used
}

// Remaining returns how many units are left, never below 0; ok is false for an
// unmetered plan.
func (p PricePlan) Remaining(used int64) (units int64, ok bool) {
	if p.Unmetered {
		return 0, false
	}
	return max(p.MonthlyQuota-used, 0), true
}

// PercentUsed returns how much of the quota is used, in hundredths of a percent,
// rounded half up. A quota of 0 counts as used up.
func (p PricePlan) PercentUsed(used int64) int64 {
	if p.MonthlyQuota <= 0 {
		return 100_00
	}
	whole, rest := used/p.MonthlyQuota, used%p.MonthlyQuota
	part, _ := exact.MulDivHalfUp(uint64(rest), 100_00, uint64(p.MonthlyQuota)) // at most 100_00, so it fits
	return whole*100_00 + int64(part)
}

// FreePlan is the name of the plan of new tenants.
const FreePlan = "free"

// PricePlans are the price plans of this installation. They do not change while it runs.
type PricePlans struct{ list []PricePlan }

// DefaultPricePlans returns the plans that apply unless configured otherwise.
func DefaultPricePlans() PricePlans {
	rates := DefaultRates()
	return PricePlans{[]PricePlan{
		{Name: FreePlan, MonthlyQuota: 100_000, StoredBytes: 4 << 30, Rates: rates},
		{Name: "growth", MonthlyQuota: 5_000_000, StoredBytes: 32 << 30, Rates: rates},
		{Name: "enterprise", Unmetered: true, StoredBytes: 256 << 30, Rates: rates},
	}}
}

// Get returns the plan with the given name. ok is false for an unknown name. The caller
// must then refuse the request, because an unknown name must never become an
// unmetered plan.
func (p PricePlans) Get(name string) (plan PricePlan, ok bool) {
	i := slices.IndexFunc(p.list, func(q PricePlan) bool { return q.Name == name })
	if i < 0 {
		return PricePlan{}, false
	}
	return p.list[i], true
}

// Names returns the names of the plans in order.
func (p PricePlans) Names() []string {
	names := make([]string, 0, len(p.list))
	for _, plan := range p.list {
		names = append(names, plan.Name)
	}
	return names
}

// String writes the quotas in the format that WithQuotas reads.
func (p PricePlans) String() string {
	parts := make([]string, 0, len(p.list))
	for _, plan := range p.list {
		quota := strconv.FormatInt(plan.MonthlyQuota, 10)
		if plan.Unmetered {
			quota = unmetered
		}
		parts = append(parts, plan.Name+"="+quota)
	}
	return strings.Join(parts, ",")
}

const (
	unmetered   = "unmetered"
	maxQuota    = 1_000_000_000_000
	maxPlanName = 32
)

// WithQuotas returns the plans with new quotas, from a setting such as
// "free=200000,partner=1000000,enterprise=unmetered". A new name adds a plan. WithQuotas removes no plan, because
// tenants may use the plan.
func (p PricePlans) WithQuotas(text string) (PricePlans, error) {
	list := slices.Clone(p.list)
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, quota, _ := strings.Cut(part, "=")
		quota = strings.TrimSpace(quota)
		plan := PricePlan{Name: strings.TrimSpace(name), Unmetered: quota == unmetered, Rates: DefaultRates()}
		if !planName(plan.Name) {
			return PricePlans{}, fmt.Errorf(
				"plan %q: a name has at most %d characters of a-z, 0-9, - and _, and begins with a letter",
				plan.Name, maxPlanName)
		}
		if !plan.Unmetered {
			n, err := strconv.ParseInt(quota, 10, 64)
			if err != nil || n < 0 || n > maxQuota {
				return PricePlans{}, fmt.Errorf("plan %s: the quota must be %s or a whole number from 0 to %d",
					plan.Name, unmetered, int64(maxQuota))
			}
			plan.MonthlyQuota = n
		}
		if i := slices.IndexFunc(list, func(q PricePlan) bool { return q.Name == plan.Name }); i >= 0 {
			plan.Rates, plan.StoredBytes = list[i].Rates, list[i].StoredBytes
			list[i] = plan
		} else {
			plan.StoredBytes = p.smallest()
			list = append(list, plan)
		}
	}
	return PricePlans{list}, nil
}

// smallest returns the lowest limit of stored bytes of all plans. A new plan gets this limit.
func (p PricePlans) smallest() int64 {
	least := int64(math.MaxInt64)
	for _, plan := range p.list {
		least = min(least, plan.StoredBytes)
	}
	return least
}

// storageUnits are the units in which WithStorage reads sizes.
var storageUnits = map[string]int64{"MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// maxStorage limits the sizes of WithStorage, in bytes.
const maxStorage = 1 << 50

// WithStorage returns the plans with new limits of stored bytes, from a setting such as
// "free=4GiB,enterprise=1TiB". Every plan that the setting names must exist.
func (p PricePlans) WithStorage(text string) (PricePlans, error) {
	list := slices.Clone(p.list)
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, size, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(list, func(q PricePlan) bool { return q.Name == strings.TrimSpace(name) })
		if i < 0 {
			return PricePlans{}, fmt.Errorf("names a plan that does not exist; the plans are %s",
				strings.Join(p.Names(), ", "))
		}
		size = strings.TrimSpace(size)
		number, unit := size[:max(len(size)-len("GiB"), 0)], size[max(len(size)-len("GiB"), 0):]
		n, err := strconv.ParseInt(number, 10, 64)
		if bytes := storageUnits[unit]; err != nil || bytes == 0 || n < 1 || n > maxStorage/bytes {
			return PricePlans{}, fmt.Errorf("plan %s: must be a size from 1MiB to %dTiB, such as 512MiB or 4GiB",
				list[i].Name, int64(maxStorage>>40))
		}
		list[i].StoredBytes = n * storageUnits[unit]
	}
	return PricePlans{list}, nil
}

// WithRates returns the plans with the given rates for every plan.
func (p PricePlans) WithRates(rates Rates) PricePlans {
	list := slices.Clone(p.list)
	for i := range list {
		list[i].Rates = rates
	}
	return PricePlans{list}
}

func planName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '_') {
			return false
		}
	}
	return name != "" && len(name) <= maxPlanName
}

package application

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// node is one segment of the raw paths in the catalogue. The value at a path is
// either a scalar or an object, never both.
type node struct {
	path      string // full path, such as report.demographics
	children  map[string]*node
	aliases   map[string]string // other names of children
	lists     []string          // members that package report reads
	names     []string          // sorted names of children, aliases and lists
	scalar    bool
	raw       rule.FieldID
	canonical rule.FieldID // rule.Undeclared when there is only the raw value
	how       conversion
}

// conversion says how a raw value becomes the canonical value.
type conversion uint8

const (
	asIs       conversion = iota
	money                 // rounded half up to the paisa
	percent               // a percentage, divided by 100 to a ratio
	employment            // normalised to the known employment types
	score                 // a score or a new-to-credit code; converted by reader.score
)

// canonicals maps raw paths to the facts they become. For any other
// bureau_report.* path, the function canonical looks up the fact with the
// member's name, with or without the prefix "bureau_".
var canonicals = map[string]struct {
	name string
	how  conversion
}{
	"applicant.monthly_income":              {field.MonthlyIncome, money},
	"applicant.foir":                        {field.FOIR, asIs},
	"applicant.age":                         {"age", asIs},
	"applicant.employment_type":             {"employment_type", employment},
	"applicant.requested_amount":            {field.RequestedAmount, money},
	"applicant.tenure_months":               {field.RequestedTenureMonths, asIs},
	"bureau_report.score":                   {field.BureauScore, score},
	"report.scoreData.score":                {field.BureauScore, score},
	"report.demographics.age":               {"age", asIs},
	"report.demographics.employmentType":    {"employment_type", employment},
	"report.incomeAssessment.monthlyIncome": {field.MonthlyIncome, money},
	"report.incomeAssessment.foir":          {field.FOIR, percent},
	"report.requestedAmount":                {field.RequestedAmount, money},
	"report.requestedTenureMonths":          {field.RequestedTenureMonths, asIs},
	"device.is_emulator":                    {"device_is_emulator", asIs},
	"device.is_rooted":                      {"device_is_rooted", asIs},
	"location.permission_denied":            {"location_permission_denied", asIs},
}

// bankAliases maps alternative names of members of bank_summary to their canonical
// names.
var bankAliases = map[string]string{"monthly_income": "income", "avg_balance": "balance", "bounce_count": "bounces"}

// lists are the paths of the lists that package report reads.
var lists = map[string]bool{
	"report.accounts": true, "report.enquiries": true, "bank_summary.transactions": true,
}

// roots returns the tree of known paths by their first segment; it is built once.
var roots = sync.OnceValue(func() map[string]*node {
	c := field.Catalogue()
	tree := &node{children: map[string]*node{}}
	for id := range rule.FieldID(c.Len()) {
		path := c.Field(id).Name
		if !strings.Contains(path, ".") || field.IsOfRole(path) { // no request has a path that begins with a role
			continue
		}
		n := tree
		for segment := range strings.SplitSeq(path, ".") {
			if n.children == nil {
				n.children = map[string]*node{}
			}
			if n.children[segment] == nil {
				own := strings.TrimPrefix(n.path+"."+segment, ".")
				n.children[segment] = &node{path: own, raw: rule.Undeclared, canonical: rule.Undeclared}
			}
			n = n.children[segment]
		}
		n.scalar, n.raw = true, id
		n.canonical, n.how = canonical(c, path)
	}
	tree.children["bank_summary"].aliases = bankAliases
	for path := range lists {
		root, name, _ := strings.Cut(path, ".")
		tree.children[root].lists = append(tree.children[root].lists, name)
	}
	tree.name()
	return tree.children
})

// name collects, for every object of the tree, the names that its members may
// have.
func (n *node) name() {
	n.names = slices.Concat(slices.Collect(maps.Keys(n.children)), slices.Collect(maps.Keys(n.aliases)), n.lists)
	slices.Sort(n.names)
	for _, child := range n.children {
		child.name()
	}
}

// has reports whether the object may have a member with the given name.
func (n *node) has(name string) bool {
	_, found := slices.BinarySearch(n.names, name)
	return found
}

// canonical returns the canonical fact of a raw path and the conversion to it.
func canonical(c *rule.Catalogue, path string) (rule.FieldID, conversion) {
	if to, ok := canonicals[path]; ok {
		id, _ := c.Lookup(to.name)
		return id, to.how
	}
	name, ok := field.OfReport(path)
	if !ok {
		return rule.Undeclared, asIs
	}
	id, _ := c.Lookup(name)
	if c.Field(id).Unit == "₹" {
		return id, money
	}
	return id, asIs
}

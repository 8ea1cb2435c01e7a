package decisioning

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/operation"
	"verdict/internal/report"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// FeatureFilter selects features. A zero field matches every feature.
type FeatureFilter struct {
	Name, Prefix                 string
	Contains                     string // words that the name must contain, in any order
	Metric, Product, Aggregation string
	WindowDays                   int
	UsedOnly, PopulatedOnly      bool
	Provenance                   bool // adds the records behind each value
}

// FeatureMetrics returns the names of all metrics.
func FeatureMetrics() []string {
	var names []string
	for m := range feature.Metrics() {
		names = append(names, m.Name)
	}
	return names
}

// FeatureProducts returns the products and channels of all metrics, sorted.
func FeatureProducts() []string {
	var names []string
	for m := range feature.Metrics() {
		names = append(names, m.Products...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// words returns the fields by which the filter selects features, as texts. A cursor is
// valid only for a list with the same texts.
func (f FeatureFilter) words() []string {
	return []string{
		"features",
		f.Name,
		f.Prefix,
		f.Contains,
		f.Metric,
		f.Product,
		f.Aggregation,
		strconv.Itoa(f.WindowDays),
		strconv.FormatBool(f.UsedOnly),
		strconv.FormatBool(f.PopulatedOnly),
	}
}

// FeatureVector is a page of a decision's features.
type FeatureVector struct {
	DecisionID string
	Hash       string
	AsOf       string
	Catalogue  feature.Catalogue
	operation.Page[FeatureValue]
}

// Count returns the number of features in a vector.
func (v FeatureVector) Count() int { return feature.Count }

// FeatureValue is one feature of a decision.
type FeatureValue struct {
	Name       feature.Name
	Value      int64 // ten-thousandths
	Known      bool
	Used       bool
	Provenance *feature.Provenance
}

// Features returns a page of the feature vector of a decision, in catalogue order. It
// returns NotFound if there is no such decision, features_not_generated if the decision
// was made without features, and erased if the applicant was erased.
func (s *Service) Features(
	ctx context.Context, p tenant.Principal, decisionID string, f FeatureFilter, l operation.List,
) (FeatureVector, error) {
	if err := p.Require(tenant.Read); err != nil {
		return FeatureVector{}, err
	}
	if !tenant.Valid(tenant.KindDecision, decisionID) {
		return FeatureVector{}, fault.Missing("decision")
	}
	if f.Provenance {
		l.Limit = min(l.Limit, maxExplained)
	}
	filters := append(f.words(), decisionID)
	from, err := position(l, p, filters)
	if err != nil {
		return FeatureVector{}, err
	}

	scope := s.core.Scope(p)
	decision, stored, err := storedFeatures(ctx, scope, decisionID)
	if err == nil && (len(stored.Vector) == 0 || f.Provenance && len(stored.Source) == 0) {
		err = operation.Erased("decision")
	}
	if err == nil {
		err = s.core.OpenDecision(ctx, scope, &decision, &stored)
	}
	if err != nil {
		return FeatureVector{}, err
	}
	policy, err := s.desk.Policy(ctx, scope, decision.PolicyID)
	if err != nil {
		err = operation.MissingIsDefect(err)
		return FeatureVector{}, fmt.Errorf("read the policy of decision %s: %w", decisionID, err)
	}

	out := FeatureVector{DecisionID: decisionID, Hash: stored.Hash, AsOf: stored.AsOf}
	out.Limit = l.Limit
	var vector feature.Vector
	if err := feature.DecodeVector(stored.Vector, &vector); err != nil {
		return FeatureVector{}, fmt.Errorf("read the features of decision %s: %w", decisionID, err)
	}
	if vector.Hash() != stored.Hash {
		return FeatureVector{}, fmt.Errorf("the features of decision %s do not have their stored hash", decisionID)
	}
	out.Catalogue = vector.Catalogue()
	explain, err := explainer(stored, out.Catalogue, f.Provenance)
	if err != nil {
		return FeatureVector{}, err
	}

	used := map[int]bool{}
	for _, u := range policy.Features {
		used[u.Index] = true
	}
	for index := from; index < feature.Count; index++ {
		value, known := vector.Get(index)
		if !f.admits(index, known, used[index]) {
			continue
		}
		if len(out.Data) == l.Limit {
			out.NextCursor = l.CursorAfter(p, filters, strconv.Itoa(index))
			break
		}
		out.Data = append(out.Data, FeatureValue{feature.At(index), value, known, used[index], explain(index)})
	}
	return out, nil
}

// maxExplained is the maximum number of features in a page with provenance.
const maxExplained = 20

// storedFeatures reads a decision and its vector in one transaction.
func storedFeatures(
	ctx context.Context, scope *store.Scope, decisionID string,
) (d store.Decision, f store.Features, err error) {
	err = scope.ReadOf(ctx, decisionID, func(tx *store.Tx) (err error) {
		if d, err = tx.Decisions().Get(decisionID); err != nil {
			return err
		}
		f, err = tx.Decisions().Features(decisionID)
		if fault.KindOf(err) == fault.NotFound {
			return fault.New(fault.NotFound, fault.CodeFeaturesNotGenerated,
				"this decision was made without features; send \"features\": true to have them")
		}
		return err
	})
	return d, f, err
}

// admits reports whether the filter selects a feature.
func (f FeatureFilter) admits(index int, known, used bool) bool {
	if f.UsedOnly && !used || f.PopulatedOnly && !known {
		return false
	}
	text, name := feature.NameAt(index), feature.At(index)
	for word := range strings.FieldsSeq(f.Contains) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	is := func(wanted, got string) bool { return wanted == "" || wanted == got }
	return is(f.Name, text) &&
		is(f.Metric, name.Metric) &&
		is(f.Product, name.Product) &&
		is(f.Aggregation, name.Aggregation) &&
		(f.WindowDays == 0 || f.WindowDays == name.WindowDays) &&
		strings.HasPrefix(text, f.Prefix)
}

// explainer returns a function that finds the records behind a feature in the stored
// history. If wanted is false, the function returns nil.
func explainer(stored store.Features, c feature.Catalogue, wanted bool) (func(index int) *feature.Provenance, error) {
	if !wanted {
		return func(int) *feature.Provenance { return nil }, nil
	}
	history, statement, err := report.ReadArchive(stored.Source)
	if err != nil {
		return nil, fmt.Errorf("read the history of decision %s: %w", stored.DecisionID, err)
	}
	asOf, err := MeasuredOn(stored.DecisionID, stored.AsOf)
	if err != nil {
		return nil, err
	}
	return func(index int) *feature.Provenance {
		p, ok := feature.Explain(c, history, statement, asOf, feature.NameAt(index))
		if !ok {
			return nil
		}
		return &p
	}, nil
}

// MeasuredOn returns the day as of which the stored features of a decision were computed.
// asOf is the stored day.
func MeasuredOn(decisionID, asOf string) (civil.Day, error) {
	at, err := time.Parse(time.DateOnly, asOf)
	if err != nil {
		return civil.NoDay, fmt.Errorf("read the day of the features of decision %s: %w", decisionID, err)
	}
	return civil.DayOf(at.Year(), at.Month(), at.Day()), nil
}

// position returns the index of the first feature of a page.
func position(l operation.List, p tenant.Principal, filters []string) (int, error) {
	place, err := l.After(p, filters)
	if err != nil || place == "" {
		return 0, err
	}
	at, err := strconv.Atoi(place)
	if err != nil || at < 0 || at > feature.Count {
		return 0, operation.NotACursor()
	}
	return at, nil
}

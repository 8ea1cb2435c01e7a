package agent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// warnExplore warns of the parts of explore that had no effect. Editions before
// the fourth gave no such warnings.
func (st *study) warnExplore() {
	if st.ask.edition < fourthEdition {
		return
	}
	st.warnTenures()
	st.warnAmount()
	if ideas := len(st.ideas()); st.ask.explored() != nil && len(st.whatIfs) < ideas {
		st.warn("/max_steps", fault.CodeExploreStepsExhausted, fmt.Sprintf(
			"%d of the %d changes to explore were not tried, because the run had no steps left; raise max_steps",
			ideas-len(st.whatIfs), ideas))
	}
}

func (st *study) warnTenures() {
	if st.ask.tenures == nil {
		return
	}
	allowed := st.allowedTenures()
	unknown := 0
	for _, months := range st.ask.tenures {
		if !slices.Contains(allowed, months) {
			unknown++
		}
	}
	if unknown == 0 {
		return
	}
	who := "a pricing band"
	if st.band != nil && st.band.Priced {
		who = st.band.ID
	}
	list := make([]string, len(allowed))
	for i, months := range allowed {
		list[i] = strconv.Itoa(months)
	}
	st.warn("/explore/tenures", fault.CodeExploreTenureNotAvailable, fmt.Sprintf(
		"%d of the tenures are none that %s allows and were not tried; allowed are %s months",
		unknown, who, strings.Join(list, ", ")))
}

func (st *study) warnAmount() {
	if st.ask.minPaise == 0 {
		return
	}
	const pointer = "/explore/min_amount"
	asked, given := st.requested()
	switch most := st.mostLent(); {
	case most > 0 && st.ask.minPaise > most:
		st.warn(pointer, fault.CodeExploreAmountNotUsed,
			fmt.Sprintf("is more than any pricing band lends, which is at most %s: "+
				"no smaller amount was tried, and no counter-offer can reach it", rule.Rupees(most)))
	case !given:
		st.warn(pointer, fault.CodeExploreAmountNotUsed,
			"no amount was asked for, so no smaller one was tried; send the requested amount")
	case rule.Rupees(st.ask.minPaise) > asked:
		st.warn(pointer, fault.CodeExploreAmountNotUsed,
			"is more than the amount asked for: no smaller amount was tried, "+
				"and counter-offers below it were left out")
	}
}

// mostLent returns the largest limit of all bands that lend, in paise.
func (st *study) mostLent() (most int64) {
	policy := st.plan.Policy()
	for i := range policy.Bands {
		if b := &policy.Bands[i]; b.Priced {
			most = max(most, b.MaxLimitPaise)
		}
	}
	return most
}

func (st *study) warn(pointer, code, detail string) {
	st.warnings = append(st.warnings, fault.Item{Pointer: pointer, Code: code, Detail: detail})
}

func (st *study) writeWarnings(w *wire.Writer) {
	if len(st.warnings) == 0 {
		return
	}
	w.Key("warnings").Array()
	for _, item := range st.warnings {
		w.Object().Key("code").String(item.Code).Key("pointer").String(item.Pointer)
		w.Key("detail").String(item.Detail).EndObject()
	}
	w.EndArray()
}

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

// warnUnused adds warnings about the members of "explore" that had no effect.
// Editions before the fourth gave no such warnings.
func (x *explorer) warnUnused() {
	if x.study.ask.edition < fourthEdition {
		return
	}
	x.warnTenures()
	x.warnAmount()
	if ideas := len(x.ideas()); x.study.ask.explored() != nil && len(x.whatIfs) < ideas {
		x.warn("/max_steps", fault.CodeExploreStepsExhausted, fmt.Sprintf(
			"%d of the %d changes to explore were not tried, because the run had no steps left; raise max_steps",
			ideas-len(x.whatIfs), ideas))
	}
}

func (x *explorer) warnTenures() {
	if x.study.ask.tenures == nil {
		return
	}
	allowed := x.allowedTenures()
	unknown := 0
	for _, months := range x.study.ask.tenures {
		if !slices.Contains(allowed, months) {
			unknown++
		}
	}
	if unknown == 0 {
		return
	}
	who := "a pricing band"
	if x.study.band != nil && x.study.band.Priced {
		who = x.study.band.ID
	}
	list := make([]string, len(allowed))
	for i, months := range allowed {
		list[i] = strconv.Itoa(months)
	}
	x.warn("/explore/tenures", fault.CodeExploreTenureNotAvailable, fmt.Sprintf(
		"%d of the tenures are none that %s allows and were not tried; allowed are %s months",
		unknown, who, strings.Join(list, ", ")))
}

func (x *explorer) warnAmount() {
	if x.study.ask.minPaise == 0 {
		return
	}
	const pointer = "/explore/min_amount"
	asked, given := x.study.requested()
	switch most := x.mostLent(); {
	case most > 0 && x.study.ask.minPaise > most:
		x.warn(pointer, fault.CodeExploreAmountNotUsed,
			fmt.Sprintf("is more than any pricing band lends, which is at most %s: "+
				"no smaller amount was tried, and no counter-offer can reach it", rule.Rupees(most)))
	case !given:
		x.warn(pointer, fault.CodeExploreAmountNotUsed,
			"no amount was asked for, so no smaller one was tried; send the requested amount")
	case rule.Rupees(x.study.ask.minPaise) > asked:
		x.warn(pointer, fault.CodeExploreAmountNotUsed,
			"is more than the amount asked for: no smaller amount was tried, "+
				"and counter-offers below it were left out")
	}
}

// mostLent returns the largest limit of all bands that lend, in paise.
func (x *explorer) mostLent() (most int64) {
	policy := x.study.plan.Policy()
	for i := range policy.Bands {
		if b := &policy.Bands[i]; b.Priced {
			most = max(most, b.MaxLimitPaise)
		}
	}
	return most
}

func (x *explorer) warn(pointer, code, detail string) {
	x.warnings = append(x.warnings, fault.Item{Pointer: pointer, Code: code, Detail: detail})
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

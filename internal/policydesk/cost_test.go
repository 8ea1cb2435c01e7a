//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package policydesk_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestPoliciesAreBoundedByWhatTheyCost checks that a policy that grows by patches is
// refused when its evaluation would be too costly, even if each request is small.
func TestPoliciesAreBoundedByWhatTheyCost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		rules := func(from int) string {
			list := make([]string, 60)
			for i := range list {
				leaves := make([]string, 500)
				for k := range leaves {
					leaves[k] = fmt.Sprintf(`{"op":"eq","field":"age","value":%d}`, k)
				}
				list[i] = fmt.Sprintf(`{"id":"K_%d","reason_code":"R","condition_ast":{"op":"or","args":[%s]}}`, from+i,
					strings.Join(leaves, ","))
			}
			return strings.Join(list, ",")
		}
		base := ""
		for round := range 4 {
			set, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, fmt.Sprintf(
				`{"name":"growing"%s,"patch":{"knockouts":{"set":[%s]}}}`, base, rules(round*60))), nil)
			if round < 3 {
				if err != nil {
					t.Fatal(err)
				}
				base = fmt.Sprintf(`,"base":%q`, set.ID)
				continue
			}
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Kind != fault.Invalid ||
				refusal.Items[0].Code != fault.CodePolicyTooCostly {
				t.Errorf("a policy of %d rules: %v", (round+1)*60, err)
			}
		}
	})
}

// TestPoliciesAreBoundedByTheirRules checks that a new policy has at most
// engine.MaxRules knockouts, because each decision explains all of them.
func TestPoliciesAreBoundedByTheirRules(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		for rules, wanted := range map[int]bool{engine.MaxRules: true, engine.MaxRules + 1: false} {
			list := make([]string, rules)
			for i := range list {
				list[i] = fmt.Sprintf(
					`{"id":"K_%d","reason_code":"R","condition_ast":{"op":"gt","field":"age","value":%d}}`, i, 100+i)
			}
			_, err := h.Service.Policies.CreateRuleSet(t.Context(), h.Caller, usecasetest.Draft(t, fmt.Sprintf(
				`{"name":"many rules","knockouts":[%s]}`, strings.Join(list, ","))), nil)
			var refusal *fault.Error
			switch {
			case wanted && err != nil:
				t.Errorf("%d rules: %v", rules, err)
			case !wanted && (!errors.As(err, &refusal) || refusal.Items[0].Code != fault.CodePolicyTooCostly ||
				refusal.Items[0].Pointer != "/knockouts"):
				t.Errorf("%d rules: %v", rules, err)
			}
		}
	})
}

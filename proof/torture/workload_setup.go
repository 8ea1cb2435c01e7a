package torture

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// lenders is the number of tenants that exist from the beginning. The last
// tenant has a small quota, for which its requests compete.
const lenders = 3

// SetUp signs up the lenders, creates a key for each in both environments and
// activates a policy in live.
func (w *Workload) SetUp(ctx context.Context, url string) error {
	for i := range lenders {
		name := fmt.Sprintf("lender%d", i)
		sandbox, err := w.signUp(ctx, w.newLender(name, uint64(i)), uint64(i)*2, at(ctx, url))
		if err != nil {
			return errors.Join(fmt.Errorf("sign %s up: %w", name, err), w.model.verdict())
		}
		live, err := w.openLive(ctx, sandbox, uint64(i)*2+1, at(ctx, url))
		if err != nil {
			return errors.Join(fmt.Errorf("open live of %s: %w", name, err), w.model.verdict())
		}
		if small := i == lenders-1 && w.Operator != nil; small {
			sandbox.small, live.small = true, true
		}
		w.lasting = append(w.lasting, sandbox, live)
	}
	if err := w.raise(ctx, url); err != nil {
		return err
	}
	return w.model.verdict()
}

// newLender creates the identity of a tenant. The word in the tenant's name is
// unique.
func (w *Workload) newLender(name string, n uint64) *lender {
	word := w.secrets.word("tenant", n)
	return &lender{
		email: fmt.Sprintf("%s@%s.example", name, strings.ToLower(word)), password: w.secrets.password(n),
		word: word, browser: &browser{},
	}
}

// signUp signs up a tenant and returns the scope of its sandbox.
func (w *Workload) signUp(ctx context.Context, l *lender, n uint64, where func() (string, bool)) (*scope, error) {
	body, err := json.Marshal(
		map[string]string{"email": l.email, "org_name": "Lender " + l.word, "password": l.password})
	if err != nil {
		return nil, err
	}
	r := &request{
		scope: newScope(l, "sandbox", w.secrets.word("sandbox", n), ""), method: http.MethodPost, path: "/api/signup",
		contentType: jsonType, body: body, writes: true, unsettling: true,
		want: []int{http.StatusCreated, http.StatusConflict},
	}
	a, ok := w.deliver(ctx, r, where)
	var told struct {
		Key    string `json:"api_key"`
		KeyRef struct {
			ID string `json:"id"`
		} `json:"key"`
		Tenant struct {
			ID string `json:"id"`
		} `json:"tenant"`
		RuleSet string `json:"default_rule_set_id"`
	}
	if !ok || !a.read(&told) || told.Key == "" || told.Tenant.ID == "" {
		return nil, fmt.Errorf("no key: %d %s", a.status, short(a.body))
	}
	w.secrets.add(told.Key)
	s := r.scope
	l.id, s.key = told.Tenant.ID, told.Key
	w.learn(func() {
		s.beginWith(told.RuleSet, r.began, r.ended)
		s.did("tenant.created", told.Tenant.ID)
		s.did("key.created", told.KeyRef.ID)
		w.model.scopes = append(w.model.scopes, s)
	})
	return s, nil
}

// beginWith records a policy as the first activated policy of the scope.
func (s *scope) beginWith(ruleSet string, began, ended time.Time) {
	s.activations = append(s.activations, &request{
		scope: s, path: "/v1/rule-sets/" + ruleSet + "/activate", began: began, ended: ended, done: true,
		status: http.StatusOK,
	})
}

// openLive creates a live key for a lender and activates the default policy in
// live.
func (w *Workload) openLive(
	ctx context.Context, sandbox *scope, n uint64, where func() (string, bool),
) (*scope, error) {
	live := newScope(sandbox.lender, "live", w.secrets.word("live", n), "")
	w.learn(func() { w.model.scopes = append(w.model.scopes, live) })
	if err := w.signIn(ctx, live, where); err != nil {
		return nil, err
	}
	key, _, ok := w.makeKey(ctx, live, "origination "+live.word, where, "admin")
	if !ok {
		return nil, errors.New("no live key")
	}
	live.key = key
	drafts := live.get("/v1/rule-sets?status=draft&order=asc")
	a, ok := w.deliver(ctx, drafts, where)
	var list struct {
		Data []struct{ ID, Name string } `json:"data"`
	}
	if !ok || !a.read(&list) || len(list.Data) == 0 {
		return nil, fmt.Errorf("no draft: %d %s", a.status, short(a.body))
	}
	for _, draft := range list.Data {
		if draft.Name != "SAFE_MODE" {
			return live, w.firstActivation(ctx, live, draft.ID, where)
		}
	}
	return nil, errors.New("no draft to activate")
}

func (w *Workload) firstActivation(ctx context.Context, s *scope, id string, where func() (string, bool)) error {
	r := w.activation(s, id, "setup-"+s.word, "the first")
	if _, ok := w.deliver(ctx, r, where); !ok {
		return errors.New("the first policy cannot be activated")
	}
	return nil
}

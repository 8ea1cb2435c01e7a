package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"verdict/internal/admission"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Underwrite runs the underwriting agent on a decision or an evaluate request.
// The decision and the run are stored together and billed as one operation.
func (s *Service) Underwrite(
	ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once, how ...decisioning.Option,
) (operation.Answer, error) {
	a, err := readAsk(body)
	if err != nil {
		return operation.Answer{}, err
	}
	return s.cases.Underwrite(ctx, p, body, o, decisioning.Underwriter{
		Members: askMembers, Today: a.asOf, Strict: slices.Contains(how, decisioning.Strict),
		Study: func(ctx context.Context, u *decisioning.Underwriting, hurry bool) (decisioning.Study, error) {
			st, err := newStudy(a, u, checking(ctx))
			if err != nil {
				return nil, err
			}
			if !hurry {
				s.narrate(ctx, st)
			}
			return st, nil
		},
	})
}

// checking returns a check that fails once the request has ended, and that yields
// the CPU to other requests.
func checking(ctx context.Context) func() error {
	return func() error { return admission.Checkpoint(ctx) }
}

// Run reads a stored run and repeats it. The answer says whether the repetition
// is byte-identical. A run that can no longer be repeated is reported as not
// verified.
func (s *Service) Run(ctx context.Context, p tenant.Principal, id string) (operation.Answer, error) {
	stored, err := s.desk.AgentRun(ctx, p, id)
	if err != nil {
		return operation.Answer{}, err
	}
	w := wire.Writer{Buf: make([]byte, 0, len(stored.Response)+1<<9)}
	w.Object().Members(stored.Response)
	repeat := s.repeat
	if stored.Agent == agentdesk.AgentCollections {
		repeat = s.repeatCollections
	}
	verified, hash, err := repeat(ctx, p, stored)
	if err != nil {
		return operation.Answer{}, err
	}
	w.Key("replay").Object().Key("verified").Bool(verified)
	if hash != "" {
		w.Key("run_hash").String(hash)
	}
	w.EndObject()
	return operation.Answer{Status: 200, Body: w.EndObject().Buf}, nil
}

// repeat runs the underwriting agent again on a stored run.
func (s *Service) repeat(
	ctx context.Context, p tenant.Principal, stored agentdesk.Run,
) (same bool, hash string, err error) {
	a, err := readStoredAsk(stored.Request)
	if err != nil {
		return false, "", fmt.Errorf("read the stored request of run %s: %w", stored.ID, err)
	}
	u, head, err := s.desk.Underwritten(ctx, p, stored)
	if err != nil || u == nil {
		return false, "", err
	}
	st, err := newStudy(a, u, checking(ctx))
	if err != nil {
		return false, "", err
	}
	st.narrated, st.refused = a.narration, a.refused
	var w wire.Writer
	st.Write(&w, head)
	return st.Hash() == stored.Hash && bytes.Equal(w.Buf, stored.Response), st.Hash(), nil
}

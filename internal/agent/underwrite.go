package agent

import (
	"bytes"
	"context"
	"fmt"

	"verdict/internal/agentdesk"
	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Request is a request to the underwriting agent that has not been read yet: an
// application and the agent's own members. It is valid as long as the document that it
// was made from.
type Request struct {
	// Strict refuses unknown members instead of warning about them.
	Strict bool

	body wire.Value
}

// NewRequest returns the request of a body.
func NewRequest(body wire.Value) Request { return Request{body: body} }

func (r Request) application() application.Request {
	out := application.EitherRequest(r.body)
	out.Strict = r.Strict
	return out
}

// Underwrite runs the underwriting agent on a decision or an evaluate request.
// Underwrite stores the decision and the run together and bills them as one operation.
func (s *Service) Underwrite(
	ctx context.Context, p tenant.Principal, request Request, reply *operation.Reply[decisioning.Underwritten],
) (decisioning.Underwritten, error) {
	a, err := readAsk(request.body)
	if err != nil {
		return decisioning.Underwritten{}, err
	}
	return s.cases.Underwrite(ctx, p, request.application(), decisioning.Underwriter{
		Members: askMembers,
		Today:   a.asOf,
		Study: func(ctx context.Context, u *decisioning.Underwriting, hurry bool) (decisioning.Study, error) {
			st, err := newStudy(a, u, operation.Checking(ctx))
			if err != nil {
				return nil, err
			}
			if !hurry {
				s.narrate(ctx, st)
			}
			return st, nil
		},
	}, reply)
}

// Run is a stored run together with the result of its repetition.
type Run struct {
	agentdesk.Run
	Verified     bool   // the repetition is byte-identical
	RepeatedHash string // "" if the run can no longer be repeated
	// InputsErased says that a repetition needs data of the decision that was erased. It is then unknown whether
	// the run is right.
	InputsErased bool
}

// Run reads a stored run and repeats it. If the run can no longer be repeated,
// Verified is false.
func (s *Service) Run(ctx context.Context, p tenant.Principal, id string) (Run, error) {
	stored, err := s.desk.AgentRun(ctx, p, id)
	if err != nil {
		return Run{}, err
	}
	repeat := s.repeat
	if stored.Agent == agentdesk.AgentCollections {
		repeat = s.repeatCollections
	}
	out := Run{Run: stored}
	out.Verified, out.RepeatedHash, err = repeat(ctx, p, stored)
	if fault.KindOf(err) == fault.Gone {
		out.InputsErased, err = true, nil
	}
	if err != nil {
		return Run{}, err
	}
	return out, nil
}

// repeat runs the underwriting agent again on a stored run. same reports whether
// the result is identical.
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
	st, err := newStudy(a, u, operation.Checking(ctx))
	if err != nil {
		return false, "", err
	}
	st.narrated, st.refused = a.narration, a.refused
	return st.Hash() == stored.Hash && bytes.Equal(st.Encode(head), stored.Response), st.Hash(), nil
}

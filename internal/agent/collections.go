package agent

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/recovery"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Collect runs the collections agent on a loan in arrears, under the strategy of the caller's tenant. Collect stores
// and bills the run. It contacts nobody.
func (s *Service) Collect(
	ctx context.Context, p tenant.Principal, request recovery.Request, reply *operation.Reply[agentdesk.Run],
) (agentdesk.Run, error) {
	return s.desk.KeepAgentRun(ctx, p, agentdesk.EndpointCollections,
		func(head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
			c, err := request.Read(now)
			if err != nil {
				return agentdesk.RunRecord{}, err
			}
			strategy, err := s.desk.StrategyInForce(ctx, p)
			if err != nil {
				return agentdesk.RunRecord{}, err
			}
			r := newRecoveryRun(&c, strategy)
			var w wire.Writer
			r.write(&w, head)
			return agentdesk.RunRecord{
				Agent:      agentdesk.AgentCollections,
				SubjectRef: cmp.Or(c.Borrower.Ref, c.Loan.ID),
				Outcome:    r.advice.Next.Action.String(),
				Hash:       r.hash(),
				Request:    r.request(request, &c),
				Response:   w.Buf,
			}, nil
		}, reply)
}

// recoveryRun is one run of the collections agent.
type recoveryRun struct {
	advice  recovery.Advice
	name    string // the name of the strategy
	version int64  // the version of the strategy
}

func newRecoveryRun(c *recovery.Case, strategy agentdesk.Strategy) *recoveryRun {
	return &recoveryRun{recovery.Advise(c, &strategy.Recovery, c.AsOf), strategy.Recovery.Name, strategy.Version}
}

// write writes the run. A run and its repetition differ only in head.
func (r *recoveryRun) write(w *wire.Writer, head decisioning.RunHead) {
	w.Object().Key("run_id").String(head.RunID).Key("agent").String(agentdesk.AgentCollections)
	r.members(w)
	w.Key("created_at").String(head.CreatedAt).EndObject()
}

func (r *recoveryRun) members(w *wire.Writer) {
	r.advice.WriteMembers(w)
	w.Key("strategy").Object().Key("name").String(r.name).Key("version").Int(r.version).EndObject()
}

// hash returns the hash of the members that a repetition must reproduce.
func (r *recoveryRun) hash() string {
	var w wire.Writer
	w.Object()
	r.members(&w)
	return digest(w.EndObject().Buf)
}

// request returns the document that a repetition needs: the case as it was sent, the time, the version of the strategy
// and the edition. Unknown members may contain personal data, so only their names are stored, not their values. If
// there are more than fault.MaxItems warnings, the warnings do not name all unknown members. Then the case is not
// stored at all, and the run cannot be repeated.
func (r *recoveryRun) request(sent recovery.Request, c *recovery.Case) []byte {
	var w wire.Writer
	w.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339))
	if len(c.Warnings) <= fault.MaxItems {
		unread := map[string]bool{}
		for _, item := range c.Warnings {
			if item.Code == fault.CodeUnknownField {
				unread[item.Pointer] = true
			}
		}
		sent.Write(w.Key("case"), unread)
	}
	return w.Key("strategy_version").Int(r.version).Key("edition").Int(int64(latestEdition)).EndObject().Buf
}

// repeatCollections runs the collections agent again on a stored run. same
// reports whether the result is identical.
func (s *Service) repeatCollections(
	ctx context.Context, p tenant.Principal, stored agentdesk.Run,
) (same bool, hash string, err error) {
	request, err := wire.Parse(stored.Request)
	if err != nil {
		return false, "", fmt.Errorf("read the stored request of run %s: %w", stored.ID, err)
	}
	version, _, _ := wire.ParseDecimal(request.Get("strategy_version").Text(), 0)
	strategy, err := s.desk.StrategyAt(ctx, p, version)
	if err != nil || strategy == nil || !request.Get("case").Given() {
		return false, "", err
	}
	made, err := readEdition(request)
	if err != nil {
		return false, "", fmt.Errorf("read the stored request of run %s: %w", stored.ID, err)
	}
	if made == firstEdition && version == 0 {
		strategy.Recovery = recovery.FirstStrategy()
	}
	c, err := storedCase(request, made)
	if err != nil {
		return false, "", nil //nolint:nilerr // an unreadable case is reported as not verified
	}
	r := newRecoveryRun(&c, *strategy)
	var w wire.Writer
	r.write(&w, stored.Head())
	return r.hash() == stored.Hash && bytes.Equal(w.Buf, stored.Response), r.hash(), nil
}

// storedCase reads a stored case in the same way as the edition that made the
// run. It parses the case as a separate document, so that the pointers of its
// warnings begin at the case, as they did for the original request.
func storedCase(request wire.Value, made edition) (recovery.Case, error) {
	asOf, err := time.Parse(time.RFC3339, request.Get("as_of").Text())
	if err != nil {
		return recovery.Case{}, err
	}
	var w wire.Writer
	body, err := wire.Parse(w.Value(request.Get("case")).Buf)
	if err != nil {
		return recovery.Case{}, err
	}
	switch made {
	case firstEdition:
		return recovery.ReadFirst(body, asOf)
	case secondEdition:
		return recovery.ReadSecond(body, asOf)
	case thirdEdition:
		return recovery.ReadThird(body, asOf)
	default:
		return recovery.Read(body, asOf)
	}
}

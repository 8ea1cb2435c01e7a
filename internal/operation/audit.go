package operation

import (
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// The actions of the audit trail, besides store.ActionDecided.
const (
	ActionSignedUp         = "tenant.created"
	ActionPlanSet          = "tenant.plan_set"
	ActionUserAdded        = "user.created"
	ActionKeyCreated       = "key.created"
	ActionKeyRevoked       = "key.revoked"
	ActionReviewed         = "decision.reviewed"
	ActionRuleSetCreated   = "rule_set.created"
	ActionRuleSetActivated = "rule_set.activated"
	ActionRuleSetDeleted   = "rule_set.deleted"
	ActionRuleSetArchived  = "rule_set.archived"
	ActionAcknowledged     = "findings.acknowledged"
	ActionScorecardCreated = "scorecard.created"
	ActionFraudConfig      = "fraud_config.changed"
	ActionPincodeRisk      = "pincode_risk.changed"
	ActionAlertMoved       = "alert.moved"
	ActionBlocked          = "blocklist.added"
	ActionUnblocked        = "blocklist.removed"
	ActionBacktestCreated  = "backtest.created"
	ActionBacktestEnded    = "backtest.cancelled"
	ActionStrategy         = "collections_strategy.changed"

	ActionKeyRotated         = "key.rotated"
	ActionSignedIn           = "session.created"
	ActionSignedOut          = "session.ended"
	ActionPasswordChanged    = "user.password_changed"
	ActionRoleSet            = "user.role_set"
	ActionUserDisabled       = "user.disabled"
	ActionUserEnabled        = "user.enabled"
	ActionActivatorConfirmed = "user.activator_confirmed"
	ActionInvited            = "invitation.created"
	ActionInvitationRevoked  = "invitation.revoked"
	ActionInvitationUsed     = "invitation.accepted"
)

// Who did something, when it was none of the tenant's people.
const (
	ActorSystem   = "system"
	ActorOperator = "operator"
)

// Actor names who calls in stored records: the key, or the person.
func Actor(p tenant.Principal) string {
	if p.KeyID != "" {
		return p.KeyID
	}
	return p.UserID
}

// Audit is the entry of something a caller did.
func (s *Core) Audit(p tenant.Principal, now time.Time, action, object, note string) store.AuditEntry {
	return s.AuditBy(Actor(p), string(p.Environment), now, action, object, note)
}

func (s *Core) AuditBy(actor, environment string, now time.Time, action, object, note string) store.AuditEntry {
	id, made := s.NewID(tenant.KindAudit, now)
	return store.AuditEntry{
		ID: id, Environment: environment, CreatedMicros: made.UnixMicro(),
		Actor: actor, Action: action, Object: object, Note: note,
	}
}

// NewID makes an id and tells the moment it names. That is now, unless the
// clock stepped back: ids keep to their order, and what was made keeps to its
// id, so that a list by id is a list by time.
func (s *Core) NewID(kind tenant.Kind, now time.Time) (id string, made time.Time) {
	id = s.IDs.New(kind, now)
	made, _ = tenant.Time(id) // it is one of ours
	return id, made
}

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
	ActionReferralTaken    = "referral.taken"
	ActionReferralReleased = "referral.released"
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
	ActionBatchCreated     = "batch.created"
	ActionBatchCancelled   = "batch.cancelled"
	ActionBatchDeleted     = "batch.deleted"
	ActionCapsule          = "decision.capsule_read"
	ActionStrategy         = "collections_strategy.changed"
	ActionLenderProfile    = "lender_profile.changed"
	ActionListCreated      = "list.created"
	ActionListChanged      = "list.changed"
	ActionListDeleted      = "list.deleted"
	ActionExposureReported = "exposure.reported"
	ActionExposureClosed   = "exposure.closed"
	ActionTableCreated     = "table.created"
	ActionTableChanged     = "table.changed"
	ActionTableDeleted     = "table.deleted"

	ActionWebhookCreated     = "webhook.created"
	ActionWebhookChanged     = "webhook.changed"
	ActionWebhookRotated     = "webhook.secret_rotated"
	ActionWebhookDeleted     = "webhook.deleted"
	ActionWebhookRedelivered = "webhook.redelivered"
	ActionWebhookDisabled    = "webhook.disabled"

	ActionErased           = "applicant.erased"
	ActionErasureDeferred  = "erasure.deferred"
	ActionErasureWithdrawn = "erasure.withdrawn"
	ActionHoldPlaced       = "legal_hold.placed"
	ActionHoldReleased     = "legal_hold.released"
	ActionRetention        = "retention.changed"
	ActionApplicantRead    = "applicant.read"

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

	ActionIdentityLinked   = "user.identity_linked"
	ActionIdentityUnlinked = "user.identity_unlinked"
	ActionFactorEnabled    = "second_factor.enabled"
	ActionFactorDisabled   = "second_factor.disabled"
	ActionFactorReset      = "second_factor.reset"
	ActionFactorRequired   = "second_factor.required"
	ActionFactorOptional   = "second_factor.optional"
	ActionRecoveryUsed     = "second_factor.recovery_code_used"
	ActionRecoveryReplaced = "second_factor.recovery_codes_replaced"
)

// Actors that are not people of the tenant.
const (
	ActorSystem   = "system"
	ActorOperator = "operator"
)

// MaxNote is the maximum length of a note, in bytes.
const MaxNote = 2_000

// Actor returns the caller's id for stored records: the id of the key, or of the person if there
// is no key.
func Actor(p tenant.Principal) string {
	if p.KeyID != "" {
		return p.KeyID
	}
	return p.UserID
}

// Audit returns the audit entry of a caller's action.
func (s *Core) Audit(p tenant.Principal, now time.Time, action, object, note string) store.AuditEntry {
	return s.AuditBy(Actor(p), string(p.Environment), now, action, object, note)
}

// AuditBy returns the audit entry of an action by an actor, who may be the system or the operator.
func (s *Core) AuditBy(actor, environment string, now time.Time, action, object, note string) store.AuditEntry {
	id, made := s.NewID(tenant.KindAudit, now)
	return store.AuditEntry{
		ID: id, Environment: environment, CreatedMicros: made.UnixMicro(),
		Actor: actor, Action: action, Object: object, Note: note,
	}
}

// NewID returns a new id and the time it contains. That time is now, unless the
// clock has stepped back. Ids keep their order, and objects use the time of
// their id, so that a list by id is also a list by time.
func (s *Core) NewID(kind tenant.Kind, now time.Time) (id string, made time.Time) {
	id = s.IDs.New(kind, now)
	made, _ = tenant.Time(id) // every new id contains a time
	return id, made
}

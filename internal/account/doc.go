// Package account identifies callers: tenants and their plans, people and their roles,
// sign-up, sign-in and sessions, invitations, API keys, the audit trail, and the
// operator's work on all of them. It has no operations on policies or decisions, except
// that it creates the policies that a new tenant starts with.
//
// Five services share one database, each for a different kind of caller. Besides the
// errors listed here, any operation may fail with a storage error. An operation that
// hashes or verifies a password may also fail with unavailable.
//
// Access authenticates callers. Its operations need no scope:
//
//	SignupFrom, OpenAccount
//	    create a tenant: Invalid with every fault, email_taken, signup_closed,
//	    invite_code_required, invalid_invite_code, rate_limited (a *Throttled);
//	    OpenAccount also login_throttled (a *Throttled)
//	SignupMode
//	    returns who may sign up
//	SignupRules
//	    returns the password rules: signup_closed
//	MinPassword
//	    returns the minimum number of characters of a new password
//	SignIn, SignInAt
//	    begin a session: invalid_credentials, login_throttled (a *Throttled),
//	    second_factor_required (a *NeedsCode)
//	SignInWithCode
//	    begins the session of a person with a second factor: wrong_code, session_ended,
//	    login_throttled (a *Throttled)
//	SessionOf
//	    returns the session of a token: session_ended
//	Sessions, SignOut, RevokeSession, RevokeOtherSessions
//	    list and end a person's own sessions: NotFound
//	ChangePassword
//	    changes a person's own password: Invalid, wrong_password, login_throttled (a
//	    *Throttled), session_ended
//	Remember
//	    makes a browser known to the account that signed in with it
//	Invitation, AcceptInvitation
//	    read and accept an invitation: invitation_ended, email_taken, Invalid
//	Authenticate
//	    returns the caller that owns a key: unauthenticated, key_revoked, key_expired
//	Known
//	    returns the caller that owns a key if the key is cached and valid
//
// SignOn signs people in through identity providers (ADR 34). Its operations need no scope:
//
//	Connection, Listed, OfTenant, Linked
//	    return connections: Connection NotFound
//	Begin, BeginLink
//	    begin a sign-in, or the linking of an account: sign_on_unavailable, sign_on_failed,
//	    login_throttled (a *Throttled), NotFound; BeginLink also wrong_password
//	Finish, FinishLink
//	    finish the sign-in or the linking: sign_on_failed, sign_on_refused, sign_on_unavailable, session_in_use,
//	    login_throttled (a *Throttled), NotFound; Finish also email_taken, too_many_people and last_admin;
//	    FinishLink also identity_taken and session_ended
//	Links
//	    reports whether a browser comes back to link an account, and not to sign in
//	Unlink
//	    removes the link of an account: NotFound
//
// SecondFactors serves the codes that people with passwords type when they sign in:
//
//	State, Begin, Pending, Confirm, ReplaceRecoveryCodes, Remove
//	    show and change a person's own second factor: wrong_password, wrong_code, nothing_to_confirm,
//	    invalid_transition, session_ended, login_throttled (a *Throttled)
//	Required, Require, Reset
//	    the tenant's rule, and the removal of another person's second factor: Forbidden,
//	    second_factor_required, invalid_transition, NotFound
//	SealOlder
//	    encrypts older secrets in the background
//
// People serves people in their own tenant. Each operation first checks the caller's
// permissions (Forbidden):
//
//	List, ListWithSignIn, SetRole, DisableUser, EnableUser
//	    list and change the tenant's people: last_admin, NotFound, Invalid
//	ConfirmActivator
//	    lets a new activator activate immediately: second_person_required,
//	    nothing_to_confirm, NotFound
//	Invite, Invitations, RevokeInvitation
//	    create, list and withdraw invitations: email_taken, too_many_people, NotFound, Invalid
//	APIKeys, CreateAPIKey, RevokeAPIKey
//	    list, create and revoke API keys: too_many_keys, invalid_transition, NotFound, Invalid
//	RotateAPIKey
//	    replaces a key by a new one: too_many_keys, role_too_low, key_not_active,
//	    invalid_transition, NotFound, Invalid
//	Audit, ExportAudit
//	    read the audit trail: invalid_cursor
//
// Operator serves the operator of the installation, for any tenant. Its operations need
// no scope:
//
//	Signup
//	    creates a tenant: Invalid with every fault, email_taken
//	Tenants, Tenant, SetPlan
//	    list tenants, and set the plan of one: NotFound, Invalid
//	Users, CreateUser, ResetPassword, ResetSecondFactor
//	    list and change the people of a tenant: NotFound, Invalid, email_taken, too_many_people
//	Keys, CreateKey, RevokeKey
//	    list, create and revoke API keys: NotFound, Invalid, too_many_keys, invalid_transition
//	InviteToSignup
//	    creates a code that allows one sign-up
//
// Package policydesk calls MayActivate in the transaction of an activation. MayActivate
// refuses callers who may not activate a rule set (second_person_required).
// Services.Flush and Services.Purge are the background work of this package.
package account

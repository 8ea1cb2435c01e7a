// Package account knows who calls: tenants and their plans, people and their roles,
// sign-up, sign-in and sessions, invitations, API keys, the audit trail, and what the
// operator does about all of them. It knows no policy and no decision, except for the
// policies that a new tenant starts with.
//
// There are three services over one database, each for another caller. Besides the errors
// named here any operation may fail with one of storage.
//
// Access is how callers come in. Its operations need no scope:
//
//	SignupFrom, OpenAccount
//	    create a tenant: Invalid with every fault, email_taken, signup_closed,
//	    invite_code_required, invalid_invite_code, rate_limited (a *Throttled);
//	    OpenAccount also login_throttled (a *Throttled)
//	SignupMode
//	    says who may sign up
//	SignupRules
//	    the rules of passwords: signup_closed
//	SignIn, SignInAt
//	    begin a session: invalid_credentials, login_throttled (a *Throttled)
//	SessionOf
//	    finds who is signed in with a token: session_ended
//	Sessions, SignOut, RevokeSession, RevokeOtherSessions
//	    list and end a person's own sessions: NotFound
//	ChangePassword
//	    Invalid, wrong_password, login_throttled (a *Throttled), session_ended
//	Remember
//	    marks a browser in which somebody signed in
//	Invitation, AcceptInvitation
//	    read and accept an invitation: invitation_ended, email_taken, Invalid
//	Authenticate
//	    finds who calls with a key: unauthenticated, key_revoked, key_expired
//	Mark, Marked
//	    recognise a text that was shown to a person
//
// People is what people do in their own tenant. Each operation checks what the caller may
// do first (Forbidden):
//
//	List, SetRole, DisableUser, EnableUser
//	    a tenant's people: last_admin, NotFound, Invalid
//	ConfirmActivator
//	    lets somebody activate at once: second_person_required, nothing_to_confirm,
//	    NotFound
//	Invite, Invitations, RevokeInvitation
//	    email_taken, too_many_people, NotFound, Invalid
//	APIKeys, CreateAPIKey, RevokeAPIKey
//	    too_many_keys, NotFound, Invalid
//	RotateAPIKey
//	    puts a new key in the place of an old one: too_many_keys, role_too_low,
//	    key_not_active, NotFound, Invalid
//	Audit, ExportAudit
//	    the trail of what was done: invalid_cursor
//
// Operator is what the operator of the installation does with any tenant. Its operations
// need no scope:
//
//	Signup
//	    creates a tenant: Invalid with every fault, email_taken
//	Tenants, Tenant, SetPlan
//	    NotFound, Invalid
//	Users, CreateUser, ResetPassword
//	    NotFound, Invalid, email_taken
//	Keys, CreateKey, RevokeKey
//	    NotFound, Invalid
//	InviteToSignup
//	    makes a code with which somebody may sign up once
//
// For policydesk, in the transaction of an activation: MayActivate refuses who may not
// activate a rule set (second_person_required). Flush and Purge of Services are the
// background work of the room.
package account

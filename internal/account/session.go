package account

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

const (
	// sessionIdle is how long an unused session lasts.
	sessionIdle = 12 * time.Hour
	// SessionLife is the maximum lifetime of a session.
	SessionLife = 7 * 24 * time.Hour
	// seenEvery is the precision with which the last use of a session is stored.
	seenEvery = time.Minute
)

// peoplesLog is the environment whose audit trail contains the entries about people, because
// people belong to both environments.
const peoplesLog = string(tenant.Live)

// Session is a person's session in the console.
type Session struct {
	ID     string
	User   User
	Tenant tenant.Tenant
	Plan   tenant.PricePlan

	seen bool // the tenant is already recorded as used
	hash tenant.TokenHash

	// MustEnrol is set if the tenant requires a second factor and the person has none yet. The person may then
	// only set it up.
	MustEnrol  bool
	Connection string // the connection with which the session began, "" for a password

	Address, Agent               string // the network address and browser with which the session began
	CreatedAt, SeenAt, ExpiresAt time.Time
}

// Role returns the person's role.
func (c Session) Role() tenant.Role { return tenant.Role(c.User.Role) }

// Scopes returns the permissions of the person in this session.
func (c Session) Scopes() tenant.Scopes {
	if c.MustEnrol {
		return 0
	}
	return c.Role().Scopes()
}

// Principal returns the person as a caller in an environment.
func (c Session) Principal(e tenant.Environment) tenant.Principal {
	return tenant.Principal{
		TenantID:    c.Tenant.ID,
		Environment: e,
		UserID:      c.User.ID,
		Scopes:      c.Scopes(),
		Plan:        c.Plan,
	}
}

// holds reports whether the session is valid at the time now.
func (c Session) holds(now time.Time) bool {
	return c.User.DisabledAt.IsZero() && now.Before(c.ExpiresAt) && now.Sub(c.SeenAt) < sessionIdle
}

// SessionOf returns the session of a token. It refuses with session_ended if there is none.
// Revocations, role changes and disabled access take effect within a second.
func (s *Access) SessionOf(ctx context.Context, token tenant.Token) (Session, error) {
	c, err := s.sessionOf(ctx, token)
	if err == nil && !c.seen {
		s.visits.greet(c.Tenant.ID)
	}
	return c, err
}

// sessionOf returns the session like SessionOf, but does not record that the tenant is used.
func (s *Access) sessionOf(ctx context.Context, token tenant.Token) (Session, error) {
	hash := tenant.HashToken(token)
	c, err := s.sessions.Get(ctx, hash)
	if err != nil {
		return Session{}, err
	}

	now := s.core.Now()
	if !c.holds(now) {
		return Session{}, sessionEnded()
	}
	if now.Sub(c.SeenAt) >= seenEvery {
		s.seen.note(hash.String(), now.UnixMicro())
	}

	return c, nil
}

func sessionEnded() error {
	return fault.New(fault.Unauthenticated, fault.CodeSessionEnded, "the session has ended; sign in again")
}

func (s *shared) loadSession(ctx context.Context, hash tenant.TokenHash) (Session, error) {
	record, user, owner, err := s.core.DB.Accounts().SessionByHash(ctx, hash.String())
	if fault.KindOf(err) == fault.NotFound {
		return Session{}, sessionEnded()
	}
	if err != nil {
		return Session{}, err
	}
	if closed(owner) || !s.connects(record.Connection, owner.ID) {
		return Session{}, sessionEnded()
	}

	plan, err := s.planOf(owner)
	if err != nil {
		return Session{}, err
	}

	c := sessionOf(record)
	c.User, c.Tenant, c.Plan, c.seen = userOf(user), tenantOf(owner), plan, owner.SeenMicros != 0
	c.hash = hash
	c.MustEnrol = owner.SecondFactorMicros != 0 && record.FactorMicros == 0 && record.Connection == ""
	return c, nil
}

// connects reports whether a connection still signs people in to a tenant. If the operator has removed it, for
// instance because somebody else controls the provider, the sessions that began with it end too. A session that began
// with a password needs no connection.
func (s *shared) connects(connectionID, tenantID string) bool {
	return connectionID == "" || slices.ContainsFunc(s.options.Connections, func(c Connection) bool {
		return c.ID == connectionID && c.TenantID == tenantID
	})
}

func sessionOf(c store.ConsoleSession) Session {
	return Session{
		ID:         c.ID,
		Connection: c.Connection,
		Address:    c.Address,
		Agent:      c.Agent,
		CreatedAt:  operation.Time(c.CreatedMicros),
		SeenAt:     operation.Time(c.SeenMicros),
		ExpiresAt:  operation.Time(c.ExpiresMicros),
	}
}

// newSession returns a new session of a person, which is not stored yet, and its token.
func (s *Access) newSession(userID, address, agent string, now time.Time) (store.ConsoleSession, tenant.Token, error) {
	token, err := tenant.MintToken(s.core.Random)
	return store.ConsoleSession{
		ID:            s.core.IDs.New(tenant.KindSession, now),
		UserID:        userID,
		Hash:          tenant.HashToken(token).String(),
		Address:       shown(address, maxAddress),
		Agent:         shown(agent, maxAgent),
		CreatedMicros: now.UnixMicro(),
		SeenMicros:    now.UnixMicro(),
		ExpiresMicros: now.Add(SessionLife).UnixMicro(),
	}, token, err
}

// maxAddress and maxAgent limit the stored network address and user agent of a session, in bytes.
const (
	maxAddress = 64
	maxAgent   = 256
)

// shown returns the printable beginning of a text that a browser sent about itself.
func shown(text string, limit int) string {
	text = strings.ToValidUTF8(text[:min(len(text), limit)], "") // the limit may split a character
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// SignOut ends a session.
func (s *Access) SignOut(ctx context.Context, c Session) error {
	err := s.RevokeSession(ctx, c, c.ID)
	if fault.KindOf(err) == fault.NotFound { // the session has already ended
		return nil
	}
	return err
}

// Sessions returns a person's valid sessions, the newest first.
func (s *Access) Sessions(ctx context.Context, c Session) ([]Session, error) {
	now := s.core.Now()
	idle := now.Add(-sessionIdle)
	rows, err := s.core.DB.Staff(c.Tenant.ID).Sessions(ctx, c.User.ID, now.UnixMicro(), idle.UnixMicro())
	if err != nil {
		return nil, err
	}

	list := make([]Session, len(rows))
	for i, row := range rows {
		list[i] = sessionOf(row)
		list[i].User, list[i].Tenant, list[i].Plan = c.User, c.Tenant, c.Plan
	}

	return list, nil
}

// RevokeSession ends one of a person's own sessions. It returns NotFound if the person has no
// such session.
func (s *Access) RevokeSession(ctx context.Context, c Session, id string) error {
	if !tenant.Valid(tenant.KindSession, id) {
		return fault.Missing("session")
	}

	hash, err := s.core.DB.Staff(c.Tenant.ID).EndSession(ctx, c.User.ID, id,
		s.auditOf(c.User.ID, operation.ActionSignedOut, id, ""))
	s.forget(hash)
	return err
}

// RevokeOtherSessions ends all of a person's sessions except this one.
func (s *Access) RevokeOtherSessions(ctx context.Context, c Session) error {
	ended, err := s.core.DB.Staff(c.Tenant.ID).EndOtherSessions(ctx, c.User.ID, c.ID,
		s.auditOf(c.User.ID, operation.ActionSignedOut, c.User.ID, "all other sessions"))
	s.forget(ended...)
	return err
}

// auditOf returns the audit entry of an action about people.
func (s *shared) auditOf(by, action, object, note string) store.AuditEntry {
	return s.core.AuditBy(by, peoplesLog, s.core.Moment(), action, object, note)
}

// forget removes ended sessions from this node's cache.
func (s *shared) forget(hashes ...string) {
	for _, text := range hashes {
		if hash, ok := tenant.ParseTokenHash(text); ok {
			s.sessions.Forget(hash)
		}
	}
}

// seen collects the times at which sessions were last used, so that a request need not write to
// the database.
type seen struct {
	mu sync.Mutex
	at map[string]int64 // by the token's hash
}

func (n *seen) note(hash string, micros int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.at == nil {
		n.at = map[string]int64{}
	}

	n.at[hash] = micros
}

func (n *seen) take() map[string]int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	taken := n.at
	n.at = nil
	return taken
}

// flushSeen stores when sessions were last used. If that fails, the next use of each session is
// stored instead.
func (s *Services) flushSeen(ctx context.Context) {
	at := s.seen.take()
	touches := make([]store.Touch, 0, len(at))
	for _, hash := range slices.Sorted(maps.Keys(at)) {
		touches = append(touches, store.Touch{Hash: hash, UsedMicros: at[hash]})
	}
	if err := s.core.DB.Accounts().TouchSessions(ctx, touches); err != nil {
		s.core.Logger.WarnContext(ctx, "could not store the last use of sessions; their next use is stored instead",
			"error", err)
	}
}

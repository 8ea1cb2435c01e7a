//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// exceptID ignores the ids of block list entries, which are random.
var exceptID = cmpopts.IgnoreFields(store.BlockedEntity{}, "ID")

// TestResolutions checks the effects of closing an alert with each resolution.
func TestResolutions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		const mutedUntil = micros + 10 + 30*dayMicros
		for i, resolution := range []string{store.ResolutionConfirmedFraud, store.ResolutionFalsePositive, "duplicate",
			"other"} {
			about := account(resolution)
			hit(t, scope, numbered("alr", i), observed("A", micros, about), nil)
			before := changes(t, scope)
			m := store.AlertMove{
				ID:         numbered("alr", i),
				To:         "closed",
				Resolution: resolution,
				Actor:      "usr_1",
				NowMicros:  micros + 10,
				MuteDays:   30,
			}
			a, err := move(t, scope, m)
			if err != nil || a.Resolution != resolution {
				t.Errorf("%+v, %v", a, err)
			}
			blocked, muted := resolution == store.ResolutionConfirmedFraud, resolution == store.ResolutionFalsePositive
			if told := changes(t, scope) > before; told != blocked {
				t.Errorf("%s: reported as a change: %t", resolution, told)
			}
			for at, still := range map[int64]bool{micros + 11: muted, mutedUntil - 1: muted, mutedUntil: false} {
				got := observe(t, scope, observed("B", at, address("1"), about), windows())
				if len(got.Blocklisted) == 1 != blocked || len(got.Muted) == 1 != still {
					t.Errorf("%s at %d: %+v", resolution, at, got)
				}
			}
			// A closed alert stays closed; the next hit opens another alert.
			next, created := hit(t, scope, numbered("alr_next", i), observed("C", micros+20, about), nil)
			if !created || next.PreviousID != a.ID {
				t.Errorf("%+v, %t", next, created)
			}
		}
		entries, more, err := scope.Blocklist(ctx).List(nil, 10)
		want := []store.BlockedEntity{{
			Entity:        account("confirmed_fraud"),
			BlockedMicros: micros + 10,
			BlockedBy:     "usr_1",
			AlertID:       "alr_000",
		}}
		if diff := cmp.Diff(want, entries, exceptID); err != nil || more || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// entities returns the entities of block list entries.
func entities(list []store.BlockedEntity) (out []store.ObservedEntity) {
	for _, b := range list {
		out = append(out, b.Entity)
	}
	return out
}

// TestConfirmedBlocksNoCrowd confirms alerts about an IP address, a pincode and an agent, which unrelated people
// share. A confirmation must block the accounts that two or more applicants of the alert share. It must block the
// entity itself only if the request names the entity.
func TestConfirmedBlocksNoCrowd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		for _, kind := range []string{"ip", "pincode", "agent"} {
			crowd, other := entity(kind, "crowd"), entity(kind, "other")
			mule, own, phone := account(kind+"-mule"), account(kind+"-own"), entity("device", kind+"-phone")
			raise := func(id string) {
				for i, o := range []store.Observation{
					observed(kind+"A", micros, crowd, mule), observed(kind+"B", micros, crowd, mule, phone),
					observed(kind+"C", micros, crowd, own),
				} {
					hit(t, scope, numbered(id, i), o, nil)
				}
			}
			confirm := func(id string, block []store.BlockedEntity) (store.Alert, error) {
				return move(t, scope, store.AlertMove{
					ID: id + "_000", To: "closed", Resolution: store.ResolutionConfirmedFraud, Actor: "usr_1",
					NowMicros: micros + 10, Block: block,
				})
			}
			observe(t, scope, observed(kind+"C", micros, other), windows())
			raise(kind)
			closed, err := confirm(kind, nil)
			if diff := cmp.Diff([]store.ObservedEntity{mule}, entities(closed.Blocked)); err != nil || diff != "" {
				t.Errorf("%s by default: %v (-want +got):\n%s", kind, err, diff)
			}
			if got := observe(t, scope, observed("Z", micros+11, crowd), windows()); len(got.Blocklisted) > 0 {
				t.Errorf("%s: everybody is blocked", kind)
			}
			raise(kind + "again")
			for _, b := range []store.ObservedEntity{other, account("nobody's"), {Kind: store.KindRing, Key: "x"}} {
				if _, err := confirm(kind+"again", []store.BlockedEntity{{Entity: b}}); err == nil {
					t.Errorf("%s: %v is none of the alert's, and is blocked", kind, b)
				}
			}
			const until = micros + 1000
			closed, err = confirm(kind+"again",
				[]store.BlockedEntity{{Entity: crowd, UntilMicros: until}, {Entity: phone}})
			if err != nil || len(closed.Blocked) != 2 || closed.Blocked[0].UntilMicros != until ||
				closed.Blocked[1].UntilMicros != 0 {
				t.Errorf("%s named: %+v, %v", kind, closed.Blocked, err)
			}
			for at, blocked := range map[int64]int{until - 1: 1, until: 0} {
				if got := observe(t, scope, observed("Z", at, crowd), windows()); len(got.Blocklisted) != blocked {
					t.Errorf("%s at %d: %v", kind, at, got.Blocklisted)
				}
			}
		}
	})
}

// TestShorterMute closes two alerts about one entity as false positives. It checks that
// a later mute replaces an earlier mute only if the later one lasts longer.
func TestShorterMute(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		about := account("1")
		mute := func(id string, nowMicros, days int64) {
			t.Helper()
			hit(t, scope, id, observed("A", nowMicros, about), nil)
			m := store.AlertMove{
				ID:         id,
				To:         "closed",
				Resolution: store.ResolutionFalsePositive,
				Actor:      "usr_1",
				NowMicros:  nowMicros,
				MuteDays:   days,
			}
			if _, err := move(t, scope, m); err != nil {
				t.Fatal(err)
			}
		}
		mutedAt := func(at int64, want bool) {
			t.Helper()
			if got := observe(t, scope, observed("B", at, about), windows()); len(got.Muted) == 1 != want {
				t.Errorf("at %d days: %+v", (at-micros)/dayMicros, got)
			}
		}
		mute("alr_1", micros, 30)
		mute("alr_2", micros+dayMicros, 1)
		mutedAt(micros+29*dayMicros, true)
		mutedAt(micros+30*dayMicros, false)
		mute("alr_3", micros+2*dayMicros, 60)
		mutedAt(micros+61*dayMicros, true)
		mutedAt(micros+62*dayMicros, false)
	})
}

// TestShorterMuteOfRing checks the same as TestShorterMute, for alerts about a
// ring.
func TestShorterMuteOfRing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		mute := func(id string, nowMicros, days int64) {
			t.Helper()
			a := ringHits(t, scope, id, observed("A", nowMicros, account("1")), observed("B", nowMicros, account("1")),
				observed("C", nowMicros, account("1")))
			m := store.AlertMove{
				ID:         a.ID,
				To:         "closed",
				Resolution: store.ResolutionFalsePositive,
				NowMicros:  nowMicros,
				MuteDays:   days,
			}
			if _, err := move(t, scope, m); err != nil {
				t.Fatal(err)
			}
		}
		mutedAt := func(at int64, want bool) {
			t.Helper()
			if got := observe(t, scope, observed("A", at, account("1")), ringWindows()).Ring; got.Muted != want {
				t.Errorf("at %d days: %+v", (at-micros)/dayMicros, got)
			}
		}
		mute("alr_1", micros, 30)
		mute("alr_2", micros+dayMicros, 1)
		mutedAt(micros+29*dayMicros, true)
		mutedAt(micros+30*dayMicros, false)
	})
}

func TestBlocklist(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		var want []store.BlockedEntity
		for i := range 5 {
			b := store.BlockedEntity{
				Entity:        account(numbered("", i)),
				BlockedMicros: micros + int64(i/2),
				BlockedBy:     "usr_1",
			}
			doing(t, scope, func(tx *store.Tx) error { _, _, err := tx.Blocklist().Block(b); return err })
			again := b
			again.BlockedMicros, again.BlockedBy = micros+9, "usr_2"
			doing(t, scope, func(tx *store.Tx) error { _, _, err := tx.Blocklist().Block(again); return err })
			want = append(want, b)
		}
		var found []store.BlockedEntity
		var after *store.BlockedEntity
		for more := true; more; {
			var rows []store.BlockedEntity
			var err error
			if rows, more, err = scope.Blocklist(ctx).List(after, 2); err != nil {
				t.Fatal(err)
			}
			found = append(found, rows...)
			after = &rows[len(rows)-1]
		}
		if diff := cmp.Diff(want, found, exceptID); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		before := changes(t, scope)
		off := func(tx *store.Tx) error {
			return tx.Blocklist().Unblock(want[0].Entity.Kind, want[0].Entity.Key, "usr_1", micros)
		}
		doing(t, scope, off)
		if changes(t, scope) <= before {
			t.Error("the number of changes did not grow")
		}
		wantNotFound(t, scope.Write(ctx, off))
		for i, blocked := range []bool{false, true} {
			if got := observe(t, scope, observed("A", micros, want[i].Entity),
				windows()); len(got.Blocklisted) == 1 != blocked {
				t.Errorf("%d: %+v", i, got)
			}
		}
	})
}

// TestBlockedFor checks block list entries with an expiry: the later expiry wins, an
// expired entry counts as absent, and an entry without an expiry never ends. It also
// checks that Blocked needs no applicant.
func TestBlockedFor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		about := entity("device", "1")
		block := func(at, until int64, reason string, change store.BlockChange) store.BlockedEntity {
			t.Helper()
			var held store.BlockedEntity
			doing(t, scope, func(tx *store.Tx) error {
				entry, did, err := tx.Blocklist().Block(store.BlockedEntity{
					Entity:        about,
					BlockedMicros: at,
					BlockedBy:     "usr_1",
					Reason:        reason,
					UntilMicros:   until,
				})
				if held = entry; did != change {
					t.Errorf("%s: did %d, want %d", reason, did, change)
				}
				return err
			})
			return held
		}
		blocked := func(at int64, want bool) {
			t.Helper()
			kinds, err := scope.Observations(ctx).Blocked(
				store.Observation{NowMicros: at, Entities: []store.ObservedEntity{address("1"), about}})
			if err != nil || len(kinds) == 1 != want {
				t.Errorf("at %d: %v, %v", at, kinds, err)
			}
			if got := observe(t, scope, observed("A", at, about), windows()); len(got.Blocklisted) == 1 != want {
				t.Errorf("at %d: %v", at, got.Blocklisted)
			}
		}
		blocked(micros, false)
		block(micros, micros+10, "first", store.BlockAdded)
		blocked(micros+9, true)
		blocked(micros+10, false)
		if held := block(micros+1, micros+5, "shorter", store.BlockKept); held.Reason != "first" ||
			held.UntilMicros != micros+10 {
			t.Errorf("%+v", held)
		}
		if held := block(micros+2, micros+20, "longer", store.BlockExtended); held.BlockedMicros != micros ||
			held.Reason != "longer" {
			t.Errorf("%+v", held)
		}
		if held := block(micros+30, micros+40, "after it ended", store.BlockAdded); held.BlockedMicros != micros+30 {
			t.Errorf("%+v", held)
		}
		block(micros+31, 0, "for good", store.BlockExtended)
		block(micros+32, micros+33, "shorter again", store.BlockKept)
		blocked(micros+5*365*dayMicros, true)
		rows, _, err := scope.Blocklist(ctx).List(nil, 10)
		want := []store.BlockedEntity{{
			Entity:        about,
			BlockedMicros: micros + 30,
			BlockedBy:     "usr_1",
			Reason:        "for good",
		}}
		if diff := cmp.Diff(want, rows, exceptID); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for who, other := range neighbours(t, db, "ten_A") {
			if kinds, err := other.Observations(ctx).Blocked(store.Observation{
				NowMicros: micros,
				Entities:  []store.ObservedEntity{about},
			}); err != nil || len(kinds) > 0 {
				t.Errorf("%s sees %v, %v", who, kinds, err)
			}
		}
	})
}

// TestBlocklistEvents checks that each change of the block list has an event, that a call that changes nothing has
// none, and that an entity keeps its id. The events must not contain the key of the entity or the reason.
func TestBlocklistEvents(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		about := account("1")
		var id string
		block := func(at, until int64) {
			t.Helper()
			doing(t, scope, func(tx *store.Tx) error {
				b, _, err := tx.Blocklist().Block(store.BlockedEntity{
					Entity:        about,
					BlockedMicros: at,
					BlockedBy:     "usr_1",
					AlertID:       "alr_1",
					Reason:        "a reason",
					UntilMicros:   until,
				})
				if id != "" && b.ID != id {
					t.Errorf("the id was %s and is %s", id, b.ID)
				}
				id = b.ID
				return err
			})
		}
		const second = 1_000_000
		block(second, 5*second)
		block(2*second, 3*second) // changes nothing
		block(2*second, 9*second)
		block(10*second, 0) // the entry has ended
		doing(t, scope, func(tx *store.Tx) error {
			return tx.Blocklist().Unblock(about.Kind, about.Key, "usr_2", 11*second)
		})
		block(12*second, 0)
		data := func(expires string) string {
			return `{"actor":"usr_1","alert_id":"alr_1","block_id":"` + id + `","entity_kind":"beneficiary_account"` +
				expires + "}"
		}
		wantEvents(t, scope, "blocklist.",
			"blocklist.added "+data(`,"expires_at":"1970-01-01T00:00:05.000Z"`),
			"blocklist.extended "+data(`,"expires_at":"1970-01-01T00:00:09.000Z"`),
			"blocklist.added "+data(""),
			`blocklist.removed {"actor":"usr_2","block_id":"`+id+`","entity_kind":"beneficiary_account"}`,
			"blocklist.added "+data(""))
		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			wantEvents(t, other, "blocklist.")
		}
	})
}

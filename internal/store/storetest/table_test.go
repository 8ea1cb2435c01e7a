//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// roomyTables are caps that no test reaches by accident.
var roomyTables = store.TableCaps{Tables: 100, Rows: 1000, Bytes: 1000}

func fillTable(tx *store.Tx) error {
	if _, err := tx.Tables().Put(tabled("grid", "tbl_1"), []byte{0, 0xff}, 0, roomyTables, nil); err != nil {
		return err
	}
	if _, err := tx.Tables().Put(tabled("gone", "tbl_2"), nil, 0, roomyTables, nil); err != nil {
		return err
	}
	if _, err := tx.Tables().Delete("gone", "key_1", 7); err != nil {
		return err
	}
	return tx.Tables().Use("pol_1", []string{"grid"})
}

func tabled(name, id string) store.Table {
	return store.Table{
		Name: name, ID: id, Rows: 3, Bytes: 30, Definition: `{"keys":[]}`,
		CreatedMicros: 5, CreatedBy: "key_1", UpdatedMicros: 6, UpdatedBy: "key_2",
	}
}

func anyVersion(store.Table) error { return nil }

func putTable(
	t *testing.T, scope *store.Scope, table store.Table, document string, expected int64, caps store.TableCaps,
) (put store.Table, err error) {
	t.Helper()
	err = scope.Write(t.Context(), func(tx *store.Tx) (err error) {
		put, err = tx.Tables().Put(table, []byte(document), expected, caps, anyVersion)
		return err
	})
	return put, err
}

// TestTables checks the versions of a table and their documents, and that another scope sees none of it.
func TestTables(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		live := db.Scope("ten_A", "live")
		_, err := scope.Tables(ctx).Get("grid")
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)
		first, err := putTable(t, scope, tabled("grid", "tbl_1"), "\x00\xff one", 0, roomyTables)
		wantKind(t, err, 0, "")
		want := tabled("grid", "tbl_1")
		want.Version = 1
		got, err := scope.Tables(ctx).Get("grid")
		if diff := cmp.Diff(want, got); err != nil || diff != "" || first != want {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for _, expected := range []int64{0, 2} {
			_, err = putTable(t, scope, tabled("grid", "tbl_1"), "", expected, roomyTables)
			wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		}
		_, err = putTable(t, scope, tabled("grid", "tbl_2"), "", 1, roomyTables)
		wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		refusal := errors.New("refused")
		err = scope.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Tables().Put(tabled("grid", "tbl_1"), nil, 1, roomyTables, func(before store.Table) error {
				if before != want {
					t.Errorf("before is %+v", before)
				}
				return refusal
			})
			return err
		})
		if !errors.Is(err, refusal) {
			t.Errorf("the version was not refused: %v", err)
		}
		document, err := scope.Tables(ctx).Document("tbl_1", 1)
		if err != nil || string(document) != "\x00\xff one" {
			t.Errorf("%x, %v", document, err)
		}
		next := tabled("grid", "tbl_1")
		next.Rows, next.Definition, next.UpdatedBy = 4, `{"keys":[1]}`, "key_3"
		second, err := putTable(t, scope, next, "two", 1, roomyTables)
		if err != nil || second.Version != 2 {
			t.Errorf("%+v, %v", second, err)
		}
		_, err = scope.Tables(ctx).Document("tbl_1", 1)
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)

		for name, s := range map[string]*store.Scope{"tenant": other, "environment": live} {
			if _, err := s.Tables(ctx).Get("grid"); fault.KindOf(err) != fault.NotFound {
				t.Errorf("another %s sees the table: %v", name, err)
			}
			if _, err := s.Tables(ctx).Document("tbl_1", 2); fault.KindOf(err) != fault.NotFound {
				t.Errorf("another %s sees the rows: %v", name, err)
			}
			if all, err := s.Tables(ctx).All(); err != nil || len(all) != 0 {
				t.Errorf("another %s has %v, %v", name, all, err)
			}
			err := s.Write(ctx,
				func(tx *store.Tx) error { _, err := tx.Tables().Delete("grid", "key_1", 7); return err })
			wantKind(t, err, fault.NotFound, fault.CodeNotFound)
		}
		_, err = putTable(t, other, tabled("grid", "tbl_1"), "theirs", 0, roomyTables)
		wantKind(t, err, 0, "")

		all, err := scope.Tables(ctx).All()
		if err != nil || len(all) != 1 || all[0] != second {
			t.Errorf("%+v, %v", all, err)
		}
		err = scope.Write(ctx,
			func(tx *store.Tx) error { _, err := tx.Tables().Delete("grid", "key_1", 7); return err })
		wantKind(t, err, 0, "")
		_, err = scope.Tables(ctx).Document("tbl_1", 2)
		wantKind(t, err, fault.NotFound, fault.CodeNotFound)
		if again, err := putTable(t, scope, tabled("grid", "tbl_3"), "", 0, roomyTables); err != nil ||
			again.Version != 3 {
			t.Errorf("the version of a new table is %d: %v", again.Version, err)
		}
		if document, err := other.Tables(ctx).Document("tbl_1", 1); err != nil || string(document) != "theirs" {
			t.Errorf("the table of another tenant is gone: %s, %v", document, err)
		}
	})
}

// TestTableCaps lets many callers create tables at the same time. Together they must not exceed the caps.
func TestTableCaps(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_A")
		for name, caps := range map[string]store.TableCaps{
			"tables": {Tables: 4, Rows: 1000, Bytes: 1000},
			"rows":   {Tables: 100, Rows: 12, Bytes: 1000},
			"bytes":  {Tables: 100, Rows: 1000, Bytes: 120},
		} {
			var all sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				all.Go(func() {
					_, errs[i] = putTable(t, scope, tabled(fmt.Sprint("t", i), fmt.Sprint("tbl_", i)), "x", 0, caps)
				})
			}
			all.Wait()
			refused := 0
			for i, err := range errs {
				if err != nil {
					refused++
					wantKind(t, err, fault.Conflict, fault.CodeCapReached)
					continue
				}
				err := scope.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Tables().Delete(fmt.Sprint("t", i), "key_1", 7)
					return err
				})
				wantKind(t, err, 0, "")
			}
			if refused != 4 {
				t.Errorf("%s: %d were refused", name, refused)
			}
		}
	})
}

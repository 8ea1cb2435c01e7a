package usecase_test

import (
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// most is the cap of a tenant's drafts, scorecards, blocked entities and keys in these
// tests.
const most = 6

// cluster is a tenant and two nodes over its database. SQLite has one writer, so there the nodes
// share one database handle.
type cluster struct {
	*usecasetest.House
	db       *store.DB
	nodes    [2]*usecase.Set
	admin    tenant.Principal // a person with every scope, in the sandbox
	decision string           // the decision that is reviewed
}

// eachCluster runs a test on each kind of database.
func eachCluster(t *testing.T, test func(t *testing.T, h *cluster)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, openCluster(t, storetest.MigratedSQLite(t)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, openCluster(t, storetest.MigratedPostgres(t)))
	})
}

func openCluster(t *testing.T, databaseURL string) *cluster {
	t.Helper()
	first := storetest.Open(t, databaseURL, store.Options{})
	second := first
	if first.Kind() != "sqlite" {
		second = storetest.Open(t, databaseURL, store.Options{})
	}
	options := usecase.Options{
		Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		Caps: usecase.Caps{Drafts: most, Scorecards: most, Blocked: most, Keys: most},
	}
	c := &cluster{House: usecasetest.Open(t, first, options), db: first}
	other, err := usecase.New(second, options)
	if err != nil {
		t.Fatal(err)
	}
	c.nodes = [2]*usecase.Set{c.Service, other}
	session, _ := c.SignIn(usecasetest.Asha)
	c.admin = session.Principal(tenant.Sandbox)
	return c
}

func (c *cluster) scope() *store.Scope {
	return c.db.Scope(c.admin.TenantID, string(c.admin.Environment))
}

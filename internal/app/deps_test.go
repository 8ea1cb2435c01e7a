package app

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// packageRule is a row of the table packageRules. The field "may" lists the packages that the package may import: their
// names separated by spaces, or allBelow for every package listed before it.
type packageRule struct {
	name string
	kind kind
	may  string
}

type kind int

const (
	pure    kind = iota // the pure ring: no I/O, clock, randomness, context or logging
	useCase             // I/O around the pure ring: the operations, and the storage they call
	adapter             // one technology each; adapters never import each other
	wiring              // composes the other packages
)

const allBelow = "*"

// packageRules says which package may import which packages. The lowest layer comes first. A name means
// the package internal/<name>, except "api" and the names under cmd/ and under proof/, the module of the harness. A
// package may only name packages above its own line, so the table cannot describe a cycle. Planned packages that do not
// exist yet may have a line already.
//
// A folder inside a package is test support if the folder's name ends in "test". It needs no line: it may import that
// package and everything that the package may import. Outside of the pure ring, it may also import the packages of
// supportPackages.
var packageRules = []packageRule{
	{"api", pure, ""},
	{"fault", pure, ""},
	{"civil", pure, ""},
	{"exact", pure, ""},
	{"loan", pure, "exact civil"},
	{"wire", pure, "fault"},
	{"rule", pure, "exact fault wire"},
	{"report", pure, "exact civil fault wire"},
	{"feature", pure, "exact civil report"},
	{"field", pure, "wire rule feature"},
	{"place", pure, ""},
	{"signal", pure, "exact civil fault wire rule report place"},
	{"engine", pure, "exact fault wire rule field loan"},
	{"engine/space", pure, "exact rule field"},
	{"engine/analysis", pure, "exact fault wire rule field loan engine engine/space"},
	{"offer", pure, "exact civil fault wire engine loan"},
	{"list", pure, "fault rule"},
	{"exposure", pure, "civil wire rule field"},
	{"table", pure, "fault wire rule field list"},
	{"sheet", pure, "fault"},
	{"application", pure, "civil fault wire rule field report place signal feature sheet"},
	{"engine/prover/smt", pure, "rule field engine"},
	{"engine/prover", pure, "exact wire rule field loan engine engine/space application"},
	{"chart", pure, ""},
	{"backtest", pure, "exact fault wire rule field engine application sheet"},
	{"backtest/page", pure, "fault chart backtest"},
	{"training", pure, "fault wire rule field engine sheet backtest"},
	{"advice", pure, "exact rule field engine"},
	{"policytest", pure, "civil fault wire rule feature field engine loan application"},
	{"policytest/generate", pure, "wire rule field engine engine/space engine/analysis application policytest"},
	{"recovery", pure, "exact civil fault wire loan"},
	{"compress", pure, ""},
	{"sealing", pure, "compress"},
	{"evidence", pure, "wire sealing"},
	{"capsule", pure, "wire rule field engine sealing evidence"},
	{"webhook", pure, ""},

	{"tenant", useCase, "exact civil fault"},
	{"admission", useCase, ""},
	{"serving", useCase, "fault tenant admission"},
	{"store/archive", pure, ""},
	{"store", adapter, "fault wire sealing evidence admission store/archive"},
	{"cache", useCase, "admission"},
	{"journal", useCase, "wire rule sealing evidence store cache"},
	{"operation", useCase, "fault sealing tenant admission store cache journal"},
	{"account", useCase, "fault wire field engine sheet tenant admission store cache operation"},
	{
		"policydesk",
		useCase,
		"fault wire rule feature field engine engine/analysis engine/prover list table application tenant admission " +
			"store cache operation account",
	},
	{"frauddesk", useCase, "fault wire rule place signal application tenant store cache operation"},
	{"listdesk", useCase, "fault rule list sheet tenant admission store cache journal operation"},
	{"tabledesk", useCase, "fault rule table sheet tenant admission store cache journal operation listdesk"},
	{"offerdesk", useCase,
		"civil fault wire engine loan offer exposure tenant store cache journal operation policydesk"},
	{"exposuredesk", useCase, "fault exposure tenant store journal operation offerdesk"},
	{"decisioning", useCase, "civil fault wire rule feature report field signal engine loan application advice " +
		"exposure evidence tenant admission store sealing journal operation policydesk frauddesk listdesk tabledesk " +
		"offerdesk"},
	{"batchdesk", useCase, "fault wire application tenant admission store journal operation decisioning"},
	{"evidencedesk", useCase, "fault field engine evidence capsule tenant store journal operation"},
	{"eventdesk", useCase, "fault wire evidence tenant store journal operation"},
	{"webhookdesk", useCase, "fault webhook tenant admission store operation eventdesk"},
	{"agentdesk", useCase, "fault wire engine recovery tenant store operation policydesk decisioning"},
	{"privacydesk", useCase, "fault civil wire sealing tenant store journal operation exposuredesk decisioning"},
	{"study", useCase, "fault wire rule feature report field sheet application engine/prover backtest backtest/page " +
		"training tenant admission store cache journal operation policydesk listdesk tabledesk decisioning"},
	{"agent", useCase, "exact civil fault wire rule field engine application advice recovery tenant admission " +
		"operation decisioning agentdesk"},
	{"document", useCase, "fault wire rule feature field signal engine engine/prover sheet application backtest " +
		"training recovery list table offer tenant operation account policydesk frauddesk listdesk tabledesk " +
		"offerdesk exposuredesk decisioning batchdesk evidencedesk eventdesk webhookdesk agentdesk privacydesk study " +
		"agent"},
	{"usecase", useCase, "fault wire engine signal application sealing tenant admission store journal operation " +
		"account policydesk frauddesk listdesk tabledesk offerdesk exposuredesk decisioning batchdesk evidencedesk " +
		"eventdesk webhookdesk agentdesk privacydesk study document"},

	{"reference", useCase, "fault wire serving frauddesk"},

	{"job", adapter, "fault operation"},
	{"httpapi", adapter, "civil fault wire api list document tenant admission serving operation account policydesk " +
		"frauddesk listdesk tabledesk offer offerdesk exposuredesk decisioning batchdesk evidencedesk eventdesk " +
		"webhookdesk agentdesk privacydesk study usecase agent reference"},
	{"console", adapter, "civil fault wire rule signal chart list tenant serving operation account policydesk " +
		"frauddesk listdesk table tabledesk offer offerdesk exposure exposuredesk decisioning batchdesk webhookdesk " +
		"agentdesk privacydesk study usecase agent document backtest engine training sheet"},

	{"narrate", adapter, "wire"},
	{"outbound", adapter, "webhook"},
	{"signon", adapter, "fault tenant account"},
	{"telemetry", adapter, ""},
	{"mmdb", adapter, "place"},
	{"durablefile", useCase, ""},
	{"filelock", useCase, ""},
	{"logkey", adapter, "evidence durablefile filelock"},
	{"masterkey", adapter, "sealing durablefile filelock"},
	{"witness", adapter, "evidence"},

	{"demo", useCase, "wire rule signal engine backtest tenant store operation account policydesk frauddesk " +
		"decisioning study usecase agent training field application recovery sealing document offer exposure " +
		"exposuredesk batchdesk"},

	{"app", wiring, allBelow},

	{"cmd/verdict", wiring, allBelow},
	{"place/generate", wiring, "place"}, // run by hand to make the tables of package place
	{"verifypage", wiring, "api"},       // builds verify.html
	{"verifypage/build", wiring, "verifypage"},
	{"verifypage/wasm", wiring, "wire capsule"}, // runs in verify.html

	// Only tests and the harness import these.
	{"golden", wiring, ""},
	{"proof", wiring, "filelock"},
	{"pgcluster", wiring, ""},

	// The harness, a module of its own.
	{"proof/torture", wiring, "evidence civil pgcluster app logkey masterkey"},
	{"proof/load", wiring, "proof chart logkey masterkey"},
	{"proof/browser", wiring, ""},
	{"proof/cmd/torture", wiring, "proof proof/torture"},
	{"proof/cmd/load", wiring, "proof pgcluster proof/load"},
}

// impure lists the standard packages that the pure ring must not import,
// including all packages below them.
var impure = []string{
	"C", "context", "crypto/rand", "database/sql", "hash/maphash", "io/ioutil",
	"log", "math/rand", "net", "os", "runtime", "syscall",
}

// harmless lists packages below an impure package that the pure ring may
// import: net/netip only defines values that represent addresses.
var harmless = []string{"net/netip"}

// pureThirdParty lists the third-party packages that the pure ring may import,
// and testThirdParty those that its test support may import in addition.
var (
	pureThirdParty = []string{"gonum.org/v1/gonum/mat", "golang.org/x/crypto/blake2b",
		"golang.org/x/text/cases", "golang.org/x/text/unicode/norm",
		"golang.org/x/mod/sumdb/note", "golang.org/x/mod/sumdb/tlog"}
	testThirdParty = []string{"github.com/getkin/kin-openapi/openapi3",
		"github.com/google/go-cmp/cmp", "pgregory.net/rapid"}
)

// supportPackages are the packages that many tests import and no production code imports.
var supportPackages = []string{"golden", "pgcluster"}

func TestLayers(t *testing.T) {
	t.Parallel()
	layers, err := readLayers(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	// If the walk started in the wrong folder, it would find no violations, so
	// check that it found some known packages.
	for _, dir := range []string{"internal/app", "proof/torture"} {
		if !slices.ContainsFunc(layers, func(l layer) bool { return l.dir == dir }) {
			t.Fatalf("%s was not found: the walk did not begin at the root of the repository", dir)
		}
	}
	for _, v := range violations(packageRules, layers) {
		t.Error(v)
	}
}

// TestLayersTableAllowsNoMore checks that every permission in the table is used,
// so that the table also shows which package imports which. Rooms that may import
// everything below are exempt.
func TestLayersTableAllowsNoMore(t *testing.T) {
	t.Parallel()
	layers, err := readLayers(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range unusedPermissions(packageRules, layers) {
		t.Error(p)
	}

	tree := fstest.MapFS{
		"internal/loan/a.go":          {Data: []byte(`package p; import "verdict/internal/exact"`)},
		"internal/loan/loantest/a.go": {Data: []byte(`package p; import "verdict/internal/civil"`)},
		"internal/wire/a.go":          {Data: []byte(`package p`)},
	}
	if layers, err = readLayers(tree); err != nil {
		t.Fatal(err)
	}
	want := []string{"wire may import fault, and does not"}
	if got := unusedPermissions(packageRules, layers); !slices.Equal(got, want) {
		t.Errorf("in a small tree: got %q, want %q", got, want)
	}
}

func TestLayersTableOnlyPointsDown(t *testing.T) {
	t.Parallel()
	kinds := map[string]kind{}
	for _, r := range packageRules {
		for _, below := range allowance(packageRules, r.name) {
			k, above := kinds[below]
			switch {
			case !above:
				t.Errorf("%s may import %s, which has no line above it", r.name, below)
			case r.kind == pure && k != pure:
				t.Errorf("%s is pure and may import %s, which is not", r.name, below)
			case r.kind == adapter && k == adapter:
				t.Errorf("adapter %s may import adapter %s", r.name, below)
			}
		}
		if _, twice := kinds[r.name]; twice {
			t.Errorf("%s has two lines", r.name)
		}
		kinds[r.name] = r.kind
	}
}

// TestLayersAreDescribed checks that the table of packages in docs/ARCHITECTURE.md has
// every package that exists, and no other.
func TestLayersAreDescribed(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			if name = strings.TrimSpace(name); strings.HasPrefix(name, "`") {
				described[strings.Trim(name, "`")] = true
			}
		}
	}
	for _, r := range packageRules {
		inner := described[path.Dir(r.name)] // a row also covers the packages in the subfolders of its package
		if !described[r.name] && !inner {
			t.Errorf("%s has no row", r.name)
		}
	}
	for _, r := range packageRules {
		delete(described, r.name)
	}
	// These contain only tests, or are other modules.
	for _, other := range []string{"replay", "clients", "bench", "proof/console", "proof/signon"} {
		delete(described, other)
	}
	for name := range described {
		t.Errorf("there is no package %s", name)
	}
}

// TestLayersChecker runs the checker on small trees. If want is empty, it must
// find no violation.
func TestLayersChecker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, source, want string }{
		{"allowed import", "internal/rule/a.go", `import "verdict/internal/fault"`, ""},
		{"arithmetic on given times",
			"internal/rule/a.go", `import "time"; var d = time.Unix(0, 0).Add(time.Hour)`, ""},
		{"adapter doing its work", "internal/store/a.go",
			`import ("context"; "os"; "time"; _ "modernc.org/sqlite"); var t = time.Now()`, ""},
		{"wiring", "cmd/verdict/a.go",
			`import ("verdict/internal/app"; "verdict/internal/store"; "verdict/internal/engine")`, ""},
		{"test file", "internal/rule/a_test.go", `import ("os"; "verdict/internal/engine")`, ""},
		{"testdata", "internal/rule/testdata/a.go", `import "os"`, ""},
		{"test support", "internal/engine/enginetest/a.go",
			`import ("math/rand/v2"; "pgregory.net/rapid"; "testing"; "verdict/internal/engine"; ` +
				`"verdict/internal/rule")`, ""},
		{"the harness", "proof/torture/a.go", `import ("verdict/internal/app"; "verdict/internal/pgcluster")`, ""},
		{"test support with a database", "internal/store/storetest/a.go", `import "verdict/internal/pgcluster"`, ""},

		{"a database of tests in production code",
			"internal/store/a.go", `import "verdict/internal/pgcluster"`, "store may not import pgcluster"},
		{"a database of tests in the ring", "internal/rule/ruletest/a.go",
			`import "verdict/internal/pgcluster"`, "rule/ruletest may not import pgcluster"},
		{"the harness past its line",
			"proof/torture/a.go", `import "verdict/internal/store"`, "proof/torture may not import store"},
		{"the harness in production code",
			"internal/app/a.go", `import "verdict/proof/load"`, "app may not import proof/load"},
		{"unknown package of the harness", "proof/helpers/a.go", ``, "proof/helpers has no line in the table"},
		{"unknown package", "internal/helpers/a.go", ``, "internal/helpers has no line in the table"},
		{"unknown folder of a known package", "internal/engine/price/a.go",
			``, "internal/engine/price has no line in the table"},
		{"package at the root", "a.go", ``, ". has no line in the table"},
		{"known name in the wrong place", "rule/a.go", ``, "rule has no line in the table"},
		{"upward", "internal/rule/a.go", `import "verdict/internal/engine"`, "rule may not import engine"},
		{"sideways", "internal/loan/a.go", `import "verdict/internal/fault"`, "loan may not import fault"},
		{"from the ring to a use case",
			"internal/engine/a.go", `import "verdict/internal/decisioning"`, "engine may not import decisioning"},
		{"adapter to adapter", "internal/httpapi/a.go", `import "verdict/internal/store"`,
			"adapters never import each other"},
		{"adapter past the use cases",
			"internal/httpapi/a.go", `import "verdict/internal/engine"`, "httpapi may not import engine"},
		{"test support in production code", "internal/backtest/a.go", `import "verdict/internal/engine/enginetest"`,
			"may not import engine/enginetest"},
		{"behind a build tag", "internal/rule/a_windows.go",
			`import "verdict/internal/engine"`, "rule may not import engine"},

		{"context", "internal/engine/a.go", `import "context"`, "imports context"},
		{"os", "internal/fault/a.go", `import "os"`, "imports os"},
		{"below os", "internal/fault/a.go", `import "os/exec"`, "imports os/exec"},
		{"net", "internal/signal/a.go", `import "net"`, "imports net"},
		{"net/http", "internal/signal/a.go", `import "net/http"`, "imports net/http"},
		{"addresses as values", "internal/place/a.go", `import "net/netip"`, ""},
		{"beside addresses as values",
			"internal/place/a.go", `import "net/netip/resolve"`, "imports net/netip/resolve"},
		{"database/sql", "internal/report/a.go", `import "database/sql"`, "imports database/sql"},
		{"log", "internal/wire/a.go", `import "log"`, "imports log"},
		{"log/slog", "internal/wire/a.go", `import "log/slog"`, "imports log/slog"},
		{"math/rand", "internal/backtest/a.go", `import "math/rand"`, "imports math/rand"},
		{"math/rand/v2", "internal/backtest/a.go", `import "math/rand/v2"`, "imports math/rand/v2"},
		{"third party", "internal/wire/a.go", `import "github.com/cockroachdb/apd/v3"`,
			"imports github.com/cockroachdb/apd/v3"},
		{"test module in production code",
			"internal/rule/a.go", `import "pgregory.net/rapid"`, "imports pgregory.net/rapid"},
		{"test support upward", "internal/rule/ruletest/a.go",
			`import "verdict/internal/engine"`, "rule/ruletest may not import engine"},
		{"test support with I/O", "internal/rule/ruletest/a.go", `import "net/http"`, "imports net/http"},

		{"now", "internal/engine/a.go", `import "time"; var t = time.Now()`, "reads time.Now"},
		{"since", "internal/engine/a.go", `import "time"; var d = time.Since(time.Time{})`, "reads time.Since"},
		{"until", "internal/engine/a.go", `import "time"; var d = time.Until(time.Time{})`, "reads time.Until"},
		{"now as a value", "internal/loan/a.go", `import "time"; var clock = time.Now`, "reads time.Now"},
		{"now under another name", "internal/loan/a.go", `import clock "time"; var t = clock.Now()`, "reads time.Now"},
		{"now under two names", "internal/loan/a.go",
			`import clock "time"; import "time"; var t, u = clock.Now(), time.Unix(0, 0)`, "reads time.Now"},
		{"local zone", "internal/loan/a.go", `import "time"; var z = time.Local`, "reads time.Local"},
		{"time without its name", "internal/loan/a.go", `import . "time"; var t = Now()`, "reads time.*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{c.file: {Data: []byte("package p; " + c.source)}}
			layers, err := readLayers(tree)
			if err != nil {
				t.Fatal(err)
			}
			got := violations(packageRules, layers)
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("got %q, want one violation with %q", got, c.want)
			}
		})
	}
}

// violations returns a text for everything in the packages that the table
// forbids.
func violations(rules []packageRule, layers []layer) []string {
	kinds := map[string]kind{}
	for _, r := range rules {
		kinds[r.name] = r.kind
	}
	var found []string
	for _, l := range layers {
		name := packageName(l.dir)
		own, support := name, false
		k, known := kinds[own]
		if !known && strings.HasSuffix(name, "test") {
			own, support = path.Dir(name), true
			k, known = kinds[own]
		}
		if !known {
			found = append(found, l.dir+" has no line in the table of internal/app/deps_test.go")
			continue
		}
		may := allowance(rules, own)
		for _, u := range l.imports {
			dir, ours := strings.CutPrefix(u.what, "verdict/")
			imported := packageName(dir)
			switch {
			case ours && support && imported == own, ours && slices.Contains(may, imported):
			case ours && support && k != pure && slices.Contains(supportPackages, imported):
			case ours && k == adapter && kinds[imported] == adapter:
				found = append(found,
					fmt.Sprintf("%s: %s imports %s: adapters never import each other", u.where, name, imported))
			case ours:
				found = append(found, fmt.Sprintf("%s: %s may not import %s", u.where, name, imported))
			case k == pure && !fitForTheRing(u.what, support):
				found = append(found,
					fmt.Sprintf("%s: %s imports %s, and the pure ring may not", u.where, name, u.what))
			}
		}
		for _, u := range l.clock {
			if k == pure {
				found = append(found, fmt.Sprintf("%s: %s reads time.%s: in the pure ring the clock is an argument",
					u.where, name, u.what))
			}
		}
	}
	return found
}

// unusedPermissions returns a text for every import that the table permits, but that neither the package nor
// its test support uses. Packages that do not exist are skipped.
func unusedPermissions(rules []packageRule, layers []layer) []string {
	used := map[string]map[string]bool{}
	for _, l := range layers {
		name := packageName(l.dir)
		if !slices.ContainsFunc(rules, func(r packageRule) bool { return r.name == name }) {
			name = path.Dir(name) // test support
		}
		if used[name] == nil {
			used[name] = map[string]bool{}
		}
		for _, u := range l.imports {
			if dir, ours := strings.CutPrefix(u.what, "verdict/"); ours {
				used[name][packageName(dir)] = true
			}
		}
	}

	var found []string
	for _, r := range rules {
		if r.may == allBelow || used[r.name] == nil {
			continue
		}
		for _, below := range strings.Fields(r.may) {
			if !used[r.name][below] {
				found = append(found, fmt.Sprintf("%s may import %s, and does not", r.name, below))
			}
		}
	}
	return found
}

// packageName returns the name that a folder of the repository has in the table. A
// folder outside of api, internal, cmd and proof gets the prefix "./", which no
// name in the table has.
func packageName(dir string) string {
	if dir == "api" {
		return dir
	}
	if name, inside := strings.CutPrefix(dir, "internal/"); inside {
		return name
	}
	if strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, harness+"/") {
		return dir
	}
	return "./" + dir
}

// allowance returns the packages that a package may import.
func allowance(rules []packageRule, name string) []string {
	var below []string
	for _, r := range rules {
		if r.name == name {
			if r.may == allBelow {
				return below
			}
			return strings.Fields(r.may)
		}
		below = append(below, r.name)
	}
	return nil
}

// fitForTheRing reports whether the pure ring may import a package of the
// standard library or of a third party. Test support may also import seeded
// randomness and test packages.
func fitForTheRing(imported string, support bool) bool {
	if host, _, _ := strings.Cut(imported, "/"); strings.Contains(host, ".") {
		return slices.Contains(pureThirdParty, imported) || support && slices.Contains(testThirdParty, imported)
	}
	if slices.Contains(harmless, imported) {
		return true
	}
	return !slices.ContainsFunc(impure, func(banned string) bool {
		return (imported == banned || strings.HasPrefix(imported, banned+"/")) && !(support && banned == "math/rand")
	})
}

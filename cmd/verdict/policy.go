package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

const policyHelp = `Keep the policies of a service as files, for review and version control.

  verdict policy pull     -service URL -folder DIR    write the active policies to DIR
  verdict policy plan     -service URL -folder DIR    say what the files would change for all applicants
  verdict policy push     -service URL -folder DIR    make a draft of each file that differs
  verdict policy activate -service URL ID             activate a draft

"pull" writes nothing if a file of DIR differs from the active version; it names each
such file. With -force it overwrites them.

Each policy is a file of DIR with the name of its policy_key, such as default.json.
It is the document of POST /v1/rule-sets. The key of the variable VERDICT_KEY, or of
-api-key, selects the tenant and the environment. It needs the scopes read and
policy:write, and for "activate" the scope policy:activate.

"plan" changes nothing. It compares each file with the active policy: which entries
differ, which findings are new, and which kinds of applicants are treated differently,
as "verdict diff" does. It lists the first ten kinds; with -all it lists every kind. It
exits with 1 if a policy is refused or has a new finding of severity error. With
-exit-code it exits with 3 if any policy differs, so that a pipeline can ask for a
review.

"push" makes a draft that is exactly the file: nothing is inherited from the active
version. It lists the findings that the active version does not have, and makes no
second draft of a document that is a draft already. Tables that the files read must
exist in the service. "activate" takes the keys of findings that you accept as
-acknowledge KEY,KEY.
`

// exitDiffers is the exit code of "policy plan -exit-code" if a policy differs.
const exitDiffers = 3

func policyCommand(c *command) int {
	return c.subcommand(policyHelp, verbs{
		"pull": policyPull, "plan": policyPlan, "push": policyPush, "activate": policyActivate,
	})
}

// policyFolder is a folder with a file for each policy, and the service.
type policyFolder struct {
	service *remote
	folder  string
}

// openFolder parses the flags of a command on a folder. If done is true, the
// command has nothing left to do.
func (c *command) openFolder(declare ...func(*policyFlags)) (f policyFolder, flags *policyFlags, code int, done bool) {
	flags = &policyFlags{set: c.flags(policyHelp)}
	remote := newRemoteFlags(flags.set)
	folder := flags.set.String("folder", "policies", "`folder` with a file for each policy")
	for _, d := range declare {
		d(flags)
	}
	if _, code, done := c.arguments(flags.set); done {
		return f, nil, code, true
	}
	service, err := remote.open(c)
	if err != nil {
		return f, nil, c.usage("%v", err), true
	}
	return policyFolder{service: service, folder: *folder}, flags, exitOK, false
}

// ruleSet is a version of a policy as the service answers it.
type ruleSet struct {
	ID        string `json:"id"`
	PolicyKey string `json:"policy_key"`
	Version   int    `json:"version"`
	Status    string `json:"status"`
	Checksum  string `json:"checksum"`
	document  json.RawMessage
}

// ruleSets returns all versions with a status, in the order of the service.
func (f policyFolder) ruleSets(ctx context.Context, status string) ([]ruleSet, error) {
	var all []ruleSet
	for cursor := ""; ; {
		path := "/v1/rule-sets?limit=20&status=" + url.QueryEscape(status)
		if cursor != "" {
			path += "&cursor=" + url.QueryEscape(cursor)
		}
		var page struct {
			Data       []json.RawMessage
			Pagination struct {
				NextCursor string `json:"next_cursor"`
			}
		}
		if err := f.service.get(ctx, path, &page); err != nil {
			return nil, err
		}
		for _, document := range page.Data {
			r := ruleSet{document: document}
			if err := json.Unmarshal(document, &r); err != nil {
				return nil, err
			}
			all = append(all, r)
		}
		if cursor = page.Pagination.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// active returns the active version of each policy.
func (f policyFolder) active(ctx context.Context) (map[string]ruleSet, error) {
	all, err := f.ruleSets(ctx, "active")
	byKey := map[string]ruleSet{}
	for _, r := range all {
		byKey[r.PolicyKey] = r
	}
	return byKey, err
}

// written are the members that the service adds to a document.
var written = []string{
	"id", "version", "status", "checksum", "feature_names", "base", "inherited", "changes", "findings", "notes",
	"created_at", "created_by", "activated_at", "activated_by", "retired_at", "archived_at", "rollout_id",
}

// plain returns a document as it stands in a file: without the members that
// the service adds, indented.
func plain(document json.RawMessage) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(document, &members); err != nil {
		return nil, err
	}
	for _, name := range written {
		delete(members, name)
	}
	compact, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// files returns the policy_key of each file, in order.
func (f policyFolder) files() ([]string, error) {
	entries, err := os.ReadDir(f.folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the folder %s does not exist; name the folder with -folder, or fill it with "+
			"\"verdict policy pull\"", f.folder)
	}
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, e := range entries {
		if key, ok := strings.CutSuffix(e.Name(), ".json"); ok && !e.IsDir() {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the folder %s has no policies; a policy is a file such as default.json. Name the "+
			"folder with -folder, or fill it with \"verdict policy pull\"", f.folder)
	}
	slices.Sort(keys)
	return keys, nil
}

// activeVersion names the active version of a policy and its environment.
func (f policyFolder) activeVersion(active ruleSet) string {
	return fmt.Sprintf("the active version %d%s", active.Version, f.service.inEnvironment())
}

func (f policyFolder) path(key string) string { return filepath.Join(f.folder, key+".json") }

func policyPull(c *command) int {
	f, flags, code, done := c.openFolder(func(p *policyFlags) {
		p.force = p.set.Bool("force", false, "overwrite files that differ from the active version")
	})
	if done {
		return code
	}
	ctx, stop := interruptible()
	defer stop()
	active, err := f.active(ctx)
	if err != nil {
		return c.unanswered(err)
	}
	if len(active) == 0 {
		return c.refused("the service", fmt.Errorf("no policy is active%s", f.service.inEnvironment()))
	}
	contents, differing := map[string][]byte{}, ""
	for _, key := range slices.Sorted(maps.Keys(active)) {
		if contents[key], err = plain(active[key].document); err != nil {
			return c.usage("read the version %s: %v", active[key].ID, err)
		}
		stored, err := os.ReadFile(f.path(key))
		switch {
		case err == nil && !sameDocument(stored, contents[key]):
			differing += fmt.Sprintf("%s differs from %s\n", f.path(key), f.activeVersion(active[key]))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return c.usage("%v", err)
		}
	}
	if differing != "" && !*flags.force {
		return c.incomplete(fmt.Errorf("%snothing was written; \"verdict policy plan\" shows what differs, and "+
			"-force overwrites", differing))
	}
	if err := os.MkdirAll(f.folder, 0o755); err != nil {
		return c.usage("%v", err)
	}
	for _, key := range slices.Sorted(maps.Keys(active)) {
		if err := replaceFile(f.path(key), contents[key]); err != nil {
			return c.usage("write %s: %v", f.path(key), err)
		}
		line := fmt.Appendf(nil, "%s: version %d%s (%s)\n", f.path(key), active[key].Version,
			f.service.inEnvironment(), active[key].ID)
		if code := c.print(line); code != exitOK {
			return code
		}
	}
	return exitOK
}

// sameDocument reports whether two texts are the same JSON document. White space and the order of members do not
// count.
func sameDocument(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var parsed [2]any
	for i, document := range [][]byte{a, b} {
		decoder := json.NewDecoder(bytes.NewReader(document))
		decoder.UseNumber()
		if decoder.Decode(&parsed[i]) != nil {
			return false
		}
		if _, err := decoder.Token(); err != io.EOF {
			return false
		}
	}
	return reflect.DeepEqual(parsed[0], parsed[1])
}

// policyInputs is what plan and push read before the files of a folder.
type policyInputs struct {
	keys    []string           // the policy_key of each file, in order
	active  map[string]ruleSet // the active version of each policy of the service
	sources engine.Sources     // the data with which policies are read
}

// inputs reads the policyInputs. If ok is false, it has already reported the error, and code is the exit code.
func (f policyFolder) inputs(ctx context.Context, c *command) (in policyInputs, code int, ok bool) {
	var err error
	if in.keys, err = f.files(); err != nil {
		return in, c.usage("%v", err), false
	}
	if in.active, err = f.active(ctx); err != nil {
		return in, c.unanswered(err), false
	}
	if in.sources, err = f.sources(ctx); err != nil {
		return in, c.unanswered(err), false
	}
	return in, exitOK, true
}

// sameAsActive returns the line about a file that does not differ from the active version.
func (f policyFolder) sameAsActive(key string, active ruleSet) []byte {
	return fmt.Appendf(nil, "%s: same as %s\n", key, f.activeVersion(active))
}

func policyPush(c *command) int {
	f, _, code, done := c.openFolder()
	if done {
		return code
	}
	ctx, stop := interruptible()
	defer stop()
	in, code, ok := f.inputs(ctx, c)
	if !ok {
		return code
	}
	drafts, err := f.ruleSets(ctx, "draft")
	if err != nil {
		return c.unanswered(err)
	}
	// Read all files first, so that no draft is created if a file is invalid.
	files := map[string]policyFile{}
	for _, key := range in.keys {
		file, code, ok := readPolicyFile(c, f.path(key), key, in.sources)
		if !ok {
			return code
		}
		files[key] = file
	}
	for _, key := range in.keys {
		file := files[key]
		same := func(r ruleSet) bool { return r.PolicyKey == key && file.isIn(r) }
		base, exists := in.active[key]
		draft := slices.IndexFunc(drafts, same)
		var line []byte
		switch {
		case exists && same(base):
			line = f.sameAsActive(key, base)
		case draft >= 0:
			line = fmt.Appendf(nil, "%s: already stored as the draft %s%s\n", key, drafts[draft].ID,
				f.service.inEnvironment())
		default:
			created, err := f.push(ctx, file.content)
			if err != nil {
				return c.unanswered(err)
			}
			report, err := f.newFindings(ctx, created, file, base, in.sources)
			if err != nil {
				return c.unanswered(fmt.Errorf("the draft %s is stored, but its findings cannot be compared with "+
					"those of the active version: %w", created.ID, err))
			}
			line = fmt.Appendf(nil, "%s: draft %s%s, version %d, new findings: %s", key, created.ID,
				f.service.inEnvironment(), created.Version, report.brief())
		}
		if code := c.print(line); code != exitOK {
			return code
		}
	}
	return exitOK
}

// push creates a draft of a document. The draft has no base: with a base, it would inherit the sections that the
// document leaves out, and would differ from the file.
func (f policyFolder) push(ctx context.Context, content []byte) (analysedRuleSet, error) {
	var members map[string]json.RawMessage
	var created analysedRuleSet
	if err := json.Unmarshal(content, &members); err != nil {
		return created, err
	}
	members["base"] = json.RawMessage(`"none"`)
	body, err := json.Marshal(members)
	if err != nil {
		return created, err
	}
	return created, f.service.post(ctx, "/v1/rule-sets", body, &created)
}

func policyActivate(c *command) int {
	set := c.flags(policyHelp)
	flags := newRemoteFlags(set)
	accepted := set.String("acknowledge", "", "`keys` of findings that you accept, separated by commas")
	note := set.String("note", "", "`text` for the audit trail")
	words, code, done := c.arguments(set, "ID")
	if done {
		return code
	}
	if !tenant.Valid(tenant.KindPolicy, words[0]) {
		return c.usage("%q is not the id of a version: an id is pol_ and 26 letters and digits after it, and "+
			"\"verdict policy push\" prints it", words[0])
	}
	service, err := flags.open(c)
	if err != nil {
		return c.usage("%v", err)
	}
	request := map[string]any{}
	if *accepted != "" {
		request["acknowledge"] = strings.Split(*accepted, ",")
	}
	if *note != "" {
		request["note"] = *note
	}
	body, err := json.Marshal(request)
	if err != nil {
		return c.usage("%v", err)
	}
	ctx, stop := interruptible()
	defer stop()
	var active ruleSet
	if err := service.post(ctx, "/v1/rule-sets/"+url.PathEscape(words[0])+"/activate", body, &active); err != nil {
		var refused *errRefused
		if errors.As(err, &refused) && refused.code == fault.CodeNotFound && service.inEnvironment() != "" {
			refused.detail += fmt.Sprintf("; the service looked for it%s, because the key is of that environment",
				service.inEnvironment())
		}
		return c.unanswered(err)
	}
	return c.print(fmt.Appendf(nil, "%s is %s%s: version %d of %s\n", active.ID, active.Status,
		service.inEnvironment(), active.Version, active.PolicyKey))
}

// post sends a JSON document once and reads the JSON answer.
func (r *remote) post(ctx context.Context, path string, body []byte, into any) error {
	header := map[string]string{"Content-Type": "application/json"}
	answer, err := r.send(ctx, http.MethodPost, path, bytes.NewReader(body), header)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // the body is only read
	return json.NewDecoder(answer.Body).Decode(into)
}

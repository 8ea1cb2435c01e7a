package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"time"

	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/field"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// policyFlags are the flags of a command on a folder of policies.
type policyFlags struct {
	set      *flag.FlagSet
	exitCode *bool
	force    *bool
	all      *bool
	limit    *time.Duration
}

func policyPlan(c *command) int {
	f, flags, code, done := c.openFolder(func(p *policyFlags) {
		p.exitCode = p.set.Bool("exit-code", false, "exit with 3 if a policy differs")
		p.all = p.set.Bool("all", false, allHelp)
		p.limit = p.set.Duration("time", 10*time.Second, "the longest `time` that one comparison may take")
	})
	if done {
		return code
	}
	ctx, stop := interruptible()
	defer stop()
	in, code, ok := f.inputs(ctx, c)
	if !ok {
		return code
	}
	differs, refused := false, false
	for _, key := range in.keys {
		file, code, ok := readPolicyFile(c, f.path(key), key, in.sources)
		if !ok {
			return code
		}
		base, exists := in.active[key]
		if exists && file.isIn(base) {
			if code := c.print(f.sameAsActive(key, base)); code != exitOK {
				return code
			}
			continue
		}
		differs = true
		p, err := f.planPolicy(c, key, file, base, flags, in.sources)
		if err != nil {
			return c.refused(key, err)
		}
		refused = refused || p.errors > 0
		if code := c.print(p.text); code != exitOK {
			return code
		}
	}
	switch {
	case refused:
		return exitRefused
	case differs && *flags.exitCode:
		return exitDiffers
	}
	return exitOK
}

// planned says what a file would change.
type planned struct {
	text   []byte
	errors int // new findings of severity error
}

// planPolicy compares a file with the active version, which may not exist.
func (f policyFolder) planPolicy(
	c *command, key string, file policyFile, base ruleSet, flags *policyFlags, src engine.Sources,
) (planned, error) {
	var b bytes.Buffer
	found := analysis.Run(file.policy, field.Catalogue())
	proofs, err := proveAll(c, file.policy, time.Now().Add(*flags.limit))
	if err != nil {
		return planned{}, err
	}
	if base.ID == "" {
		fmt.Fprintf(&b, "%s: new; no version is active%s\n", key, f.service.inEnvironment())
		report := writeNewFindings(&b, append(found, policydesk.GuaranteeFindings(proofs)...))
		b.WriteByte('\n')
		return planned{text: b.Bytes(), errors: report.count(analysis.SeverityError)}, nil
	}
	before, err := policyOf(base.document, src)
	if err != nil {
		return planned{}, fmt.Errorf("the active version: %w", err)
	}
	found = analysis.Against(found, file.policy, analysis.Run(before, field.Catalogue()), before)
	fmt.Fprintf(&b, "%s: differs from %s (%s)\n\n", key, f.activeVersion(base), base.ID)
	plans := [2]*engine.Plan{engine.Compile(before, field.Catalogue()), engine.Compile(file.policy, field.Catalogue())}
	r, err := comparePlans(c, plans, time.Now().Add(*flags.limit))
	if err != nil {
		return planned{}, err
	}
	writeOverview(&b, &r, plans)
	if len(proofs) > 0 {
		b.WriteString("\nguarantees\n")
		b.Write(proofText(proofs))
	}
	report := writeNewFindings(&b, append(found, policydesk.GuaranteeFindings(proofs)...))
	writeKinds(&b, &r, *flags.all)
	b.WriteByte('\n')
	return planned{text: b.Bytes(), errors: report.count(analysis.SeverityError)}, nil
}

// writeNewFindings writes the findings that the active version does not have.
func writeNewFindings(b *bytes.Buffer, found []analysis.Finding) *checkReport {
	report := newCheckReport(notInherited(found))
	if len(report.all) == 0 {
		b.WriteString("\nno new findings\n")
		return report
	}
	b.WriteString("\nnew findings\n")
	b.Write(report.text())
	return report
}

// policyOf reads a policy document.
func policyOf(content []byte, src engine.Sources) (*engine.Policy, error) {
	v, err := wire.Parse(content)
	if err != nil {
		return nil, err
	}
	return engine.ReadPolicy(v, src)
}

// sources returns the data with which policies are read: the catalogue and the tables of the service.
func (f policyFolder) sources(ctx context.Context) (engine.Sources, error) {
	var answer struct {
		Data []struct {
			Name    string          `json:"name"`
			Columns json.RawMessage `json:"columns"`
			Keys    []struct {
				Field string `json:"field"`
				Match string `json:"match"`
			} `json:"keys"`
		}
	}
	if err := f.service.get(ctx, "/v1/tables", &answer); err != nil {
		return engine.Sources{}, err
	}
	tables := map[string]*rule.Table{}
	for _, t := range answer.Data {
		body, err := json.Marshal(map[string]any{"keys": t.Keys, "columns": t.Columns, "rows": []any{}})
		if err != nil {
			return engine.Sources{}, err
		}
		v, err := wire.Parse(body)
		if err != nil {
			return engine.Sources{}, err
		}
		read, err := document.ReadTable(t.Name)(v)
		if err != nil {
			return engine.Sources{}, fmt.Errorf("the table %s of the service: %w", t.Name, err)
		}
		tables[t.Name] = &read.Definition.Table
	}
	src := new(lookupFiles).sources()
	src.Table = func(name string) (*rule.Table, bool) {
		found, ok := tables[name]
		return found, ok
	}
	return src, nil
}

type policyFile struct {
	content []byte
	policy  *engine.Policy
}

// isIn reports whether the version r of the service has the document of the file. It compares guarantees separately.
// Guarantees do not affect decisions, so the checksum does not cover them.
func (f policyFile) isIn(r ruleSet) bool {
	return r.Checksum == f.policy.Checksum() && guaranteesIn(r.document) == guaranteesIn(f.content)
}

// guaranteesIn returns the guarantees of a document in a form that can be compared: members without a value are left
// out, and the others are sorted.
func guaranteesIn(content []byte) string {
	var document struct {
		Guarantees []map[string]any `json:"guarantees"`
	}
	if json.Unmarshal(content, &document) != nil || len(document.Guarantees) == 0 {
		return "" // a document that cannot be read is refused elsewhere
	}
	for _, g := range document.Guarantees {
		maps.DeleteFunc(g, func(_ string, v any) bool { return v == nil })
	}
	text, err := json.Marshal(document.Guarantees)
	if err != nil {
		return ""
	}
	return string(text)
}

// readPolicyFile reads the file of a policy. If ok is false, it has already reported the error.
func readPolicyFile(c *command, path, key string, src engine.Sources) (f policyFile, code int, ok bool) {
	content, err := c.read(path)
	if err != nil {
		return f, c.usage("%v", err), false
	}
	policy, err := policyOf(content, src)
	if err != nil {
		return f, c.refused(path, err), false
	}
	if policy.Key != key {
		err := fmt.Errorf("the policy_key is %q, but the file is called %s.json", policy.Key, key)
		return f, c.refused(path, err), false
	}
	return policyFile{content: content, policy: policy}, exitOK, true
}

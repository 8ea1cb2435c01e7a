package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/rule"
	lookuptable "verdict/internal/table" // this package has a function called table
	"verdict/internal/wire"
)

// lookupHelp is the part of a command's help that explains the files of lists and tables.
const lookupHelp = `
-list NAME=FILE and -table NAME=FILE give the lists and tables that a policy names; repeat
the flags for each of them. The file is the body of PUT /v1/lists/{name} or
/v1/tables/{name}; a list may also be a CSV file with the column value, and may be
compressed with gzip. Without these flags, conditions on lists are unknown. With any of
them, give every list and table that the policy names.
`

// lookupFiles are the lists and tables that a command reads from files.
type lookupFiles struct {
	listFiles, tableFiles namedFiles

	lists  map[string]*fileList
	tables map[string]*lookuptable.Table
	now    time.Time // when the files were read
}

// fileList is a list that was read from a file.
type fileList struct {
	keyer   list.Keyer
	expires map[list.Key]int64 // the expiry time of each entry; 0 means never
}

// namedFiles is a flag that may be repeated, each time with a name and a file.
type namedFiles map[string]string

// String implements flag.Value.
func (n namedFiles) String() string { return strings.Join(slices.Sorted(maps.Keys(n)), ",") }

// Set implements flag.Value.
func (n namedFiles) Set(text string) error {
	name, file, ok := strings.Cut(text, "=")
	switch {
	case !ok || file == "" || !rule.IsListName(name):
		return errors.New("must be NAME=FILE")
	case n[name] != "":
		return fmt.Errorf("%s is given twice", name)
	}
	n[name] = file
	return nil
}

func (l *lookupFiles) declare(fs *flag.FlagSet) {
	l.listFiles, l.tableFiles = namedFiles{}, namedFiles{}
	fs.Var(l.listFiles, "list", "list that the policy names, as `NAME=FILE`; may be repeated")
	fs.Var(l.tableFiles, "table", "table that the policy reads, as `NAME=FILE`; may be repeated")
}

// given reports whether there are files.
func (l *lookupFiles) given() bool { return len(l.listFiles)+len(l.tableFiles) > 0 }

// readTables reads the files of tables. A policy that names a table cannot be read without its file. If ok is false,
// readTables has already reported the error, and code is the exit code.
func (l *lookupFiles) readTables(c *command) (code int, ok bool) {
	l.tables = map[string]*lookuptable.Table{}
	for _, name := range slices.Sorted(maps.Keys(l.tableFiles)) {
		file := l.tableFiles[name]
		body, code, ok := c.large(file)
		if !ok {
			return code, false
		}
		upload, err := document.ReadTable(name)(body)
		if err == nil {
			l.tables[name], err = upload.Build(context.Background(), *upload.Definition)
		}
		if err != nil {
			return c.refused(file, err), false
		}
	}
	return exitOK, true
}

// large reads a JSON file that may be as large as an upload.
func (c *command) large(file string) (v wire.Value, code int, ok bool) {
	data, err := c.readUpTo(file, listdesk.MaxFile)
	if err != nil {
		return v, c.usage("%v", err), false
	}
	if v, err = wire.Parse(data); err != nil {
		return v, c.refused(file, err), false
	}
	return v, exitOK, true
}

// sources returns the catalogue and the tables with which a policy is read.
func (l *lookupFiles) sources() engine.Sources {
	src := engine.Sources{Catalogue: field.Catalogue()}
	if len(l.tables) > 0 {
		src.Table = func(name string) (*rule.Table, bool) {
			found, ok := l.tables[name]
			if !ok {
				return nil, false
			}
			return &found.Definition.Table, true
		}
	}
	return src
}

// policy returns the policy in a file, or the default policy if name is "". If the policy reads a table and does
// not describe it, the file of the table must be given.
func (l *lookupFiles) policy(c *command, name string) (p *engine.Policy, code int, ok bool) {
	p, code, ok, err := c.policyWith(name, l.sources())
	if err != nil {
		code = c.refused(name, err)
		if slices.ContainsFunc(fault.Of(err).Items,
			func(i fault.Item) bool { return i.Code == fault.CodeUnknownTable }) {
			c.note("give each table that the policy reads with -table NAME=FILE")
		}
		return nil, code, false
	}
	return p, code, ok
}

// read reads the tables, the policy in a file, and the lists that the policy names. If ok is false, read has already
// reported the error, and code is the exit code.
func (l *lookupFiles) read(c *command, name string) (p *engine.Policy, code int, ok bool) {
	if code, ok = l.readTables(c); !ok {
		return nil, code, false
	}
	if p, code, ok = l.policy(c, name); !ok {
		return nil, code, false
	}
	code, ok = l.complete(c, p)
	return p, code, ok
}

// note writes a hint to standard error.
func (c *command) note(format string, args ...any) {
	_, _ = fmt.Fprintf(c.stderr, "verdict %s: %s\n", c.name, fmt.Sprintf(format, args...))
}

// complete reads the lists that policies name, and checks that either all lists and tables of the policies are
// given, or none of them. If ok is false, it has already reported the error, and code is the exit code.
func (l *lookupFiles) complete(c *command, policies ...*engine.Policy) (code int, ok bool) {
	if !l.given() {
		return exitOK, true
	}
	l.lists, l.now = map[string]*fileList{}, time.Now()
	read := map[string]bool{}
	for _, p := range policies {
		if p == nil {
			continue
		}
		for _, q := range p.Lookups() {
			if code, ok := l.readList(c, q); !ok {
				return code, false
			}
		}
		for i := range p.Tables {
			t := &p.Tables[i]
			found := l.tables[t.Name]
			if found == nil {
				return c.usage("the policy reads the table %s: give it with -table %s=FILE", t.Name, t.Name), false
			}
			if lacks := found.Definition.Serves(t); lacks != "" {
				return c.refused(l.tableFiles[t.Name],
					fmt.Errorf("the policy reads the table %s, but %s", t.Name, lacks)), false
			}
			read[t.Name] = true
		}
	}
	for name := range l.listFiles {
		if l.lists[name] == nil {
			return c.usage("-list %s: the policy does not name this list; %s", name, namedLists(policies)), false
		}
	}
	for name := range l.tableFiles {
		if !read[name] {
			return c.usage("-table %s: the policy does not read this table", name), false
		}
	}
	return exitOK, true
}

// namedLists returns a text with the lists that the policies name.
func namedLists(policies []*engine.Policy) string {
	var names []string
	for _, p := range policies {
		if p == nil {
			continue
		}
		for _, q := range p.Lookups() {
			names = append(names, q.List)
		}
	}
	if len(names) == 0 {
		return "it names no list"
	}
	slices.Sort(names)
	return "it names " + strings.Join(slices.Compact(names), ", ")
}

// noteMissing writes to standard error that no file was given for the lists that a policy names.
func (l *lookupFiles) noteMissing(c *command, p *engine.Policy) {
	if !l.given() && len(p.Lookups()) > 0 {
		c.note("the policy looks values up in lists (%s), and none was given, so its conditions on them are unknown; "+
			"give each list with -list NAME=FILE", namedLists([]*engine.Policy{p}))
	}
}

// unpacked decompresses the content of a list if it is compressed.
func unpacked(data []byte) ([]byte, error) {
	plain, err := expand(bytes.NewReader(data))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(plain, listdesk.MaxFile+1))
	}
	if err == nil && len(data) > listdesk.MaxFile {
		err = fmt.Errorf("larger than %d MiB", listdesk.MaxFile>>20)
	}
	return data, err
}

// readList reads the file of a list that a policy names. It reads each file only once.
func (l *lookupFiles) readList(c *command, q rule.NamedLookup) (code int, ok bool) {
	file := l.listFiles[q.List]
	if file == "" {
		return c.usage("the policy names the list %s: give it with -list %s=FILE", q.List, q.List), false
	}
	if l.lists[q.List] == nil {
		data, err := c.readUpTo(file, listdesk.MaxFile)
		if err != nil {
			return c.usage("-list %s: %v", q.List, err), false
		}
		if data, err = unpacked(data); err != nil {
			return c.refused(file, err), false
		}
		if l.lists[q.List], err = newFileList(data, q.Field.Type); err != nil {
			return c.refused(file, err), false
		}
	}
	if l.lists[q.List].keyer.Type.Of() != q.Field.Type {
		return c.refused(file, fmt.Errorf("the values of the list have another type than the field %s", q.Field.Name)),
			false
	}
	return exitOK, true
}

// newFileList reads a list in JSON, or in CSV for a field of the given type.
func newFileList(data []byte, of rule.Type) (*fileList, error) {
	var upload listdesk.Upload
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '{' {
		body, err := wire.Parse(data)
		if err == nil {
			upload, err = document.ReadList(body)
		}
		if err != nil {
			return nil, err
		}
	} else {
		upload.CSV = bytes.NewReader(data)
	}
	if upload.Type == "" {
		upload.Type = list.Text
		if of == rule.NumberType {
			upload.Type = list.Number
		}
	}
	found := &fileList{keyer: list.Keyer{Type: upload.Type}, expires: map[list.Key]int64{}}
	entries, err := upload.Read(context.Background(), &found.keyer)
	if err != nil {
		return nil, err
	}
	entries, _ = list.Sort(entries)
	for _, e := range entries {
		found.expires[e.Key] = e.ExpiresMicros
	}
	return found, nil
}

// lookUp looks up an application in the lists and tables, and adds the results to its facts. It ignores entries that
// have expired at the given time.
func (l *lookupFiles) lookUp(lookups []rule.NamedLookup, tables []rule.Table, facts *rule.Facts, at time.Time) {
	for i := range lookups {
		q := &lookups[i]
		from, value := l.lists[q.List], facts.Get(q.Field.Name)
		if from == nil || value.Type() != q.Field.Type {
			continue
		}
		expires, found := from.expires[from.keyer.Of(value)]
		facts.Set(q.Fact, rule.Bool(found && list.Lasts(expires, at.UnixMicro())))
	}
	for i := range tables {
		var buffer [lookuptable.MaxKeys]rule.Value
		from := l.tables[tables[i].Name]
		if keys, ok := lookuptable.Keys(&tables[i], facts, buffer[:0]); ok && from != nil {
			from.Answer(&tables[i], keys, facts)
		}
	}
}

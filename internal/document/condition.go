package document

import (
	"slices"
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// ConditionTexts returns the conditions of a policy document, and the amounts of its limit caps, in words, by the
// JSON pointer of each. A condition that cannot be read is left out. Conditions can read the given tables and those
// that the document describes.
func ConditionTexts(document wire.Value, tables ...rule.Table) map[string]string {
	texts := map[string]string{}
	semantics, _ := strconv.Atoi(document.Get("semantics").Text()) // 0 if missing: the first semantics
	scope := rule.Scope{Catalogue: field.Catalogue(), Inputs: declaredInputs(document), Semantics: semantics}
	var ignored fault.List // a stored document describes its tables correctly
	described := engine.ReadTables(document.Get("tables"), field.Catalogue(), &ignored)
	scope.Table = findTable(slices.Concat(tables, described))
	read := func(v wire.Value, stage2 bool) {
		if text, _, err := readCondition(v, scope, stage2); err == nil && v.Given() {
			texts[v.Pointer()] = text
		}
	}
	for _, k := range document.Get("knockouts").Elements() {
		read(k.Get("condition_ast"), k.Get("stage").Text() == "2")
	}
	for _, section := range []string{"adjustments", "conditions"} {
		for _, v := range document.Get(section).Elements() {
			read(v.Get("condition_ast"), false)
		}
	}
	for _, f := range document.Get("scorecard").Get("factors").Elements() {
		read(f.Get("when"), false)
	}
	for _, section := range []string{"pricing_bands", "limit_caps"} {
		for _, v := range document.Get(section).Elements() {
			read(v.Get("when"), false)
		}
	}
	for _, v := range document.Get("limit_caps").Elements() {
		var faults fault.List
		of := v.Get("of")
		if o := rule.ReadOperand(of, &scope, &faults); faults.Len() == 0 {
			texts[of.Pointer()] = o.Text()
		}
	}
	return texts
}

// findTable returns the function that finds one of the tables by its name.
func findTable(tables []rule.Table) func(name string) (*rule.Table, bool) {
	return func(name string) (*rule.Table, bool) {
		at := slices.IndexFunc(tables, func(t rule.Table) bool { return t.Name == name })
		if at < 0 {
			return nil, false
		}
		return &tables[at], true
	}
}

// CheckCondition reads a single condition as if it were part of a document with these semantics and inputs. The
// condition can read the given tables. CheckCondition returns the condition in words, and in the form in which it
// would be stored.
func CheckCondition(
	condition, inputs wire.Value, tables []rule.Table, semantics int, stage2 bool,
) (text string, document []byte, err error) {
	scope := rule.Scope{
		Catalogue: field.Catalogue(), Inputs: map[string]rule.Type{}, Semantics: semantics, Table: findTable(tables),
	}
	declare(inputs, scope.Inputs)
	return readCondition(condition, scope, stage2)
}

func readCondition(v wire.Value, scope rule.Scope, stage2 bool) (text string, document []byte, err error) {
	var faults fault.List
	scope.Stage2 = stage2
	c := rule.ReadCondition(v, &scope, &faults)
	if err := faults.Err(); err != nil {
		return "", nil, err
	}
	var w wire.Writer
	c.Write(&w)
	return c.Text(), w.Buf, nil
}

// declaredInputs returns the types of the names that a document itself declares, including
// the inputs of its scorecard's factors. It does not report faults.
func declaredInputs(document wire.Value) map[string]rule.Type {
	types := map[string]rule.Type{}
	declare(document.Get("inputs"), types)
	for _, f := range document.Get("scorecard").Get("factors").Elements() {
		if t, ok := rule.ParseType(f.Get("type").Text()); ok && field.Declarable(f.Get("field").Text()) {
			types[f.Get("field").Text()] = t
		}
	}
	return types
}

func declare(inputs wire.Value, types map[string]rule.Type) {
	for _, in := range inputs.Elements() {
		if t, ok := rule.ParseType(in.Get("type").Text()); ok {
			types[in.Get("name").Text()] = t
		}
	}
}

package rule_test

import (
	"fmt"
	"strings"
)

// grower writes random conditions and facts as JSON, so that tests read JSON as
// a request sends it.
type grower struct {
	pick  func(n int) int // returns a number from 0 to n-1
	blind bool            // write only predicates that are unknown if their field is absent
	nodes int             // number of nodes written so far, to stay within roomFor
}

// fieldsOf and valuesOf have the fields and values of the tests by type. Facts
// and constants use the same few values, so that they are often equal.
var (
	fieldsOf = map[string][]string{
		"number":  {"bureau_score", "age", "monthly_income", "foir", "applicant.bonus"},
		"string":  {"bureau", "device_os", "applicant.employer_category"},
		"boolean": {"bureau_is_ntc", "device_is_emulator", "applicant.is_staff"},
	}
	valuesOf = map[string][]string{
		"number": {
			"0", "-0", "1", "-1", "2", "3", "7", "0.1", "0.2", "0.3", "0.5", "-0.000001", "0.000001", "1e2", "2.5E-1",
			"650", "649.999999", "999999999999.999999", "1000000000000", "-1000000000000", "1e12", "123456.789",
		},
		"string":  {`""`, `"a"`, `"ab"`, `"b"`, `"aba"`, `"cibil"`, `"\u00e9"`, `"é\"\\\n"`, `"0"`, `"true"`},
		"boolean": {"true", "false"},
	}
	types = []string{"number", "string", "boolean"}
)

// roomFor is the number of nodes after which a condition stops growing. It is far below rule.MaxNodes.
const roomFor = 200

func (g *grower) oneOf(words []string) string { return words[g.pick(len(words))] }

// condition writes a condition of at most the given depth.
func (g *grower) condition(depth int) string {
	g.nodes++
	if depth <= 1 || g.nodes > roomFor {
		return g.predicate(1)
	}
	switch g.pick(10) {
	case 0, 1, 2:
		return fmt.Sprintf(`{"op":"and","args":[%s]}`, g.conditions(depth-1))
	case 3, 4, 5:
		return fmt.Sprintf(`{"op":"or","args":[%s]}`, g.conditions(depth-1))
	case 6, 7:
		return fmt.Sprintf(`{"op":"not","arg":%s}`, g.condition(depth-1))
	default:
		return g.predicate(depth)
	}
}

func (g *grower) conditions(depth int) string {
	args := make([]string, 1+g.pick(4))
	for i := range args {
		args[i] = g.condition(depth)
	}
	return strings.Join(args, ",")
}

func (g *grower) predicate(depth int) string {
	kind := g.oneOf(types)
	field := g.oneOf(fieldsOf[kind])
	choices := 10
	if g.blind {
		choices = 7
	}
	switch g.pick(choices) {
	case 0:
		return fmt.Sprintf(`{"op":%q,"field":%q,"value":%s}`, g.comparison(kind), field, g.oneOf(valuesOf[kind]))
	case 1:
		return fmt.Sprintf(`{"op":%q,"left":%s,"right":%s}`,
			g.comparison(kind), g.operand(kind, depth, g.blind), g.operand(kind, depth, false))
	case 2:
		return fmt.Sprintf(`{"left":%s,"right":%s,"op":%q}`,
			g.operand("number", depth, false), g.operand("number", depth, g.blind), g.comparison("number"))
	case 3:
		return fmt.Sprintf(`{"op":"in","field":%q,"values":[%s]}`, field, g.values(kind))
	case 4:
		return fmt.Sprintf(`{"op":"not_in","field":%q,"values":[%s]}`, field, g.values(kind))
	case 5:
		ends := [][2]string{
			{"0", "0"},
			{"-1", "0"},
			{"0", "1"},
			{"0.1", "0.3"},
			{"2", "650"},
			{"-1000000000000", "1e12"},
		}
		least := ends[g.pick(len(ends))]
		return fmt.Sprintf(`{"op":"between","field":%q,"min":%s,"max":%s}`,
			g.oneOf(fieldsOf["number"]), least[0], least[1])
	case 6:
		return fmt.Sprintf(`{"op":%q,"field":%q,"value":%s}`,
			g.oneOf([]string{"starts_with", "ends_with", "contains"}),
			g.oneOf(fieldsOf["string"]), g.oneOf(valuesOf["string"][1:]))
	case 7:
		return fmt.Sprintf(`{"op":"exists","field":%q}`, field)
	case 8:
		return fmt.Sprintf(`{"op":"absent","field":%q}`, field)
	default:
		return fmt.Sprintf(`{"op":%q}`, g.oneOf([]string{"true", "false"}))
	}
}

func (g *grower) comparison(kind string) string {
	if kind == "number" {
		return g.oneOf([]string{"eq", "ne", "lt", "lte", "gt", "gte"})
	}
	return g.oneOf([]string{"eq", "ne"})
}

func (g *grower) values(kind string) string {
	values := make([]string, 1+g.pick(14))
	for i := range values {
		values[i] = g.oneOf(valuesOf[kind])
	}
	return strings.Join(values, ",")
}

// operand writes one side of a comparison. If mustRead is true, the operand
// contains a field.
func (g *grower) operand(kind string, depth int, mustRead bool) string {
	g.nodes++
	field := fmt.Sprintf(`{"field":%q}`, g.oneOf(fieldsOf[kind]))
	choice := g.pick(6)
	if kind == "number" && depth > 1 && g.nodes < roomFor && choice < 3 {
		return g.arithmetic(depth-1, mustRead)
	}
	if mustRead || choice == 3 || choice == 4 {
		return field
	}
	return fmt.Sprintf(`{"value":%s}`, g.oneOf(valuesOf[kind]))
}

func (g *grower) arithmetic(depth int, mustRead bool) string {
	op := g.oneOf([]string{"add", "sub", "mul", "div", "min", "max", "abs"})
	n := 1 + g.pick(3)
	switch op {
	case "sub", "div":
		n = 2
	case "abs":
		n = 1
	}
	args := make([]string, n)
	for i := range args {
		args[i] = g.operand("number", depth, mustRead && i == 0)
	}
	return fmt.Sprintf(`{"op":%q,"args":[%s]}`, op, strings.Join(args, ","))
}

// facts writes the facts of one application. Each field has a value, a value of another type or null, or it is left
// out. Some numbers have more than the six decimals that facts store.
func (g *grower) facts() string {
	var out []string
	for _, kind := range types {
		for _, field := range fieldsOf[kind] {
			switch g.pick(12) {
			case 0, 1, 2:
				continue
			case 3:
				out = append(out, fmt.Sprintf(`%q:null`, field))
			case 4:
				out = append(out, fmt.Sprintf(`%q:%s`, field, g.oneOf(valuesOf[g.oneOf(types)])))
			case 5:
				if kind == "number" {
					out = append(out, fmt.Sprintf(`%q:%s`, field,
						g.oneOf([]string{"0.0000005", "-0.0000005", "0.30000049", "649.9999995"})))
					continue
				}
				fallthrough
			default:
				out = append(out, fmt.Sprintf(`%q:%s`, field, g.oneOf(valuesOf[kind])))
			}
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

package bench

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/tir"
)

// opsText is the table of single operators; its head says what a line means.
//
//go:embed ops.txt
var opsText string

// opsVersion is the operator set of nodes whose line names none.
const opsVersion = 21

// An OpCase is a node that is timed by itself.
type OpCase struct {
	Name string // the operator, and a number among its lines
	Op   string // with its domain
	Spec string // operands and attributes, as the table has them
	Note string // why the node is not timed; "": it is

	name  string   // the operator with its version
	words []string // of the line
}

// OpCases returns the cases of the operators named, all if none is, in the order of the table. A name may also be that
// of a case, such as TopK-2.
func OpCases(only []string) ([]*OpCase, error) {
	list, err := parseOps(opsText)
	if err != nil {
		return nil, err
	}
	for _, name := range only {
		if !slices.ContainsFunc(list, func(c *OpCase) bool { return c.is(name) }) {
			return nil, fmt.Errorf("no row of lab/bench/ops.txt is called %q: give names such as TopK or TopK-2", name)
		}
	}
	return slices.DeleteFunc(list, func(c *OpCase) bool {
		return len(only) > 0 && !slices.ContainsFunc(only, c.is)
	}), nil
}

func (c *OpCase) is(name string) bool { return name == c.Op || name == c.Name }

// parseOps reads the lines of a table.
func parseOps(text string) ([]*OpCase, error) {
	var list []*OpCase
	seen := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		head, rest, _ := strings.Cut(line, " ")
		names, note, excused := strings.Cut(rest, ": ")
		if head != "without" {
			names, excused = head, false
		}
		for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' }) {
			c := &OpCase{Op: name, Name: name, Note: note, Spec: strings.Join(strings.Fields(rest), " ")}
			if !excused {
				c.Op, _, _ = strings.Cut(name, "@")
				seen[c.Op]++
				c.Name, c.Note, c.name = fmt.Sprintf("%s-%d", c.Op, seen[c.Op]), "", name
				c.words = strings.Fields(rest)
				if _, _, err := c.build(false); err != nil {
					return nil, fmt.Errorf("lab/bench/ops.txt, line %d: %w", i+1, err)
				}
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// build returns the graph of a case, which has one node, and the elements of its inputs; without elements unless drawn.
func (c *OpCase) build(drawn bool) (*graph.Graph, []*graph.Const, error) {
	n := &graph.Node{Version: opsVersion, Name: "node"}
	name, version, ok := strings.Cut(c.name, "@")
	if ok {
		var err error
		if n.Version, err = strconv.Atoi(version); err != nil {
			return nil, nil, fmt.Errorf("version %q of %s is no number", version, name)
		}
	}
	n.Domain, n.Op = op.SplitName(name)
	g := &graph.Graph{Name: "one", Nodes: []*graph.Node{n}}
	var inputs []*graph.Const
	outputs := 1
	for _, word := range c.words {
		key, value, isAttr := strings.Cut(word, "=")
		switch {
		case key == "outputs":
			var err error
			if outputs, err = strconv.Atoi(value); err != nil {
				return nil, nil, fmt.Errorf("%q: want a number of outputs", word)
			}
		case isAttr:
			n.SetAttr(attrOf(key, value))
		case word == "_":
			n.Inputs = append(n.Inputs, nil)
		default:
			v, err := c.operand(word, len(n.Inputs), drawn)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %q: %w", c.Name, word, err)
			}
			if n.Inputs = append(n.Inputs, v); !strings.HasSuffix(word, "!") {
				v.Name = fmt.Sprintf("in%d", len(inputs))
				g.Inputs, inputs = append(g.Inputs, v), append(inputs, v.Const)
				v.Const = nil
			}
		}
	}
	for i := range outputs {
		v := &graph.Value{Name: fmt.Sprintf("out%d", i)}
		n.Outputs, g.Outputs = append(n.Outputs, v), append(g.Outputs, v)
	}
	return g, inputs, nil
}

// typeNames are short names of types.
var typeNames = strings.NewReplacer("bool", "bool", "bf", "bfloat", "f", "float", "i", "int", "u", "uint")

// operand reads an operand: TYPE[EXTENTS], TYPE[EXTENTS]@LOW:HIGH, TYPE{ELEMENTS} or TYPE(SCALAR), with ! behind it if
// it is a constant. Const has the elements, also of what is none.
func (c *OpCase) operand(word string, place int, drawn bool) (*graph.Value, error) {
	text := strings.TrimSuffix(word, "!")
	at := strings.IndexAny(text, "[{(")
	end := strings.IndexAny(text, "]})")
	if at < 0 || end < at {
		return nil, fmt.Errorf("neither an operand nor an attribute")
	}
	t, err := tir.ParseDType(typeNames.Replace(text[:at]))
	if err != nil {
		return nil, err
	}
	var numbers []float64
	for _, s := range strings.FieldsFunc(text[at+1:end], func(r rune) bool { return r == ',' }) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, x)
	}
	v := &graph.Value{Name: fmt.Sprintf("c%d", place), Type: t, Ranked: true}
	switch text[at] {
	case '{':
		v.Shape = []int64{int64(len(numbers))}
	case '[':
		for _, x := range numbers {
			v.Shape = append(v.Shape, int64(x))
		}
		spread, err := spreadOf(strings.TrimPrefix(text[end+1:], "@"), t)
		if err != nil || !drawn {
			return v, err
		}
		x := graph.NewTensor(t, v.Shape...)
		spread.draw(x, rand.New(rand.NewPCG(hashText(c.Op+word), uint64(place))))
		v.Const = x.Const()
		return v, nil
	}
	x := graph.NewTensor(t, v.Shape...)
	for i, k := range numbers {
		if t.IsFloat() {
			x.F[i] = k
		} else {
			x.I[i] = int64(k)
		}
	}
	v.Const = x.Const()
	return v, nil
}

func hashText(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// A spread says how elements are drawn.
type spread struct {
	word      string // "places", "rise", or ""
	normal    bool   // from a normal distribution
	low, high float64
}

// spreadOf reads what stands behind the @ of an operand.
func spreadOf(text string, t tir.DType) (s spread, err error) {
	from, to, ok := strings.Cut(text, ":")
	switch {
	case text == "places" || text == "rise":
		return spread{word: text}, nil
	case text == "":
		s = spread{normal: t.IsFloat(), high: 100}
		if t == tir.Bool {
			s.high = 2
		}
		return s, nil
	case !ok:
		return s, fmt.Errorf("%q is no range", text)
	}
	if s.low, err = strconv.ParseFloat(from, 64); err == nil {
		s.high, err = strconv.ParseFloat(to, 64)
	}
	return s, err
}

// draw fills a tensor.
func (s spread) draw(x *graph.Tensor, r *rand.Rand) {
	for i := range x.F {
		if s.normal {
			x.F[i] = r.NormFloat64()
		} else {
			x.F[i] = s.low + (s.high-s.low)*r.Float64()
		}
	}
	var row []int
	for i := range x.I {
		last := int(x.Shape[len(x.Shape)-1])
		switch {
		case s.word == "rise":
			x.I[i] = int64(i)
		case s.word == "places":
			if i%last == 0 {
				row = r.Perm(last)
			}
			x.I[i] = int64(row[i%last])
		default:
			x.I[i] = int64(s.low) + r.Int64N(int64(s.high-s.low))
		}
	}
}

// attrOf reads the value of an attribute: a number, a float, which has a point, numbers or floats with commas between
// or behind them, texts with commas between them, or a text, which has quotes around it if it has commas.
func attrOf(name, text string) graph.Attr {
	if s, ok := strings.CutPrefix(text, `"`); ok {
		return graph.StrAttr(name, strings.TrimSuffix(s, `"`))
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	var ints []int64
	var floats []float64
	for _, w := range words {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			ints = append(ints, n)
		}
		if f, err := strconv.ParseFloat(w, 64); err == nil {
			floats = append(floats, f)
		}
	}
	list := strings.Contains(text, ",")
	switch {
	case len(ints) == len(words) && list:
		return graph.IntsAttr(name, ints...)
	case len(ints) == len(words) && len(words) == 1:
		return graph.IntAttr(name, ints[0])
	case len(floats) == len(words) && list:
		return graph.Attr{Name: name, Kind: graph.AttrFloats, Floats: floats}
	case len(floats) == len(words) && len(words) == 1:
		return graph.FloatAttr(name, floats[0])
	case list:
		return graph.Attr{Name: name, Kind: graph.AttrStrings, Strings: words}
	}
	return graph.StrAttr(name, text)
}

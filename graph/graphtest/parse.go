package graphtest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// Parse reads a graph as graph.Fprint writes it, without graphs in attributes, for nodes of a version of the operator
// set. Types of results may be left out. A constant without elements in braces gets multiples of 1/4 that follow from
// its name.
func Parse(text string, version int) (*graph.Graph, error) {
	p := &parser{g: &graph.Graph{}, values: map[string]*graph.Value{}, version: version}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, line, err)
		}
	}
	return p.g, nil
}

// MustParse is Parse of a text that is right.
func MustParse(text string, version int) *graph.Graph {
	g, err := Parse(text, version)
	if err != nil {
		panic("BUG: graphtest: " + err.Error())
	}
	return g
}

type parser struct {
	g       *graph.Graph
	values  map[string]*graph.Value
	version int
}

var (
	valueText = regexp.MustCompile(`^([\w.]+)(?:: (\w+)\[([^\]]*)\])?`)
	dimText   = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	nodeText  = regexp.MustCompile(`^(.*?) = ([\w.]+)\(([^)]*)\)(.*)$`)
	attrText  = regexp.MustCompile(`(\w+)=(\[[^\]]*\]|"[^"]*"|\S+)`)
)

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "graph":
		p.g.Name = rest
		return nil
	case "input":
		v, err := p.define(rest)
		p.g.Inputs = append(p.g.Inputs, v)
		return err
	case "const":
		v, err := p.define(rest)
		if err != nil {
			return err
		}
		return p.contents(v, rest)
	case "output":
		v := p.values[rest]
		if v == nil {
			return fmt.Errorf("no value is called %s", rest)
		}
		p.g.Outputs = append(p.g.Outputs, v)
		return nil
	}
	return p.node(line)
}

// define adds the value that a text begins with.
func (p *parser) define(text string) (*graph.Value, error) {
	m := valueText.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is no value", text)
	}
	v := &graph.Value{Name: m[1]}
	p.values[m[1]] = v
	if m[2] == "" {
		return v, nil
	}
	var err error
	if v.Type, err = tir.ParseDType(m[2]); err != nil {
		return nil, err
	}
	v.Ranked = true
	for i, s := range strings.Split(m[3], ",") {
		if s = strings.TrimSpace(s); dimText.MatchString(s) { // the name of an open dimension
			v.DimNames = append(append(v.DimNames, make([]string, i-len(v.DimNames))...), s)
			s = strconv.Itoa(graph.Open)
		}
		if s == "" {
			continue
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, err
		}
		v.Shape = append(v.Shape, n)
	}
	return v, nil
}

func numbers(text string) ([]int64, error) {
	var list []int64
	for _, s := range strings.Split(text, ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func (p *parser) contents(v *graph.Value, text string) error {
	x := graph.NewTensor(v.Type, v.Shape...)
	if _, list, ok := strings.Cut(strings.TrimSuffix(text, "}"), "{"); ok {
		for i, s := range strings.Split(list, ",") {
			if list == "" {
				break
			}
			err := fmt.Errorf("too many")
			switch s = strings.TrimSpace(s); {
			case i >= x.Len():
			case x.F != nil:
				x.F[i], err = strconv.ParseFloat(s, 64)
			default:
				x.I[i], err = strconv.ParseInt(s, 10, 64)
			}
			if err != nil {
				return fmt.Errorf("elements %s of %s: %w", list, v, err)
			}
		}
	} else {
		h := fnv.New64a()
		h.Write([]byte(v.Name))
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range x.F {
			x.F[i] = float64(r.IntN(17)-8) / 4
		}
		for i := range x.I {
			x.I[i] = r.Int64N(2)
		}
	}
	v.Const = x.Const()
	return nil
}

func (p *parser) node(line string) error {
	m := nodeText.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("neither a value nor a node")
	}
	n := &graph.Node{Op: m[2], Version: p.version}
	if i := strings.LastIndexByte(m[2], '.'); i >= 0 {
		n.Domain, n.Op = m[2][:i], m[2][i+1:]
	}
	for _, name := range strings.Split(m[3], ",") {
		if m[3] == "" {
			break
		}
		name = strings.TrimSpace(name)
		if name != "_" && p.values[name] == nil {
			return fmt.Errorf("no value is called %s", name)
		}
		n.Inputs = append(n.Inputs, p.values[name])
	}
	for rest := m[1]; rest != ""; {
		var v *graph.Value // nil for one that is left out
		text := valueText.FindString(rest)
		if text != "_" {
			var err error
			if v, err = p.define(rest); err != nil {
				return err
			}
		}
		n.Outputs = append(n.Outputs, v)
		rest = strings.TrimPrefix(rest[len(text):], ", ")
	}
	for _, a := range attrText.FindAllStringSubmatch(m[4], -1) {
		attr, err := attrOf(a[1], a[2])
		if err != nil {
			return err
		}
		n.SetAttr(attr)
	}
	p.g.Nodes = append(p.g.Nodes, n)
	return nil
}

// floatAttrs are the attributes that are floats even where they are printed without a point.
var floatAttrs = map[string]bool{"alpha": true, "beta": true, "epsilon": true, "gamma": true, "bias": true,
	"lambd": true}

func attrOf(name, text string) (graph.Attr, error) {
	switch {
	case text[0] == '[':
		list, err := numbers(strings.Trim(text, "[]"))
		return graph.IntsAttr(name, list...), err
	case text[0] == '"':
		return graph.StrAttr(name, strings.Trim(text, `"`)), nil
	case floatAttrs[name]:
		f, err := strconv.ParseFloat(text, 64)
		return graph.FloatAttr(name, f), err
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return graph.IntAttr(name, n), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	return graph.FloatAttr(name, f), err
}

package op

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir/compute"
)

// A Workload is something to tune.
type Workload struct {
	Name  string // suite/name, or the notation if it is of no suite
	Spec  string // in canonical notation: keys in order, defaults left out
	DAG   *compute.DAG
	Count int // how often it stands in the suite's model; 1 if it is of no suite
}

// Parse reads a workload: "suite/name", or an operator with its keys:
//
//	matmul:m=512,n=512,k=512
//	conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu
//	paper22/r50-t3
//
// Errors say what is unknown or missing and what is known, or why there is no
// such DAG.
func Parse(spec string) (*Workload, error) {
	spec = strings.TrimSpace(spec)
	if spec == "" {
		return nil, errors.New("empty workload: want an operator and its keys, such as matmul:m=512,n=512,k=512, " +
			"or suite/name, such as paper22/r50-t3")
	}
	if strings.Contains(spec, "/") && !strings.Contains(spec, ":") {
		return Lookup(spec)
	}
	p, err := parseParams(spec)
	if err != nil {
		return nil, err
	}
	d, err := p.build()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.op.Name, err)
	}
	canonical := p.String()
	return &Workload{Name: canonical, Spec: canonical, DAG: d, Count: 1}, nil
}

func (p *params) build() (*compute.DAG, error) {
	g := newBuilder(&ownNames, p.get("dtype").dtype)
	r := p.op.build(g, p)
	return g.with(r, p.get("epilogue").epilogues)
}

// with applies epilogues and returns the DAG.
func (g *Builder) with(r result, list []Epilogue) (*compute.DAG, error) {
	if g.err != nil {
		return nil, g.err
	}
	for _, e := range list {
		r.Tensor = e.apply(g, r)
	}
	return g.finish(r)
}

// parseParams reads the notation of an operator.
func parseParams(spec string) (*params, error) {
	name, rest, _ := strings.Cut(spec, ":")
	o, ok := findOperator(name)
	if !ok {
		return nil, fmt.Errorf("unknown operator %q: known are %s", name, operatorNames())
	}
	p := &params{op: o, values: map[string]value{}}
	for part := range strings.SplitSeq(rest, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := p.set(part); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var missing []string
	for _, k := range o.Keys {
		switch {
		case p.has(k.Name):
		case k.Required():
			missing = append(missing, k.Name+" ("+k.Help+")")
		default:
			v, err := k.parse(k.Default, o.spatial())
			if err != nil {
				panic("BUG: op: default of " + name + ": " + err.Error())
			}
			p.values[k.Name] = v
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: missing %s", name, strings.Join(missing, ", "))
	}
	return p, nil
}

// set reads key=value.
func (p *params) set(part string) error {
	key, text, ok := strings.Cut(part, "=")
	key, text = strings.TrimSpace(key), strings.TrimSpace(text)
	var known []string
	for _, k := range p.op.Keys {
		known = append(known, k.Name)
		if k.Name != key {
			continue
		}
		if !ok || text == "" {
			return fmt.Errorf("%s has no value: write it as %s=VALUE", key, key)
		}
		if p.has(key) {
			return fmt.Errorf("%s is given twice", key)
		}
		v, err := k.parse(text, p.op.spatial())
		p.values[key] = v
		return err
	}
	return fmt.Errorf("unknown key %q: known are %s", key, strings.Join(known, " "))
}

// spatial is the number of spatial dimensions that the operator's keys name.
func (o *Operator) spatial() int {
	n := 0
	for _, k := range o.Keys {
		if k.Name == keyD.Name || k.Name == keyH.Name || k.Name == keyW.Name {
			n++
		}
	}
	return n
}

// String returns the canonical notation.
func (p *params) String() string {
	var list []string
	for _, k := range p.op.Keys {
		if v := p.get(k.Name); v.text != k.Default {
			list = append(list, k.Name+"="+v.text)
		}
	}
	return p.op.Name + ":" + strings.Join(list, ",")
}

package schedule

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A dagText reads DAGs in the text of tvm-states.txt.zst, one op a line:
//
//	A[64, 32]
//	C(i:64;k:32) += %0[i, k]
//	D(i:64;) = max(%1[i], 0f)
//
// %N is the result of op N, and expressions are as TVM prints them. Bad text
// panics: it is ours.
type dagText struct {
	rest string
	ops  []*compute.Op
	vars map[string]*tir.Var
}

func parseDAG(lines []string) *compute.DAG {
	var t dagText
	for _, line := range lines {
		t.rest, t.vars = line, map[string]*tir.Var{}
		name := t.until("[(")
		if t.eat("[") {
			op := input(name)
			for !t.eat("]") {
				op.Results[0].Shape = append(op.Results[0].Shape, t.number(t.until(",]")))
				t.eat(", ")
			}
			t.ops = append(t.ops, op)
			continue
		}
		t.must("(")
		spatial, reduce := t.axes(";"), t.axes(")")
		t.must(" ")
		if how := t.until(" "); how == "=" {
			t.must(" ")
			t.ops = append(t.ops, elementwise(name, spatial, t.expr()))
		} else {
			t.must(" ")
			t.ops = append(t.ops, sum(name, spatial, reduce, t.expr()))
		}
	}
	return dagOf(t.ops...)
}

func (t *dagText) eat(s string) bool {
	rest, ok := strings.CutPrefix(t.rest, s)
	t.rest = rest
	return ok
}

func (t *dagText) must(s string) {
	if !t.eat(s) {
		panic(fmt.Sprintf("no %q at %q", s, t.rest))
	}
}

// until takes what comes before one of the end characters.
func (t *dagText) until(end string) string {
	i := strings.IndexAny(t.rest, end)
	if i < 0 {
		i = len(t.rest)
	}
	s := t.rest[:i]
	t.rest = t.rest[i:]
	return s
}

func (t *dagText) number(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return v
}

func (t *dagText) axes(end string) []*compute.Axis {
	var list []*compute.Axis
	for !t.eat(end) {
		name := t.until(":")
		t.must(":")
		v := tir.NewVar(name)
		t.vars[name] = v
		list = append(list, &compute.Axis{Var: v, Extent: t.number(t.until(",;)"))})
		t.eat(", ")
	}
	return list
}

func (t *dagText) list(end string) []tir.Expr {
	var list []tir.Expr
	for !t.eat(end) {
		list = append(list, t.expr())
		t.eat(", ")
	}
	return list
}

var infix = []struct {
	text string
	op   tir.BinOp
}{
	{" + ", tir.Add}, {" - ", tir.Sub}, {"*", tir.Mul}, {"/", tir.Div}, {" >= ", tir.GE}, {" < ", tir.LT}, {" == ", tir.EQ}, {" && ", tir.And},
}

func (t *dagText) expr() tir.Expr {
	if t.eat("(bool)1") {
		return tir.BoolImm(true)
	}
	if t.eat("(") {
		x := t.expr()
		for _, o := range infix {
			if t.eat(o.text) {
				y := t.expr()
				t.must(")")
				return tir.Bin(o.op, x, y)
			}
		}
		panic("no operator at " + t.rest)
	}
	if t.eat("%") {
		op := t.ops[t.number(t.until("["))]
		t.must("[")
		return load(op, t.list("]")...)
	}
	word := t.until("[](), */<>=&")
	if t.eat("(") {
		return t.call(word, t.list(")"))
	}
	if v, ok := t.vars[word]; ok {
		return v
	}
	if f, ok := strings.CutSuffix(word, "f"); ok {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			panic(err)
		}
		return tir.Float(tir.F32, v)
	}
	return tir.Int(t.number(word))
}

func (t *dagText) call(name string, a []tir.Expr) tir.Expr {
	switch name {
	case "floordiv":
		return tir.Bin(tir.FloorDiv, a[0], a[1])
	case "floormod":
		return tir.Bin(tir.FloorMod, a[0], a[1])
	case "max":
		return tir.Bin(tir.Max, a[0], a[1])
	case "min":
		return tir.Bin(tir.Min, a[0], a[1])
	case "select":
		return &tir.Select{Cond: a[0], Then: a[1], Else: a[2]}
	case "tir.if_then_else":
		return tir.IfThenElse(a[0], a[1], a[2])
	case "tir.exp":
		return &tir.Call{Fn: tir.Exp, Args: a}
	case "float32":
		return &tir.Cast{X: a[0], To: tir.F32}
	}
	panic("no function " + name)
}

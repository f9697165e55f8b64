package compile

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
)

var mutantCount = flag.Int("mutants", 20, "faults that are planted in kernels of random graphs and of models")

// A fault changes a function at one of its places; it returns nil if there is none.
type fault struct {
	name  string
	plant func(r *rand.Rand, f *tir.Func) *tir.Func
}

// faults are those that kernels may have.
var faults = []fault{
	{"wrong tap", wrongTap(func(i tir.Expr, n int64) tir.Expr {
		return tir.Bin(tir.FloorMod, tir.Bin(tir.Add, i, tir.Int(1)), tir.Int(n))
	})},
	{"wrong tap at the edge", wrongTap(func(i tir.Expr, n int64) tir.Expr { return tir.Bin(tir.Min, i, tir.Int(n-2)) })},
	{"dropped iteration", droppedIteration},
	{"swapped elements", swappedElements},
	{"less precision", lessPrecision},
}

// at rewrites the one of n places that is drawn.
type places struct{ seen, chosen int }

func (p *places) here() bool { p.seen++; return p.seen-1 == p.chosen }

// choose counts the places of a rewriting, and rewrites one.
func choose(r *rand.Rand, f *tir.Func, rewrite func(p *places, s tir.Stmt) tir.Stmt) *tir.Func {
	count := &places{chosen: -1}
	rewrite(count, f.Body)
	if count.seen == 0 {
		return nil
	}
	g := *f
	g.Body = rewrite(&places{chosen: r.IntN(count.seen)}, f.Body)
	return &g
}

func wrongTap(other func(i tir.Expr, n int64) tir.Expr) func(r *rand.Rand, f *tir.Func) *tir.Func {
	return func(r *rand.Rand, f *tir.Func) *tir.Func {
		pick := r.IntN(8)
		return choose(r, f, func(p *places, s tir.Stmt) tir.Stmt {
			return tir.MapStmt(s, nil, func(e tir.Expr) tir.Expr {
				return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
					l, ok := e.(*tir.Load)
					if !ok {
						return e
					}
					var dims []int
					for d, i := range l.Index {
						if _, fixed := i.(*tir.IntImm); l.Buffer.Shape[d] > 1 && !fixed {
							dims = append(dims, d)
						}
					}
					if len(dims) == 0 || !p.here() {
						return e
					}
					d := dims[pick%len(dims)]
					index := slices.Clone(l.Index)
					index[d] = other(index[d], l.Buffer.Shape[d])
					return &tir.Load{Buffer: l.Buffer, Index: index}
				})
			})
		})
	}
}

func droppedIteration(r *rand.Rand, f *tir.Func) *tir.Func {
	return choose(r, f, func(p *places, s tir.Stmt) tir.Stmt {
		return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
			loop, ok := s.(*tir.For)
			if !ok {
				return s
			}
			n, ok := loop.Extent.(*tir.IntImm)
			if !ok || n.Value < 2 || !p.here() {
				return s
			}
			c := *loop
			c.Extent = tir.Int(n.Value - 1)
			return &c
		}, nil)
	})
}

// eachStore chooses among the stores that fit.
func eachStore(r *rand.Rand, f *tir.Func, fits func(s *tir.Store) bool, change func(s *tir.Store)) *tir.Func {
	return choose(r, f, func(p *places, s tir.Stmt) tir.Stmt {
		return tir.MapStmt(s, func(s tir.Stmt) tir.Stmt {
			store, ok := s.(*tir.Store)
			if !ok || !fits(store) || !p.here() {
				return s
			}
			c := *store
			c.Index = slices.Clone(c.Index)
			change(&c)
			return &c
		}, nil)
	})
}

func swappedElements(r *rand.Rand, f *tir.Func) *tir.Func {
	long := func(n int64) bool { return n > 1 }
	return eachStore(r, f, func(s *tir.Store) bool { return slices.ContainsFunc(s.Buffer.Shape, long) }, func(s *tir.Store) {
		d := slices.IndexFunc(s.Buffer.Shape, long)
		i := s.Index[d]
		is := func(k int64) tir.Expr { return tir.Bin(tir.EQ, i, tir.Int(k)) }
		s.Index[d] = &tir.Select{Cond: is(0), Then: tir.Int(1), Else: &tir.Select{Cond: is(1), Then: tir.Int(0), Else: i}}
	})
}

func lessPrecision(r *rand.Rand, f *tir.Func) *tir.Func {
	less := map[tir.DType]tir.DType{tir.F32: tir.BF16, tir.F64: tir.F32}
	return eachStore(r, f, func(s *tir.Store) bool { return less[s.Value.DType()] != tir.Invalid }, func(s *tir.Store) {
		t := s.Value.DType()
		s.Value = &tir.Cast{X: &tir.Cast{X: s.Value, To: less[t]}, To: t}
	})
}

// stale has a call read from where another value lies. It reports whether there is one.
func stale(r *rand.Rand, p *model.Program, jobs []*job) bool {
	type arg struct{ call, at int }
	var args []arg
	for c, call := range p.Calls() {
		for i := range jobs[c].inputs {
			if call.Args[i].Space == model.Arena {
				args = append(args, arg{c, i})
			}
		}
	}
	if len(args) == 0 {
		return false
	}
	a := args[r.IntN(len(args))]
	was := p.Calls()[a.call].Args[a.at]
	to := was
	to.Offset = alignment * r.Int64N(max(p.Arena/alignment, 1))
	bytes := jobs[a.call].inputs[a.at].Bytes()
	for i := range jobs[a.call].outputs {
		out := p.Calls()[a.call].Args[len(jobs[a.call].inputs)+i]
		n := int64(alignment)
		if v := jobs[a.call].outputs[i]; v != nil {
			n = v.Bytes()
		}
		if out.Space == model.Arena && out.Offset < to.Offset+bytes && to.Offset < out.Offset+n {
			return false
		}
	}
	if to == was || to.Offset+bytes > p.Arena {
		return false
	}
	p.Calls()[a.call].Args[a.at] = to // Calls shares the arguments
	return true
}

// A mutated is a program before and after a fault was planted.
type mutated struct {
	model       *Model
	right, left *model.Program
	weights     *weights
	fault       string
	kernel      int // -1: the program
}

// mutate plants a fault in a model whose tasks are scheduled.
func mutate(r *rand.Rand, m *Model) (*mutated, error) {
	right, w, err := m.program("m", target.Generic(32, 2))
	if err != nil {
		return nil, err
	}
	left, _, err := m.program("m", target.Generic(32, 2))
	if err != nil {
		return nil, err
	}
	if len(right.Kernels) == 0 {
		return nil, nil
	}
	if r.IntN(len(faults)+1) == 0 {
		if stale(r, left, m.layout.jobs) {
			return &mutated{m, right, left, w, "stale buffer", -1}, nil
		}
	}
	k := r.IntN(len(left.Kernels))
	way := faults[r.IntN(len(faults))]
	f := way.plant(r, left.Kernels[k])
	if f == nil || tir.Check(f) != nil {
		return nil, nil
	}
	left.Kernels[k] = f
	return &mutated{m, right, left, w, fmt.Sprintf("%s in kernel %d\n%s", way.name, k, f), k}, nil
}

// open builds a program into a folder and loads it.
func (b *bundles) open(ctx context.Context, p *model.Program, w *weights, dir string) (*model.Loaded, error) {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return nil, err
	}
	var err error
	if p.Weights > 0 {
		if p.WeightsHash, err = w.write(ctx, b.machine, filepath.Join(dir, "m.weights")); err != nil {
			return nil, err
		}
	}
	built, err := model.Build(ctx, b.machine.Compiler(), p, b.machine.Target(), model.Options{Cache: b.cache})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "m.so"), built.Shared, 0o777); err != nil {
		return nil, err
	}
	return b.machine.load(ctx, loadConfig(dir, p, 2, false))
}

// fate says what became of a mutant.
type fate string

const (
	none       fate = "none"       // there was no place for the fault, or it does not compile
	killed     fate = "killed"     // the judge refuses it, or it crashes
	equivalent fate = "equivalent" // all that its kernels make is the same, but for the last bits
	survives   fate = "survives"
)

// mutantInputs is how many sets of inputs show whether a mutant is equivalent; the judge has the first mostDraws.
const mutantInputs = 2 * mostDraws

// judgeMutant plants a fault in a graph and judges what comes out.
func (b *bundles) judgeMutant(ctx context.Context, r *rand.Rand, g *graph.Graph, seed uint64) (f fate, text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	m, err := New(ctx, g, pass.Options{})
	if err != nil {
		return none, "", err
	}
	if err := b.schedules(ctx, m); err != nil {
		return none, "", err
	}
	x, err := mutate(r, m)
	if err != nil || x == nil {
		return none, "", err
	}
	dir, err := os.MkdirTemp(b.dir, "mutant")
	if err != nil {
		return none, "", err
	}
	defer os.RemoveAll(dir)
	left, err := b.open(ctx, x.left, x.weights, filepath.Join(dir, "left"))
	if err != nil {
		return none, "", nil // no such kernel can be compiled
	}
	defer left.Close()
	text = fmt.Sprintf("%s\n%s", x.fault, m.Graph)
	for k := range uint64(mostDraws) {
		list := drawInputs(g, m.bounds, seed+k<<40)
		if err := newJudge(m, x.left).run(ctx, left, list); err != nil {
			return killed, err.Error(), nil
		}
	}
	right, err := b.open(ctx, x.right, x.weights, filepath.Join(dir, "right"))
	if err != nil {
		return none, "", err
	}
	defer right.Close()
	for k := range uint64(mutantInputs) {
		list := drawInputs(g, m.bounds, seed+k<<40)
		same, err := sameKernels(ctx, m, x, left, right, list)
		if err != nil {
			return killed, text, nil
		}
		if !same && x.sameInFloat64(r) {
			return equivalent, text, nil // it adds in another order
		}
		if !same {
			return survives, fmt.Sprintf("inputs %d: %s", k, text), nil
		}
	}
	return equivalent, text, nil
}

// sameInFloat64 reports whether the kernel before and after the fault is the same function of floats, but for rounding:
// the interpreter runs both with float64 in the place of float32.
func (x *mutated) sameInFloat64(r *rand.Rand) bool {
	if x.kernel < 0 {
		return false
	}
	var made [2][][]byte
	inputs := map[string][]byte{}
	for k, p := range []*model.Program{x.right, x.left} {
		f := wide(p.Kernels[x.kernel])
		var args []*interp.Tensor
		for i, b := range f.Params {
			if b.Type != tir.F64 {
				return false
			}
			data := make([]byte, b.Bytes())
			if i < len(f.Params)-f.Outputs {
				if inputs[b.Name] == nil {
					inputs[b.Name] = randomTensor(tir.F64, []int64{b.Elems()}, 0, r).Const().Data
				}
				data = inputs[b.Name]
			} else {
				made[k] = append(made[k], data)
			}
			args = append(args, &interp.Tensor{Type: b.Type, Data: data})
		}
		if interp.Run(f, args, interp.Options{}) != nil {
			return false
		}
	}
	for i := range made[0] {
		shape := []int64{int64(len(made[0][i]) / 8)}
		of := func(k int) *graph.Tensor {
			return (&graph.Const{Type: tir.F64, Shape: shape, Data: made[k][i]}).Tensor()
		}
		if d, err := compare("y", of(1), of(0)); err != nil || d.Wrong > 0 || d.Relative > 1e-12 {
			return false
		}
	}
	return true
}

// wide returns f with float64 in the place of float32.
func wide(f *tir.Func) *tir.Func {
	buffers := map[*tir.Buffer]*tir.Buffer{}
	of := func(b *tir.Buffer) *tir.Buffer {
		if buffers[b] == nil {
			c := *b
			if c.Type == tir.F32 {
				c.Type = tir.F64
			}
			buffers[b], buffers[&c] = &c, &c
		}
		return buffers[b]
	}
	g := *f
	g.Params = nil
	for _, b := range f.Params {
		g.Params = append(g.Params, of(b))
	}
	g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		switch s := s.(type) {
		case *tir.Store:
			c := *s
			c.Buffer = of(s.Buffer)
			return &c
		case *tir.Alloc:
			return &tir.Alloc{Buffer: of(s.Buffer), Body: s.Body}
		}
		return s
	}, func(e tir.Expr) tir.Expr {
		return tir.MapExpr(e, func(e tir.Expr) tir.Expr {
			switch e := e.(type) {
			case *tir.Load:
				return &tir.Load{Buffer: of(e.Buffer), Index: e.Index}
			case *tir.FloatImm:
				if e.Type == tir.F32 {
					return tir.Float(tir.F64, e.Value)
				}
			case *tir.Cast:
				if e.To == tir.F32 {
					return &tir.Cast{X: e.X, To: tir.F64}
				}
			}
			return e
		})
	})
	return &g
}

// sameKernels reports whether the kernels of two bundles make the same, but for the last bits.
func sameKernels(ctx context.Context, m *Model, x *mutated, left, right *model.Loaded, inputs []*graph.Tensor) (bool, error) {
	var made [][][]byte
	judge := newJudge(m, x.right)
	for _, l := range []*model.Loaded{right, left} {
		for i, t := range inputs {
			copy(l.Input(i), t.Const().Data)
		}
		var all [][]byte
		_, err := l.Watch(ctx, judge.taps, mostIterations, func(call int, data [][]byte) error {
			for _, v := range m.layout.jobs[call].outputs {
				if i := slices.Index(judge.values[call], v); v != nil && i >= 0 {
					all = append(all, data[i])
				}
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		made = append(made, all)
	}
	if len(made[0]) != len(made[1]) {
		return false, nil
	}
	for i, a := range made[0] {
		if bytes.Equal(a, made[1][i]) {
			continue
		}
		if len(a)%4 != 0 {
			return false, nil
		}
		shape := []int64{int64(len(a) / 4)}
		p := (&graph.Const{Type: tir.F32, Shape: shape, Data: a}).Tensor()
		q := (&graph.Const{Type: tir.F32, Shape: shape, Data: made[1][i]}).Tensor()
		for k := range p.F {
			if !(math.Abs(p.F[k]-q.F[k]) <= 4*0x1p-24*math.Abs(p.F[k])) {
				return false, nil
			}
		}
	}
	return true, nil
}

// schedules gives each task of a model a plain schedule.
func (b *bundles) schedules(ctx context.Context, m *Model) error {
	s := &scheduler{machine: b.machine}
	for _, t := range m.Tasks {
		how := s.plain
		if t.DAG == nil {
			how = func(t *Task) error { return s.task(ctx, t) }
		}
		if err := how(t); err != nil {
			return err
		}
	}
	return nil
}

// mutantModels are models of which every third mutant is made.
var mutantModels = []func() *graph.Graph{
	model18("input x: float32[1, 8, 12, 12]\nconst w: float32[16, 8, 3, 3]\nconst b: float32[16]\n" +
		"c = Conv(x, w, b) pads=[1, 1, 1, 1]\nr = Relu(c)\ny = MaxPool(r) kernel_shape=[2, 2] strides=[2, 2]\noutput y"),
	model18("input x: float32[1, 16, 9, 9]\nconst w: float32[16, 1, 3, 3]\nc = Conv(x, w) group=16 strides=[2, 2]\n" +
		"p = GlobalAveragePool(c)\ny = Sigmoid(p)\noutput y"),
	model18("input x: float32[1, 32, 16, 16]\nconst w: float32[32, 32, 3, 3]\ny = Conv(x, w) pads=[1, 1, 1, 1]\noutput y"),
	model18("input q: float32[2, 10, 16]\ninput k: float32[2, 10, 16]\ninput v: float32[2, 10, 16]\n" +
		"const c: float32[] {0.25}\nt = Transpose(k) perm=[0, 2, 1]\ns = MatMul(q, t)\nm = Mul(s, c)\np = Softmax(m)\n" +
		"y = MatMul(p, v)\noutput y"),
	model18("input x: float32[6, 40]\nconst s: float32[40]\nconst b: float32[40]\nconst w: float32[40, 24]\n" +
		"n = LayerNormalization(x, s, b)\nm = MatMul(n, w)\ne = Erf(m)\ny = Mul(m, e)\noutput y"),
	model18("input x: float32[9, 30]\nconst w: float32[30, 20]\nconst a: float32[] {0.05}\nconst z: uint8[] {128}\n" +
		"m = MatMul(x, w)\nq = QuantizeLinear(m, a, z)\nd = DequantizeLinear(q, a, z)\ny = ReduceMax(d)\noutput d\noutput y"),
	model18("input x: float32[7, 1, 5]\nconst w: float32[1, 24, 5]\nconst r: float32[1, 24, 6]\nconst b: float32[1, 48]\n" +
		"y, h, c = LSTM(x, w, r, b) hidden_size=6\noutput y\noutput c"),
	model18("input x: float32[3, 20]\nconst k: int64[1] {4}\nv, i = TopK(x, k)\ng = GatherElements(x, i) axis=1\n" +
		"const a: int64[] {1}\nc = CumSum(x, a)\noutput g\noutput c"),
	model18("input x: float32[1, 3, 7, 7]\nconst w: float32[3, 4, 3, 3]\nt = ConvTranspose(x, w) strides=[2, 2]\n" +
		"const s: float32[4] {1}\nconst b: float32[4]\ny = InstanceNormalization(t, s, b)\noutput y"),
	updatingIf, updatingLoop,
}

func model18(text string) func() *graph.Graph {
	return func() *graph.Graph { return graphtest.MustParse(text, 18) }
}

// TestMutants: the judge finds each fault that is planted in a kernel and changes what that makes.
func TestMutants(t *testing.T) {
	b := needBundles(t)
	fates := make(chan fate, *mutantCount)
	var g errgroup.Group
	g.SetLimit(2)
	for i := range *mutantCount {
		seed := *fuzzSeed + uint64(i)
		g.Go(func() error {
			for try := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, try))
				d, err := Draw(seed*31+try, 1+r.IntN(12))
				if err != nil {
					t.Error(err)
					return nil
				}
				if i%3 == 0 {
					d.Graph = mutantModels[i/3%len(mutantModels)]()
				}
				f, text, err := b.judgeMutant(t.Context(), r, d.Graph, seed)
				if f == survives || err != nil {
					t.Errorf("seed %d, try %d: %v %s %s", seed, try, err, f, text)
				}
				if f != none || err != nil {
					fates <- f
					return nil
				}
			}
			return errors.New("no mutant")
		})
	}
	_ = g.Wait()
	close(fates)
	counts := map[fate]int{}
	for f := range fates {
		counts[f]++
	}
	t.Logf("%v", counts)
	if counts[killed] < *mutantCount/2 {
		t.Errorf("of %d mutants %v", *mutantCount, counts)
	}
}

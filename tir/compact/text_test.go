package compact_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// TestGolden prints states. A case in text.txt is a line "# what it shows", a line
// "dag NAME NUMBERS..." (tirtest.Named), a line with the steps, and the text.
func TestGolden(t *testing.T) {
	const path = "testdata/text.txt"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, block := range strings.Split("\n"+string(data), "\n# ")[1:] {
		parts := append(strings.SplitN(block, "\n", 4), "", "", "")
		got := compact.Text(plain(t, strings.TrimPrefix(parts[1], "dag "), parts[2]))
		if want := strings.TrimRight(parts[3], "\n") + "\n"; got != want && !*update {
			t.Errorf("%s: got\n%swant\n%s", parts[0], got, want)
		}
		if i > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(&out, "# %s\n%s\n%s\n%s", parts[0], parts[1], parts[2], got)
	}
	if *update {
		if err := os.WriteFile(path, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func plain(t *testing.T, dag, steps string) *tir.Func {
	t.Helper()
	d, err := tirtest.Named(dag)
	if err != nil {
		t.Fatal(err)
	}
	list, err := schedule.ParseSteps([]byte(steps))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, list)
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Plain(s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestIdentifies prints all prefixes of random step lists: two programs have one
// text exactly if they differ in names only.
func TestIdentifies(t *testing.T) {
	byText, byHash := map[string][16]byte{}, map[[16]byte]string{}
	programs := 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		_, d := tirtest.RandomDAG(r)
		for range 3 {
			steps := tirtest.RandomSteps(r, d, 8)
			if seed%3 == 0 {
				steps = tirtest.RandomGPUSteps(r, d, 8)
			}
			for n := range len(steps) + 1 {
				s, err := schedule.Replay(d, steps[:n])
				if err != nil {
					t.Fatal(err)
				}
				f, err := lower.Plain(s)
				if err != nil {
					t.Fatal(err)
				}
				programs++
				text, hash := compact.Text(f), bare(f).Hash()
				if old, ok := byText[text]; ok && old != hash {
					t.Fatalf("seed %d: two programs have the text\n%s", seed, text)
				}
				if old, ok := byHash[hash]; ok && old != text {
					t.Fatalf("seed %d: one program has two texts\n%s\n%s", seed, old, text)
				}
				byText[text], byHash[hash] = hash, text
			}
		}
	}
	if len(byText) < 200 || len(byText) == programs {
		t.Errorf("%d texts of %d programs show nothing", len(byText), programs)
	}
}

// bare returns f without what the text leaves out: blocks, loops of one iteration that
// are bound to threads, and where an allocation ends.
func bare(f *tir.Func) *tir.Func {
	g := *f
	g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		switch s := s.(type) {
		case *tir.Block:
			return s.Body
		case *tir.For:
			if n, ok := s.Extent.(*tir.IntImm); ok && n.Value == 1 {
				return s.Body
			}
		case *tir.Seq:
			return widened(tir.Sequence(s.Stmts...))
		}
		return s
	}, nil)
	return &g
}

// widened has what is allocated in the middle of a sequence live until its end.
func widened(s tir.Stmt) tir.Stmt {
	seq, ok := s.(*tir.Seq)
	if !ok {
		return s
	}
	for i, t := range seq.Stmts[:len(seq.Stmts)-1] {
		if a, ok := t.(*tir.Alloc); ok {
			body := tir.Sequence(slices.Insert(slices.Clone(seq.Stmts[i+1:]), 0, a.Body)...)
			return tir.Sequence(append(slices.Clone(seq.Stmts[:i]), &tir.Alloc{Buffer: a.Buffer, Body: widened(body)})...)
		}
	}
	return s
}

// TestNames renames everything.
func TestNames(t *testing.T) {
	f := plain(t, "matmul 64 64 32", `[["SP", 2, 0, 64, [8], 1], ["AN", 2, 0, 3]]`)
	g := *f
	g.Name = "other"
	g.Body = tir.MapStmt(f.Body, func(s tir.Stmt) tir.Stmt {
		if b, ok := s.(*tir.Block); ok {
			return &tir.Block{Name: b.Name + "x", Init: b.Init, Body: b.Body}
		}
		return s
	}, nil)
	h := &g
	h.Body = tir.FreshLoops(h.Body)
	if compact.Text(f) != compact.Text(h) {
		t.Errorf("names show:\n%s\n%s", compact.Text(f), compact.Text(h))
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 1: "1", 2: "2", 7: "7", 8: "2^3", 448: "2^6*7", 896: "2^7*7", 17: "17", 289: "17^2", 2310: "2*3*5*7*11",
		-3: "-3", 1000003: "1000003", 2 * 1000003: "2*1000003", 1 << 40: "2^40",
	} {
		f := &tir.Func{Params: []*tir.Buffer{{Name: "x", Type: tir.F32, Shape: []int64{n}}}, Outputs: 1, Body: &tir.Seq{}}
		if got := compact.Text(f); got != "out b0 f32["+want+"]\n" {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// TestExpressions: the text must say how operators nest.
func TestExpressions(t *testing.T) {
	x, y := tir.NewVar("x"), tir.NewVar("y")
	bin := tir.Bin
	for _, c := range []struct {
		e    tir.Expr
		want string
	}{
		{bin(tir.Add, bin(tir.Add, x, y), x), "l0+l1+l0"},
		{bin(tir.Add, x, bin(tir.Add, y, x)), "l0+(l1+l0)"},
		{bin(tir.Sub, x, bin(tir.Sub, y, x)), "l0-(l1-l0)"},
		{bin(tir.Mul, bin(tir.Add, x, y), tir.Int(12)), "(l0+l1)*2^2*3"},
		{bin(tir.Add, bin(tir.Shr, x, tir.Int(12)), tir.Int(1)), "shr(l0,2^2*3)+1"},
		{bin(tir.FloorDiv, x, tir.Int(12)), "l0//(2^2*3)"},
		{bin(tir.FloorMod, bin(tir.FloorDiv, x, tir.Int(12)), tir.Int(4)), "l0//(2^2*3)%2^2"},
		{bin(tir.Add, x, tir.Int(-1)), "l0+(-1)"},
		{bin(tir.And, bin(tir.Or, bin(tir.LT, x, y), bin(tir.GE, x, tir.Int(0))), bin(tir.EQ, x, y)), "(l0<l1|l0>=0)&l0==l1"},
		{bin(tir.LT, bin(tir.LT, x, y), bin(tir.LT, y, x)), "l0<l1<(l1<l0)"},
		{&tir.Select{Cond: &tir.Not{X: bin(tir.NE, x, y)}, Then: x, Else: y, Lazy: true}, "if(not(l0!=l1),l0,l1)"},
		{&tir.Cast{X: bin(tir.Min, x, y), To: tir.F32}, "f32(min(l0,l1))"},
		{bin(tir.Div, tir.Float(tir.F32, 6), tir.Float(tir.F32, float64(float32(11.3137)))), "6.0/11.3137"},
		{&tir.IntImm{Value: 8, Type: tir.I32}, "i32(8)"},
	} {
		out := &tir.Buffer{Name: "o", Type: tir.F32, Shape: []int64{4}}
		body := tir.Stmt(&tir.Store{Buffer: out, Index: []tir.Expr{x}, Value: c.e})
		body = &tir.For{Var: x, Extent: tir.Int(4), Body: &tir.For{Var: y, Extent: tir.Int(4), Body: body}}
		text := compact.Text(&tir.Func{Params: []*tir.Buffer{out}, Outputs: 1, Body: body})
		lines := strings.Split(strings.TrimSpace(text), "\n")
		_, got, _ := strings.Cut(lines[len(lines)-1], "]=")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.e, got, c.want)
		}
	}
}

// BenchmarkAppend prints a tiled matmul.
func BenchmarkAppend(b *testing.B) {
	d, err := tirtest.Named("matmul 64 64 32")
	if err != nil {
		b.Fatal(err)
	}
	f, err := lower.Plain(schedule.New(d))
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	for b.Loop() {
		buf = compact.Append(buf[:0], f)
	}
}

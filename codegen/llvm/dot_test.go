package llvm_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// TestWriters: each row of the table has a writer, but for an accelerator's (codegen/vdla).
func TestWriters(t *testing.T) {
	for _, i := range tir.Instructions() {
		if i.Scopes[0] == "" && !llvm.HasWriter(i.Name) {
			t.Errorf("instruction %s has no writer", i.Name)
		}
	}
}

// grouped lowers a sum of products of elements of types, whose steps lie in groups, for a processor with a feature and
// vectors of 32 bytes.
func grouped(t *testing.T, x, y, sum string, depth int, feature string) *tir.Func {
	t.Helper()
	return groupedFor(t, x, y, sum, depth, feature, 32)
}

func groupedFor(t *testing.T, x, y, sum string, depth int, feature string, vector int) *tir.Func {
	t.Helper()
	d, err := compute.Parse(fmt.Sprintf("input x: %[1]s[3, %[4]d]\ninput w: %[2]s[5, 21, %[5]d]\n"+
		"y(i: 3, j: 21) = sum(k: 5, g: %[5]d) %[3]s(x[i, k*%[5]d + g])*%[3]s(w[k, j, g])\noutput y\n", x, y, sum, 5*depth, depth))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schedule.ParseSteps([]byte(`[["RE", 2, [0, 2, 1, 3]], ["AN", 2, 2, 2], ["AN", 2, 3, 11]]`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Replay(d, steps)
	if err != nil {
		t.Fatal(err)
	}
	tg := target.Generic(vector, 1)
	tg.Features = []string{feature}
	f, err := lower.Lower(s, lower.Config{Target: tg, Layout: target.Rewrite, Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestInvented adds an instruction that no processor has: a row and a writer. Nothing else is needed for programs to
// have it, to be interpreted and checked, and to be written.
func TestInvented(t *testing.T) {
	row := tir.Instructions()[0]
	defer func(was tir.Instruction) { *row = was }(*row)
	*row = tir.Instruction{Name: "invented", Rows: 1, Cols: 8, Depth: 2, A: tir.U16, B: tir.I16, C: tir.I32, Wraps: true,
		Needs: []string{"invention"}, Rates: []tir.Rate{{Rate: 3}}}
	defer llvm.Write("invented", func(pure func(string) string, n int64, sums, a, b string) string {
		op := func(opcode, x, y string) string { return pure(fmt.Sprintf("%s <%d x i32> %s, %s", opcode, n, x, y)) }
		of := func(bits int) string {
			return fmt.Sprintf("splat (i32 %d)", bits)
		}
		low := op("mul", op("and", a, of(0xFFFF)), op("ashr", op("shl", b, of(16)), of(16)))
		return op("add", op("add", sums, low), op("mul", op("lshr", a, of(16)), op("ashr", b, of(16))))
	})()
	f := grouped(t, "uint16", "int16", "int32", 2, "invention")
	if !strings.Contains(f.String(), "tensorize g in 2 by invented:") {
		t.Errorf("the invented instruction is not in\n%s", f)
	}
	x := newExecutor(t)
	if ir := string(emit(t, f, x.host(32))); !strings.Contains(ir, "ashr <8 x i32>") {
		t.Errorf("it is not written in\n%s", ir)
	}
	x.compare(f) // with vectors of other lengths, too, which it does not fill
	if f := grouped(t, "uint16", "int16", "int32", 2, "avx2"); strings.Contains(f.String(), "invented") {
		t.Errorf("a processor without it has\n%s", f)
	}
}

// TestDotText: what the rows are written as.
func TestDotText(t *testing.T) {
	for _, c := range []struct {
		x, y, sum string
		depth     int
		feature   string
		want      string
	}{
		{"uint8", "int8", "int32", 4, "avxvnni", "call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32>"},
		{"int8", "uint8", "int32", 4, "avxvnni", "call <8 x i32> @llvm.x86.avx512.vpdpbusd.256(<8 x i32>"},
		{"uint8", "int8", "int32", 2, "avx2", "call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>"},
	} {
		f := grouped(t, c.x, c.y, c.sum, c.depth, c.feature)
		tg := target.Generic(32, 1)
		tg.Features = []string{c.feature}
		if ir := string(emit(t, f, tg)); !strings.Contains(ir, c.want) || strings.Contains(ir, "pmadd.ub.sw") {
			t.Errorf("%s by %s with %s: no %s in\n%s", c.x, c.y, c.feature, c.want, ir)
		}
	}
}

// TestNEONDots: the rows of NEON become one instruction each. No machine that runs them is at hand.
func TestNEONDots(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	for _, c := range []struct {
		x, y, sum string
		depth     int
		feature   string
		want      string
	}{
		{"uint8", "int8", "int32", 4, "i8mm", "\tusdot\tv"},
		{"int8", "uint8", "int32", 4, "i8mm", "\tusdot\tv"},
		{"int8", "int8", "int32", 4, "dotprod", "\tsdot\tv"},
		{"uint8", "uint8", "int32", 4, "dotprod", "\tudot\tv"},
		{"bfloat16", "bfloat16", "float32", 2, "bf16", "\tbfdot\tv"},
	} {
		f := groupedFor(t, c.x, c.y, c.sum, c.depth, c.feature, 16)
		tg := target.Generic(16, 1)
		tg.Features = []string{c.feature}
		ir := emit(t, f, tg)
		asm, err := b.Compile(t.Context(), ir, build.Options{Form: build.Assembly, Triple: "aarch64-unknown-linux-gnu",
			CPU: "generic", Features: []string{"neon", c.feature}})
		if err != nil || !strings.Contains(string(asm), c.want) {
			t.Errorf("%s by %s with %s: %v, no %q in\n%s\n%s", c.x, c.y, c.feature, err, c.want, ir, asm)
		}
	}
}

// TestNoInstruction: each precondition of an instruction. Without it there are loops.
func TestNoInstruction(t *testing.T) {
	const steps = `[["RE", 2, [0, 2, 1, 3]], ["AN", 2, 2, 2], ["AN", 2, 3, 11]]`
	for _, c := range []struct{ why, text, steps string }{
		{"weights do not lie in groups", "input x: uint8[3, 20]\ninput w: int8[4, 5, 21]\n" +
			"y(i: 3, j: 21) = sum(k: 5, g: 4) int32(x[i, k*4 + g])*int32(w[g, k, j])\noutput y\n", steps},
		{"elements that lanes share are apart", "input x: uint8[4, 5, 3]\ninput w: int8[5, 21, 4]\n" +
			"y(i: 3, j: 21) = sum(k: 5, g: 4) int32(x[g, k, i])*int32(w[k, j, g])\noutput y\n", steps},
		{"lanes are not one group behind the other", "input x: uint8[3, 20]\ninput w: int8[5, 42, 4]\n" +
			"y(i: 3, j: 21) = sum(k: 5, g: 4) int32(x[i, k*4 + g])*int32(w[k, j*2, g])\noutput y\n", steps},
		{"padding differs among the steps", "input x: uint8[3, 20]\ninput w: int8[5, 21, 4]\n" +
			"p(i: 3, k: 20) = if_then_else(k < 17, x[i, k], uint8(3))\n" +
			"y(i: 3, j: 21) = sum(k: 5, g: 4) int32(p[i, k*4 + g])*int32(w[k, j, g])\noutput y\n",
			`[["CI", 1], ["RE", 3, [0, 2, 1, 3]], ["AN", 3, 2, 2], ["AN", 3, 3, 11]]`},
		{"no loop is a vector", "input x: uint8[3, 20]\ninput w: int8[5, 21, 4]\n" +
			"y(i: 3, j: 21) = sum(k: 5, g: 4) int32(x[i, k*4 + g])*int32(w[k, j, g])\noutput y\n", `[["RE", 2, [0, 2, 1, 3]], ["AN", 2, 3, 11]]`},
	} {
		d, err := compute.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		list, err := schedule.ParseSteps([]byte(c.steps))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(d, list)
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		tg := target.Generic(32, 1)
		tg.Features = []string{"avx2", "avxvnni"}
		f, err := lower.Lower(s, lower.Config{Target: tg, Layout: target.Keep, Check: lower.CheckEach})
		if err != nil {
			t.Fatalf("%s: %v", c.why, err)
		}
		if strings.Contains(f.String(), " by v") {
			t.Errorf("%s: an instruction in\n%s", c.why, f)
		}
	}
}

// TestInterleaved: an operand that is no constant is copied in groups by shuffles of vectors, if its rows are the
// steps, and group by group, if its columns are.
func TestInterleaved(t *testing.T) {
	for _, c := range []struct{ shape, at, want string }{
		{"64, 512", "w[k, j]", "store <64 x i8>"},
		{"512, 64", "w[j, k]", "store <4 x i8>"},
	} {
		d, err := compute.Parse("input x: uint8[64, 64]\ninput w: int8[" + c.shape + "]\n" +
			"y(i: 64, j: 512) = sum(k: 64) int32(x[i, k])*int32(" + c.at + ")\noutput y\n")
		if err != nil {
			t.Fatal(err)
		}
		steps, err := schedule.ParseSteps([]byte(`[["SP", 2, 1, 512, [16], 1], ["SP", 2, 3, 64, [4], 1], ["RE", 2, [0, 1, 3, 2, 4]],` +
			` ["AN", 2, 3, 2], ["AN", 2, 4, 11]]`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		tg := target.Generic(32, 1)
		tg.Features = []string{"avx2", "avxvnni"}
		f, err := lower.Lower(s, lower.Config{Target: tg, Layout: target.Rewrite, Check: lower.CheckEach})
		if err != nil {
			t.Fatal(err)
		}
		if ir := string(emit(t, f, tg)); !strings.Contains(ir, c.want) || !strings.Contains(ir, "vpdpbusd.256") {
			t.Errorf("%s: no %s in\n%s", c.at, c.want, ir)
		}
	}
}

// TestPaddedGroups: where an image is padded, the pointer to its elements is chosen before the steps along its last
// dimension; if that is long, for each group.
func TestPaddedGroups(t *testing.T) {
	for k, want := range map[int]string{
		32:      `(%\S+) = select i1 .*, ptr @wmtune\.padding\.i8\.3\.32, ptr %\S+\n`,
		1 << 14: `(%\S+) = select i1 .*, ptr @wmtune\.padding\.i8\.3\.16384, ptr %\S+\n`,
		1 << 15: `(%\S+) = select i1 .*, ptr @wmtune\.padding\.i8\.3\.4, ptr %\S+\n`,
	} {
		d, err := compute.Parse(fmt.Sprintf("input x: uint8[4, %[1]d]\ninput w: int8[%[1]d, 8]\n"+
			"p(i: 6, k: %[1]d) = if_then_else(i >= 1 && i < 5, x[i - 1, k], 3)\n"+
			"y(i: 6, j: 8) = sum(k: %[1]d) int32(p[i, k])*int32(w[k, j]) layout_free w\noutput y\n", k))
		if err != nil {
			t.Fatal(err)
		}
		steps, err := schedule.ParseSteps([]byte(fmt.Sprintf(`[["CI", 1], ["SP", 3, 2, %d, [4], 1], ["RE", 3, [0, 2, 1, 3]],`+
			` ["AN", 3, 2, 2], ["AN", 3, 3, 11]]`, k)))
		if err != nil {
			t.Fatal(err)
		}
		s, err := schedule.Replay(d, steps)
		if err != nil {
			t.Fatal(err)
		}
		tg := target.Generic(32, 1)
		tg.Features = []string{"avx2", "avxvnni"}
		f, err := lower.Lower(s, lower.Config{Target: tg, Layout: target.Rewrite, Check: lower.CheckEach})
		if err != nil {
			t.Fatal(err)
		}
		ir := string(emit(t, f, tg))
		chosen := regexp.MustCompile(want).FindStringSubmatch(ir)
		if chosen == nil {
			t.Fatalf("a sum of %d: no %s in\n%s", k, want, ir)
		}
		if before := strings.Contains(ir, "getelementptr i8, ptr "+chosen[1]+", i64"); before != (k <= 1<<14) {
			t.Errorf("a sum of %d: chosen before the steps is %v:\n%s", k, before, ir)
		}
	}
}

package sketch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// sketched returns the sketches of a DAG, and in how many of them instructions compute a stage.
func sketched(t *testing.T, text string, tg target.Target) (list []*schedule.State, tensorized int) {
	t.Helper()
	d, err := compute.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	list, err = Generate(context.Background(), CPU, d, tg)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if slices.ContainsFunc(s.Stages, (*schedule.Stage).ByInstruction) {
			tensorized++
		}
	}
	return list, tensorized
}

const quantized = "input x: uint8[8, 64]\ninput w: int8[64, 32]\n" +
	"y(i: 8, j: 32) = sum(k: 64) int32(x[i, k])*int32(w[k, j]) layout_free w\n"

// TestInstructionSketches: a product that an instruction makes has sketches with it, in its reader or beside it, before
// those that it has without; what only moves or pads elements goes into it, and what computes them does not.
func TestInstructionSketches(t *testing.T) {
	tg := target.Generic(32, 2)
	tg.Features = []string{"avx2", "avxvnni"}
	for _, c := range []struct {
		what, text   string
		with, inline int
	}{
		{"a product", quantized + "output y\n", 1, 0},
		{"a product with its requantization", quantized +
			"z(i: 8, j: 32) = uint8(max(min(roundeven(float32(y[i, j])*0.25) + 3, 255), 0))\noutput z\n", 3, 0},
		{"an operand that is moved", "input x: uint8[9, 64]\ninput w: int8[64, 32]\nt(i: 8, k: 64) = x[i + 1, k]\n" +
			"y(i: 8, j: 32) = sum(k: 64) int32(t[i, k])*int32(w[k, j]) layout_free w\noutput y\n", 1, 1},
		{"an operand that is transposed", "input x: uint8[64, 8]\ninput w: int8[64, 32]\nt(i: 8, k: 64) = x[k, i]\n" +
			"y(i: 8, j: 32) = sum(k: 64) int32(t[i, k])*int32(w[k, j]) layout_free w\noutput y\n", 1, 0},
		{"an operand that is computed", "input x: int8[8, 64]\ninput w: int8[64, 32]\nt(i: 8, k: 64) = bitxor(uint8(x[i, k]), uint8(128))\n" +
			"y(i: 8, j: 32) = sum(k: 64) int32(t[i, k])*int32(w[k, j]) layout_free w\noutput y\n", 1, 0},
		{"an operand that is copied", strings.NewReplacer(" 8", " 64", "[8", "[64", " 32", " 64", " layout_free w", "").Replace(quantized) +
			"output y\n", 1, 0},
	} {
		list, n := sketched(t, c.text, tg)
		without := tg
		without.Features = []string{"fma"}
		plain, _ := sketched(t, c.text, without)
		inlined := 0
		for _, st := range list[0].Stages {
			if st.At == schedule.Inlined {
				inlined++
			}
		}
		if n != c.with || inlined != c.inline || !slices.EqualFunc(list[n:], plain, func(a, b *schedule.State) bool { return a.String() == b.String() }) {
			t.Errorf("%s: %d sketches, %d by instructions, %d without in all, %d inlined in\n%s", c.what, len(list), n, len(plain), inlined, list[0])
		}
		if !strings.Contains(list[0].String(), "vectorize j.3") || !strings.Contains(list[0].String(), "tensorize k.2") {
			t.Errorf("%s:\n%s", c.what, list[0])
		}
	}
}

// TestInstructionSketch: the text of a sketch with an instruction.
func TestInstructionSketch(t *testing.T) {
	tg := target.Generic(32, 2)
	tg.Features = []string{"avx2", "avxvnni"}
	list, _ := sketched(t, quantized+"output y\n", tg)
	const want = `Placeholder: x, w
for i.0 (None)
  for j.0 (None)
    for i.1 (None)
      for j.1 (None)
        for k.0 (None)
          for i.2 (None)
            for j.2 (None)
              for k.1 (None)
                for i.3 (None)
                  vectorize j.3 (None)
                    tensorize k.2 (0,4)
                      y = ...
`
	if got := list[0].String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFewColumns: columns that are no more than the lanes of the instruction stay in one piece.
func TestFewColumns(t *testing.T) {
	tg := target.Generic(32, 2)
	tg.Features = []string{"avx2", "avxvnni"}
	for columns, want := range map[int]string{5: "vectorize j.3 (0,5)", 8: "vectorize j.3 (0,8)", 9: "vectorize j.3 (None)"} {
		list, n := sketched(t, strings.ReplaceAll(quantized, " 32", fmt.Sprint(" ", columns))+"output y\n", tg)
		if n != 1 || !strings.Contains(list[0].String(), want) {
			t.Errorf("%d columns: %d sketches with an instruction, want 1 with %s:\n%s", columns, n, want, list[0])
		}
	}
}

// TestOddSums: an instruction makes sums of floats, too, whose last group is not whole.
func TestOddSums(t *testing.T) {
	tg := target.Generic(64, 2)
	tg.CPU, tg.Features = "znver5", []string{"avx512bf16"}
	for steps, want := range map[int]int{1: 0, 3: 1, 64: 1, 65: 1} {
		text := strings.NewReplacer("uint8", "bfloat16", "int8", "bfloat16", "int32", "float32", "64", fmt.Sprint(steps))
		if list, n := sketched(t, text.Replace(quantized)+"output y\n", tg); n != want {
			t.Errorf("%d steps: %d sketches with an instruction, want %d:\n%s", steps, n, want, list[0])
		}
	}
}

// TestFastestRow: of instructions with equal tiles there are sketches of the one that takes the least time, the first
// of several.
func TestFastestRow(t *testing.T) {
	tg := target.Generic(32, 2)
	tg.Features = []string{"avx2", "avxvnni"}
	for k, depth := range map[int]int64{2: 2, 3: 4, 5: 4, 6: 4, 64: 4} {
		list, n := sketched(t, strings.ReplaceAll(quantized, "64", fmt.Sprint(k))+"output y\n", tg)
		iters := list[0].Stages[2].Iters
		if n != 1 || iters[len(iters)-1].Extent != depth {
			t.Errorf("%d steps: %d sketches with an instruction, want 1 with groups of %d\n%s", k, n, depth, list[0])
		}
	}
}

// TestNoInstructionSketches: each precondition of the rule.
func TestNoInstructionSketches(t *testing.T) {
	const features = "avx2 avxvnni avx512bf16"
	for _, c := range []struct{ why, text, features string }{
		{"both operands are signed", strings.Replace(quantized, "uint8", "int8", 1), features},
		{"the processor has no instruction", quantized, "fma"},
		{"bfloat16 is slow there", "input x: bfloat16[8, 64]\ninput w: bfloat16[64, 32]\n" +
			"y(i: 8, j: 32) = sum(k: 64) float32(x[i, k])*float32(w[k, j]) layout_free w\n", features},
		{"the columns are fewer than an emitter writes", strings.NewReplacer(" 32", " 3").Replace(quantized), features},
		{"one step of a sum would be four", strings.ReplaceAll(quantized, "64", "1"), features},
		{"steps of the shared operand are apart", strings.NewReplacer("x: uint8[8, 64]", "x: uint8[64, 8]", "x[i, k]", "x[k, i]").Replace(quantized), features},
		{"each lane has two elements of its own", "input x: uint8[8, 64]\ninput w: int8[8, 64]\n" +
			"y(i: 8, j: 8) = sum(k: 64) int32(x[j, k])*int32(w[j, k]) layout_free w\n", features},
		{"columns are neither constant nor read often", strings.Replace(quantized, " layout_free w", "", 1), features},
		{"columns are read often, and seldom in all", strings.NewReplacer(" 8", " 64", "[8", "[64", " 32", " 16", " layout_free w", "").Replace(quantized), features},
		{"the sum begins elsewhere", strings.Replace(quantized, "sum(k", "max(k", 1), features},
	} {
		tg := target.Generic(32, 2)
		tg.Features = strings.Fields(c.features)
		if list, n := sketched(t, c.text+"output y\n", tg); n > 0 {
			t.Errorf("%s:\n%s", c.why, list[0])
		}
	}
	d, err := compute.Parse(quantized + "output y\n")
	if err != nil {
		t.Fatal(err)
	}
	s := schedule.New(d)
	if _, err := s.Apply(schedule.Annotate{At: 2, Iter: 2, Ann: schedule.Tensorize}); err == nil ||
		!strings.Contains(err.Error(), "no instruction makes 64 steps at once of the sum of stage y") {
		t.Errorf("a sum of 64 steps by one instruction: %v", err)
	}
}

// TestPairSketches: products of 8-bit integers have sketches of pairs, four by four or eight in a row, on a processor
// that has them; those of one row have others.
func TestPairSketches(t *testing.T) {
	tg := target.Generic(16, 2)
	tg.Features = []string{"dotprod", "i8mm"}
	for _, c := range []struct {
		what, text string
		want       []string // loops of the product
	}{
		{"a product", quantized + "output y\n", []string{"i.2 (0,4)", "j.2 (0,4)", "i.3 (0,2)", "vectorize j.3 (0,2)", "tensorize k.2 (0,8)"}},
		{"two rows", strings.NewReplacer("[8", "[2", "i: 8", "i: 2").Replace(quantized) + "output y\n", []string{"j.2 (0,8)"}},
		{"one row", strings.NewReplacer("[8", "[1", "i: 8", "i: 1").Replace(quantized) + "output y\n", []string{"tensorize k.2 (0,4)"}},
	} {
		list, n := sketched(t, c.text, tg)
		if n == 0 {
			t.Errorf("%s: no sketch by an instruction in\n%s", c.what, list[0])
		}
		for _, want := range c.want {
			if !strings.Contains(list[0].String(), want) {
				t.Errorf("%s: no %s in\n%s", c.what, want, list[0])
			}
		}
	}
}

// TestTileSketches: products that are worth tiles have sketches of these only; padded operands are computed before.
func TestTileSketches(t *testing.T) {
	tg := target.Generic(64, 2)
	tg.Features = []string{"amx-bf16", "amx-int8", "avx512bf16", "avx512vnni"}
	const image = "input x: uint8[14, 14, 64]\ninput w: int8[3, 3, 64, 32]\n" +
		"p(h: 16, v: 16, k: 64) = if_then_else(h >= 1 && h < 15 && v >= 1 && v < 15, x[h - 1, v - 1, k], uint8(3))\n" +
		"y(h: 14, v: 14, j: 32) = sum(a: 3, b: 3, k: 64) int32(p[h + a, v + b, k])*int32(w[a, b, k, j]) layout_free w\noutput y\n"
	for _, c := range []struct {
		what, text string
		sketches   int
		want       []string // loops of the product
	}{
		{"a product", quantized + "output y\n", 1, []string{"j.2 (0,2)", "k.1 (0,16)", "i.3 (0,8)", "vectorize j.3 (0,16)", "tensorize k.2 (0,4)"}},
		{"both operands are signed", strings.Replace(quantized, "uint8", "int8", 1) + "output y\n", 1, []string{"k.1 (0,16)"}},
		{"a product with a reader", quantized + "z(i: 8, j: 32) = max(y[i, j], 0)\noutput z\n", 3, []string{"z = "}},
		{"fewer steps in each of two tiles", strings.ReplaceAll(quantized, "64", "96") + "output y\n", 1, []string{"k.1 (0,12)"}},
		{"bfloat16", strings.NewReplacer("uint8", "bfloat16", "int8", "bfloat16", "int32", "float32").Replace(quantized) + "output y\n", 1,
			[]string{"k.1 (0,16)", "tensorize k.2 (0,2)"}},
		{"a padded image", image, 1, []string{"p = ", "v.3 (0,14)", "k.1 (0,16)"}},
		{"few rows", strings.NewReplacer("[8", "[2", "i: 8", "i: 2").Replace(quantized) + "output y\n", 4, []string{"k.1 (None)"}},
	} {
		list, n := sketched(t, c.text, tg)
		if n == 0 || len(list) != c.sketches {
			t.Errorf("%s: %d sketches, %d stages by instructions in\n%s", c.what, len(list), n, list[0])
		}
		for _, want := range c.want {
			if !strings.Contains(list[0].String(), want) {
				t.Errorf("%s: no %s in\n%s", c.what, want, list[0])
			}
		}
	}
}

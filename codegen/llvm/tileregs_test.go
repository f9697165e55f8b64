package llvm_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// sapphireRapids is a processor with tiles, which this machine need not be.
func sapphireRapids() target.Target {
	t := target.Generic(64, 2)
	t.CPU = "sapphirerapids"
	t.Features = []string{"amx-bf16", "amx-int8", "amx-tile", "avx512bf16", "avx512bw", "avx512f", "avx512vnni"}
	return t
}

// tiled lowers a product with a reader for a processor with tiles, in 2x2 tiles; in parallel.
func tiled(t *testing.T, x, w, sum, read string, m, n, k int64) *tir.Func {
	t.Helper()
	group := int64(4)
	if x == "bfloat16" {
		group = 2
	}
	return tiledFor(t, sapphireRapids(), [4]int64{2, 16, 16, group}, 16, x, w, sum, read, m, n, k)
}

// tiledFor is tiled for a target: in how many tiles in each direction, of how many rows, groups and steps, and
// columns.
func tiledFor(t *testing.T, on target.Target, tile [4]int64, cols int64, x, w, sum, read string, m, n, k int64) *tir.Func {
	t.Helper()
	d, err := compute.Parse(fmt.Sprintf("input x: %[4]s[%[1]d, %[3]d]\ninput w: %[5]s[%[3]d, %[2]d]\n"+
		"y(i: %[1]d, j: %[2]d) = sum(k: %[3]d) %[6]s(x[i, k])*%[6]s(w[k, j]) layout_free w\n"+
		"z(i: %[1]d, j: %[2]d) = %[7]s\noutput z\n", m, n, k, x, w, sum, read))
	if err != nil {
		t.Fatal(err)
	}
	split := func(iter int, extent int64, lengths ...int64) schedule.Step {
		return schedule.Split{At: 2, Iter: iter, Extent: extent, Lengths: lengths, InnerToOuter: true}
	}
	s, err := schedule.Replay(d, []schedule.Step{
		split(0, m, 1, tile[0], tile[1]), split(4, n, 1, tile[0], cols), split(8, k, tile[2], tile[3]),
		schedule.Reorder{At: 2, Order: []int{0, 4, 1, 5, 8, 2, 6, 9, 3, 7, 10}},
		schedule.Annotate{At: 2, Iter: 9, Ann: schedule.Vectorize}, schedule.Annotate{At: 2, Iter: 10, Ann: schedule.Tensorize},
		schedule.FollowSplit{At: 3, Iter: 0, Src: 0, Parts: 2}, schedule.FollowSplit{At: 3, Iter: 3, Src: 1, Parts: 2},
		schedule.Reorder{At: 3, Order: []int{0, 3, 1, 4, 2, 5}}, schedule.ComputeAt{At: 2, Target: 3, TargetIter: 3},
		schedule.Annotate{At: 3, Iter: 5, Ann: schedule.Vectorize}, schedule.Fuse{At: 3, Iters: []int{0, 1, 2, 3}},
		schedule.Annotate{At: 3, Iter: 0, Ann: schedule.Parallel},
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(s, lower.Config{Target: on, Layout: target.Rewrite, Check: lower.CheckEach})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const requantized = "uint8(max(min(roundeven(float32(y[i, j])*0.25) + 3, 255), 0))"

// TestTileAssembly: tiles stay in their registers, and are configured once in a function.
func TestTileAssembly(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	found := 0
	for _, c := range []struct {
		x, w, sum, read, product string
		m, n, k                  int64
	}{
		{"uint8", "int8", "int32", requantized, "tdpbusd", 128, 128, 768},
		{"uint8", "int8", "int32", requantized, "tdpbusd", 100, 72, 100},
		{"int8", "int8", "int32", requantized, "tdpbssd", 17, 57, 102},
		{"bfloat16", "bfloat16", "float32", "max(y[i, j], 0)", "tdpbf16ps", 64, 64, 768},
	} {
		f := tiled(t, c.x, c.w, c.sum, c.read, c.m, c.n, c.k)
		on := sapphireRapids()

		ir := emit(t, f, on)
		asm, err := b.Compile(context.Background(), ir, build.Options{Form: build.Assembly, CPU: on.CPU, Features: on.Features})
		if err != nil {
			t.Errorf("%v: %v\n%s", c, err, ir)
			continue
		}
		stored := regexp.MustCompile(`call void @llvm\.x86\.tilestored64`)
		if n, most := strings.Count(string(asm), "\ttilestored\t"), len(stored.FindAll(ir, -1)); n > most || n == 0 {
			t.Errorf("%s, %dx%dx%d: %d tiles are stored, not %d\n%s", c.product, c.m, c.n, c.k, n, most, asm)
		}
		for _, f := range strings.Split(string(asm), "\t.size\t") {
			if !strings.Contains(f, "\t"+c.product+"\t") {
				continue
			}
			if n := strings.Count(f, "ldtilecfg"); n != 1 || !strings.Contains(f, "tilerelease") || strings.Contains(f, "callq") {
				t.Errorf("%s: configures tiles %d times, or calls something\n%s", c.product, n, f)
			}
			found++
		}
	}
	if found < 4 {
		t.Errorf("%d functions have products of tiles", found)
	}
}

// TestPairAssembly: pairs of NEON stay in vectors over a sum, whose loop has the products of 4x4 tiles.
func TestPairAssembly(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	on := target.Generic(16, 2)
	on.Features = []string{"i8mm"}
	for _, c := range []struct {
		x, w, product string
		m, n, k       int64
	}{
		{"int8", "int8", "smmla", 64, 64, 512},
		{"uint8", "int8", "usmmla", 64, 64, 512},
		{"uint8", "uint8", "ummla", 64, 64, 512},
		{"int8", "int8", "smmla", 61, 59, 500},
	} {
		f := tiledFor(t, on, [4]int64{4, 2, 1, 8}, 2, c.x, c.w, "int32", requantized, c.m, c.n, c.k)
		ir := emit(t, f, on)
		asm, err := b.Compile(t.Context(), ir, build.Options{Form: build.Assembly, Triple: "aarch64-unknown-linux-gnu",
			CPU: "generic", Features: []string{"neon", "i8mm"}})
		if err != nil {
			t.Errorf("%v: %v\n%s", c, err, ir)
			continue
		}
		found := false
		for _, block := range regexp.MustCompile(`(?m)^\.L`).Split(string(asm), -1) {
			body, _, loop := strings.Cut(block, "\tb.ne\t")
			n := strings.Count(body, "\t"+c.product+"\t")
			found = found || loop && n > 0 && n%16 == 0 && !regexp.MustCompile(`\tst[rp]\t`).MatchString(body)
		}
		if !found {
			t.Errorf("%s, %dx%dx%d: no loop of 16 products that stores nothing in\n%s", c.product, c.m, c.n, c.k, asm)
		}
	}
}

// TestHalfAssembly: sums of float16 stay in vectors, in a loop of nothing but their multiply-adds and loads.
func TestHalfAssembly(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	rapids := sapphireRapids()
	rapids.Features = append([]string{"avx512fp16"}, rapids.Features...)
	slices.Sort(rapids.Features)
	arm := target.Generic(16, 2)
	arm.Features = []string{"fullfp16"}
	for _, c := range []struct {
		on      target.Target
		options build.Options
		width   int64
		product string
		m, n, k int64
	}{
		{rapids, build.Options{CPU: rapids.CPU, Features: rapids.Features}, 16, `\tvfmadd231ph\t.*%zmm`, 64, 128, 512},
		{rapids, build.Options{CPU: rapids.CPU, Features: rapids.Features}, 16, `\tvfmadd231ph\t.*%zmm`, 61, 117, 500},
		{arm, build.Options{Triple: "aarch64-unknown-linux-gnu", CPU: "generic", Features: []string{"fullfp16", "neon"}}, 4,
			`\tfmla\tv\d+\.8h, v\d+\.8h, v\d+\.8h`, 64, 64, 512},
	} {
		f := tiledFor(t, c.on, [4]int64{4, 1, 1, 2}, c.width, "float16", "float16", "float16", "max(float32(y[i, j]), 0)", c.m, c.n, c.k)
		ir := emit(t, f, c.on)
		c.options.Form = build.Assembly
		asm, err := b.Compile(t.Context(), ir, c.options)
		if err != nil {
			t.Errorf("%v\n%s", err, ir)
			continue
		}
		found := false
		for _, block := range regexp.MustCompile(`(?m)^\.L`).Split(string(asm), -1) {
			body, _, loop := strings.Cut(block, "\tb.ne\t")
			if !loop {
				body, _, loop = strings.Cut(block, "\tjne\t")
			}
			n := len(regexp.MustCompile(c.product).FindAllString(body, -1))
			found = found || loop && n > 0 && n%16 == 0 && !regexp.MustCompile(`\tst[rp]\t|, -?\d*\(%r[sb]p\)`).MatchString(body)
		}
		if !found {
			t.Errorf("%s, %dx%dx%d: no loop of 16 products that stores nothing in\n%s", c.on.CPU, c.m, c.n, c.k, asm)
		}
	}
}

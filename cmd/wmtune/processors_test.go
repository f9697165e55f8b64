package main

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/graph/compile"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/search/annotate"
	"github.com/wmtune/wmtune/search/sketch"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

// processors are the kinds of processors that code is generated for, wherever the
// test runs: what their code must hold and must not.
var processors = []struct {
	name      string
	target    target.Target
	triple    string
	machine   elf.Machine
	fma       *regexp.Regexp // on the widest vectors
	forbidden *regexp.Regexp
}{
	{"avx2", target.Target{Kind: target.LLVM, CPU: "haswell", Features: []string{"avx", "avx2", "f16c", "fma"},
		Hardware: target.Hardware{Cores: 2, VectorBytes: 32, VectorRegisters: 16, CacheLineBytes: 64}}, "",
		elf.EM_X86_64, regexp.MustCompile(`vfmadd\w+ps\t.*%ymm`), regexp.MustCompile(`%zmm`)},
	{"avx512", target.Target{Kind: target.LLVM, CPU: "skylake-avx512", Features: []string{"avx", "avx2", "avx512bw", "avx512dq", "avx512f", "avx512vl", "f16c", "fma"},
		Hardware: target.Hardware{Cores: 2, VectorBytes: 64, VectorRegisters: 32, CacheLineBytes: 64}}, "",
		elf.EM_X86_64, regexp.MustCompile(`vfmadd\w+ps\t.*%zmm`), nil},
	{"aarch64", target.Target{Kind: target.LLVM, CPU: "neoverse-n1", Features: []string{"neon"},
		Hardware: target.Hardware{Cores: 2, VectorBytes: 16, VectorRegisters: 32, CacheLineBytes: 64}}, "aarch64-unknown-linux-gnu",
		elf.EM_AARCH64, regexp.MustCompile(`fmla\tv\d+\.4s`), regexp.MustCompile(`%ymm`)},
}

// TestProcessors builds candidates of several operators for processors that this
// machine need not be, and looks at the instructions.
func TestProcessors(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	for _, p := range processors {
		t.Run(p.name, func(t *testing.T) {
			fused := 0
			for _, spec := range []string{"matmul:m=64,n=64,k=64", "conv2d:h=14,w=14,ci=32,co=32,k=3,s=1,p=1,epilogue=bias+relu", "softmax:m=16,n=64", "maxpool2d:h=14,w=14,c=32,k=3,s=2,p=1"} {
				for i := range 4 {
					asm, object := candidate(t, b, spec, i, p.target, p.triple)
					f, err := elf.NewFile(bytes.NewReader(object))
					if err != nil || f.Machine != p.machine {
						t.Fatalf("%s: not an object for %s: %v", spec, p.machine, err)
					}
					if p.forbidden != nil && p.forbidden.Match(asm) {
						t.Errorf("%s, candidate %d: holds %s", spec, i, p.forbidden)
					}
					if p.fma.Match(asm) {
						fused++
					}
				}
			}
			if fused < 2 {
				t.Errorf("%d of 16 candidates hold %s", fused, p.fma)
			}
		})
	}
}

// TestTileCandidates: candidates for a processor with tiles, which this machine need not be, multiply tiles.
func TestTileCandidates(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	on := target.Target{Kind: target.LLVM, CPU: "sapphirerapids",
		Features: []string{"amx-bf16", "amx-int8", "amx-tile", "avx", "avx2", "avx512bf16", "avx512bw", "avx512dq", "avx512f", "avx512vl", "avx512vnni", "f16c", "fma"},
		Hardware: target.Hardware{Cores: 2, VectorBytes: 64, VectorRegisters: 32, CacheLineBytes: 64}}
	for spec, product := range map[string]string{
		"matmul:m=128,n=96,k=100,dtype=i8,epilogue=requantize": "tdpbusd", "dense:m=100,n=72,k=256,dtype=bf16": "tdpbf16ps",
		"conv2d:h=14,w=14,ci=64,co=64,k=3,s=1,p=1,dtype=i8,epilogue=requantize": "tdpbusd",
	} {
		for i := range 6 {
			asm, _ := candidate(t, b, spec, i, on, "")
			if !bytes.Contains(asm, []byte("\t"+product+"\t")) {
				t.Errorf("%s: candidate %d has no %s", spec, i, product)
			}
		}
	}
}

// TestHalfCandidates: candidates for the products of a model, rounded by --precision f16, multiply and add float16 on
// processors that can, and those of a model of float16 without it do not.
func TestHalfCandidates(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	rapids := target.Target{Kind: target.LLVM, CPU: "sapphirerapids",
		Features: []string{"avx", "avx2", "avx512bf16", "avx512bw", "avx512dq", "avx512f", "avx512fp16", "avx512vl", "avx512vnni", "f16c", "fma"},
		Hardware: target.Hardware{Cores: 2, VectorBytes: 64, VectorRegisters: 32, CacheLineBytes: 64}}
	arm := target.Target{Kind: target.LLVM, CPU: "neoverse-n1", Features: []string{"fullfp16", "neon"},
		Hardware: target.Hardware{Cores: 2, VectorBytes: 16, VectorRegisters: 32, CacheLineBytes: 64}}
	const product = "input x: %[1]s[64, 96]\nconst w: %[1]s[96, 64]\na = MatMul(x, w)\ny = Relu(a)\noutput y"
	const conv = "input x: %[1]s[1, 32, 14, 14]\nconst w: %[1]s[32, 32, 3, 3]\na = Conv(x, w) pads=[1, 1, 1, 1]\ny = Relu(a)\noutput y"
	for _, c := range []struct {
		on        target.Target
		triple    string
		text      string
		precision string
		fma       string
	}{
		{rapids, "", product, "f16", `\tvfmadd\d+ph\t.*%zmm`}, {rapids, "", conv, "f16", `\tvfmadd\d+ph\t.*%zmm`},
		{arm, "aarch64-unknown-linux-gnu", product, "f16", `\tfmla\tv\d+\.8h`},
		{rapids, "", product, "", `ph\t.*%zmm\d+, %zmm\d+, %zmm`}, {arm, "aarch64-unknown-linux-gnu", product, "", `\tfmla\tv\d+\.8h`},
	} {
		typ := "float16"
		if c.precision != "" {
			typ = "float32"
		}
		m, err := compile.New(t.Context(), graphtest.MustParse(fmt.Sprintf(c.text, typ), 18), pass.Options{Precision: c.precision})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, task := range m.Tasks {
			if !strings.Contains(task.Text, "sum(") {
				continue
			}
			for i := range 4 {
				asm, _ := candidateOf(t, b, task.DAG, i, c.on, c.triple)
				if found++; regexp.MustCompile(c.fma).Match(asm) != (c.precision == "f16") {
					t.Errorf("%s, precision %q, %s: candidate %d has float16 products: %v\n%s", c.on.CPU, c.precision, task.Text, i, c.precision == "", asm)
				}
			}
		}
		if found == 0 {
			t.Errorf("no task is a product of\n%s", m.Graph)
		}
	}
}

// candidate builds one random candidate of a workload.
func candidate(t *testing.T, b *build.Builder, spec string, seed int, on target.Target, triple string) (asm, object []byte) {
	t.Helper()
	w, err := op.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return candidateOf(t, b, w.DAG, seed, on, triple)
}

func candidateOf(t *testing.T, b *build.Builder, d *compute.DAG, seed int, on target.Target, triple string) (asm, object []byte) {
	t.Helper()
	sketches, err := sketch.Generate(t.Context(), sketch.CPU, d, on)
	if err != nil {
		t.Fatal(err)
	}
	rng := annotate.Rand(1, 2, seed)
	state, err := annotate.New(annotate.CPU, on).Sample(sketches[seed%len(sketches)], rng)
	for tries := 0; err != nil && tries < 20; tries++ {
		state, err = annotate.New(annotate.CPU, on).Sample(sketches[seed%len(sketches)], rng)
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := lower.Lower(state, lower.Config{Target: on, Layout: target.Rewrite})
	if err != nil {
		t.Fatal(err)
	}
	var ir bytes.Buffer
	if err := llvm.Emit(&ir, f, on); err != nil {
		t.Fatal(err)
	}
	compile := func(form build.Form) []byte {
		out, err := b.Compile(context.Background(), ir.Bytes(), build.Options{Form: form, CPU: on.CPU, Features: on.Features, Triple: triple})
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", d, err))
		}
		return out
	}
	return compile(build.Assembly), compile(build.Object)
}

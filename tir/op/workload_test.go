package op

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir"
)

func TestParse(t *testing.T) {
	for spec, canonical := range map[string]string{
		"matmul:m=4,n=5,k=6":                             "",
		" matmul: k=6 , n=5,m=4,ta=0,dtype=float32,,":    "matmul:m=4,n=5,k=6",
		"conv2d:h=8,w=8,ci=4,co=4,k=3,s=1,p=0,dtype=f16": "conv2d:h=8,w=8,ci=4,co=4,k=3,dtype=f16",
		"conv2d:h=8,w=8,ci=4,co=4,k=3x1,p=1x0":           "",
		"conv2d:h=+8,w=08,ci=4,co=4,k=3x3,p=0x0":         "conv2d:h=8,w=8,ci=4,co=4,k=3",
		"elementwise:fn=add,shape=4x04,y=4":              "elementwise:fn=add,shape=4x4,y=4",
		"dense:m=1,n=2,k=3,epilogue=bias+relu":           "",
		"dense:m=1,n=2,k=3,epilogue=none,batch=1":        "dense:m=1,n=2,k=3",
		"conv2d_winograd:h=8,w=8,ci=4,co=4,tile=4":       "conv2d_winograd:h=8,w=8,ci=4,co=4",
	} {
		if canonical == "" {
			canonical = spec
		}
		w, err := Parse(spec)
		if err != nil {
			t.Error(err)
			continue
		}
		if w.Spec != canonical || w.Name != canonical || w.Count != 1 || w.DAG == nil {
			t.Errorf("%s: %+v, want %s", spec, w, canonical)
			continue
		}
		if again, err := Parse(w.Spec); err != nil || again.DAG.String() != w.DAG.String() {
			t.Errorf("%s is another DAG than %s (%v)", w.Spec, spec, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ spec, words string }{
		{"", "empty workload"},
		{"  ", "empty workload"},
		{"matmull:m=1", `unknown operator "matmull": known are matmul dense`},
		{"matmul", "matmul: missing m (rows), n (columns), k (length of the sum)"},
		{"matmul:m=4,k=3", "matmul: missing n (columns)"},
		{"matmul:m=4,n=4,k=4,q=1", `matmul: unknown key "q": known are m n k ta tb batch dtype epilogue`},
		{"matmul:m=4,n=4,k=4,m=4", "matmul: m is given twice"},
		{"matmul:m,n=4,k=4", "matmul: m has no value: write it as m=VALUE"},
		{"matmul:m=,n=4,k=4", "matmul: m has no value: write it as m=VALUE"},
		{"matmul:m=4x,n=4,k=4", "m=4x: a number is missing beside x"},
		{"matmul:m=4x4,n=4,k=4", "m=4x4: has 2 numbers: at most 1"},
		{"matmul:m=1.5,n=4,k=4", `m=1.5: "1.5" is not a whole number`},
		{"matmul:m=0,n=4,k=4", "m=0: must be at least 1"},
		{"matmul:m=-3,n=4,k=4", "m=-3: must be at least 1"},
		{"matmul:m=99999999999,n=4,k=4", "m=99999999999: must not be above 2147483647"},
		{"matmul:m=99999999999999999999999,n=4,k=4", "must not be above 2147483647"},
		{"matmul:m=2000000,n=2000000,k=1", "result matmul would have the shape [2000000 2000000]: more than 2^40 elements"},
		{"matmul:m=2000000000,n=1,k=2000000000", "input x would have the shape [2000000000 2000000000]: more than 2^40 elements"},
		{"matmul:m=4,n=4,k=4,ta=2", "ta=2: must be 0 or 1"},
		{"matmul:m=4,n=4,k=4,dtype=f8",
			`dtype=f8: unknown type "f8": known are f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64`},
		{"matmul:m=4,n=4,k=4,epilogue=bias+rely", `epilogue=bias+rely: unknown epilogue "rely": known are bias bn relu relu6 gelu sigmoid silu add`},
		{"matmul:m=4,n=4,k=4,epilogue=bias+", `unknown epilogue ""`},
		{"matmul:m=4,n=4,k=4,dtype=i8,epilogue=gelu", "matmul: gelu needs a floating-point dtype, not i8"},
		{"conv2d:h=8,w=8,ci=4,co=4,k=3x3x3", "k=3x3x3: has 3 numbers: at most 2"},
		{"conv3d:d=8,h=8,w=8,ci=4,co=4,k=3x3", "k=3x3: has 2 numbers: give one, or 3"},
		{"conv2d:h=8,w=8,ci=4,co=4,k=3,p=-1", "p=-1: must be at least 0"},
		{"conv2d:h=8,w=8,ci=4,co=4,k=3,s=0", "s=0: must be at least 1"},
		{"conv2d:h=8,w=8,ci=4,co=4,k=3,layout=CHWN", "layout=CHWN: must be one of NHWC NCHW"},
		{"elementwise:fn=relu,shape=none,epilogue=bias", `shape=none: "none" is not a whole number`},
		{"paper23/r50-t3", `unknown suite "paper23": known are paper22 resnet50`},
		{"paper22/r50-t4", `unknown workload "r50-t4" of suite paper22: known are r3d-t1`},
	} {
		refused(t, c.spec, c.words)
	}
	if _, err := Lookup("paper22"); err == nil || !strings.Contains(err.Error(), "want suite/name") {
		t.Errorf("lookup of a suite: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range Suites() {
		for _, e := range s.List[:3] {
			f.Add(e.Spec)
		}
	}
	f.Add("conv2d:h=2147483647,w=2147483647,ci=2147483647,co=1,k=2147483647,p=2147483647")
	f.Add("conv2d_winograd:h=2147483647,w=2147483647,ci=1,co=1,batch=2147483647")
	f.Add("conv2d_transpose:h=2147483647,w=2147483647,ci=1,co=1,k=2147483647,s=2147483647,batch=2147483647")
	f.Add("elementwise:fn=pow,shape=1x2x3x4x5x6,y=1,batch=2,epilogue=bias+gelu")
	f.Add("elementwise:fn=relu,shape=none,epilogue=bias")
	f.Fuzz(func(t *testing.T, spec string) {
		w, err := Parse(spec)
		if err != nil {
			return
		}
		again, err := Parse(w.Spec)
		if err != nil || again.Spec != w.Spec || again.DAG.String() != w.DAG.String() {
			t.Errorf("%q: %v", w.Spec, err)
		}
	})
}

// TestTable: names are unique, helps and defaults are there, and every operator
// takes the common keys.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for _, o := range Operators() {
		if names[o.Name] || o.Help == "" {
			t.Errorf("%s is there twice or has no help", o.Name)
		}
		names[o.Name] = true
		known := map[string]bool{}
		for _, k := range o.Keys {
			if known[k.Name] || k.Help == "" {
				t.Errorf("%s: key %s is there twice or has no help", o.Name, k.Name)
			}
			known[k.Name] = true
			if _, err := k.parse(k.Default, o.spatial()); !k.Required() && err != nil {
				t.Errorf("%s: default %v", o.Name, err)
			}
		}
		for _, k := range commonKeys {
			if !known[k.Name] {
				t.Errorf("%s has no key %s", o.Name, k.Name)
			}
		}
	}
}

// TestUniqueNames: no two ops of a workload have one name, so that kernels can
// name their arguments; only DAGs of logs repeat names.
func TestUniqueNames(t *testing.T) {
	for _, spec := range []string{
		"dense:m=2,n=2,k=2,epilogue=bias+add+bias+add+relu+relu6",
		"elementwise:fn=add,shape=4,epilogue=bn+bn",
		"variance:m=4,n=4,epilogue=add",
	} {
		w, err := Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, o := range w.DAG.Ops {
			if slices.Contains(names, o.Name) {
				t.Errorf("%s: two ops are called %s", spec, o.Name)
			}
			names = append(names, o.Name)
		}
	}
}

// TestTypes: what is stored, what results.
func TestTypes(t *testing.T) {
	for name, want := range map[string]tir.DType{
		"f32": tir.F32, "f64": tir.F64, "f16": tir.F16, "bf16": tir.BF16, "i8": tir.I32, "u8": tir.I32, "i32": tir.I32, "i64": tir.I64,
		"i16": tir.I32, "u16": tir.I32, "u32": tir.U32, "u64": tir.U64,
	} {
		w, err := Parse("matmul:m=2,n=2,k=2,epilogue=bias+add,dtype=" + name)
		if err != nil {
			t.Fatal(err)
		}
		in := w.DAG.Inputs()
		if quantized := name == "i8"; quantized != (in[0].Type != in[1].Type) || quantized && in[0].Type != tir.U8 {
			t.Errorf("%s: a product of %s by %s", name, in[0].Type, in[1].Type)
		}
		if got := w.DAG.Results()[0].Type; got != want || in[2].Type != want || in[3].Type != want || dtypeName(in[1].Type) != name {
			t.Errorf("%s: result %s, bias %s, inputs %s", name, got, in[2].Type, in[0].Type)
		}
	}
}

func TestFromHashErrors(t *testing.T) {
	_, err := FromHash("0123", nil)
	var unknown *UnknownHashError
	if !errors.As(err, &unknown) || unknown.Hash != "0123" {
		t.Errorf("unknown hash: %v", err)
	}
	const dense, conv, winograd = "7d44c6e3c81cd80f61ff2265b2bae89a", "1037be767e8e18197e87653d81c34558", "b8b52b9be9df6102466a22a014c44c1f"
	for _, c := range []struct {
		hash   string
		shapes [][]int64
	}{
		{dense, nil},
		{dense, [][]int64{{1, 8}, {4, 8}, {1, 4}}},
		{dense, [][]int64{{1, 8}, {4, 8}, {1, 4}, {1, 5}}},
		{dense, [][]int64{{1, 8}, {4, 9}, {1, 4}, {1, 4}}},
		{dense, [][]int64{{1, 8}, {4, 8}, {4}, {1, 4}}},
		{dense, [][]int64{{1, 8}, {4, 8}, {1, 0}, {1, 4}}},
		{conv, [][]int64{{1, 7, 7, 8}, {3, 3, 8, 4}, {1, 1, 1, 4}, {1, 9, 9, 4}}},
		{conv, [][]int64{{1, 7, 7, 8}, {9, 9, 8, 4}, {1, 1, 1, 4}, {1, 7, 7, 4}}},
		{winograd, [][]int64{{1, 28, 28, 8}, {4, 4, 8, 8}, {1, 1, 1, 8}, {1, 28, 28, 8}}},
		{winograd, [][]int64{{1, 14, 14, 8}, {5, 5, 8, 8}, {1, 1, 1, 8}, {1, 14, 14, 8}}},
	} {
		if d, err := FromHash(c.hash, c.shapes); err == nil || !strings.Contains(err.Error(), "has no inputs and output of the shapes") {
			t.Errorf("%s %v: %v\n%v", c.hash, c.shapes, err, d)
		}
	}
	if _, err := FromHash(dense, [][]int64{{3, 8}, {4, 8}, {1, 4}, {3, 4}}); err == nil {
		t.Error("a bias for each of 3 rows has the hash of one for a single row")
	}
}

package split_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset/split"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
	"github.com/wmtune/wmtune/tir/target"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// A publicTask is a task of the public logs.
type publicTask struct {
	dag  *compute.DAG
	kind target.Kind
}

func publicTasks(t *testing.T) []publicTask {
	t.Helper()
	f, err := os.Open("../../tir/op/testdata/dags.jsonl.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var list []publicTask
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<22)
	for in.Scan() {
		var line struct {
			Hash, Target string
			Tasks        []struct{ Shapes [][]int64 }
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		for _, task := range line.Tasks {
			d, err := op.FromHash(line.Hash, task.Shapes)
			if err != nil {
				t.Fatal(err)
			}
			kind, _, _ := strings.Cut(line.Target, " ")
			list = append(list, publicTask{d, target.Kind(kind)})
		}
	}
	if err := in.Err(); err != nil || len(list) < 100 {
		t.Fatalf("%d tasks: %v", len(list), err)
	}
	return list
}

// TestPublic holds where the tasks of the public logs are: what was learned from
// must not become what is tested with.
func TestPublic(t *testing.T) {
	rules := split.V3()
	var b strings.Builder
	counts := map[string]int{}
	for _, p := range publicTasks(t) {
		place := rules.Place(p.dag, target.Target{Kind: p.kind})
		fmt.Fprintf(&b, "%s %s family %s dag %s: %s by task, %s by dag %s\n",
			p.kind, p.dag.WorkloadKey(), place.Family, place.DAG, place.Parts.Task, place.Parts.DAG, place.Bench)
		for split, part := range map[string]split.Part{"task": place.Parts.Task, "dag": place.Parts.DAG} {
			counts[fmt.Sprintf("%s %s %s", p.kind, split, part)]++
		}
	}
	if *update {
		if err := os.WriteFile("testdata/public.txt", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/public.txt")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Error("tasks of public logs have moved; a change of the rules is a new version of them")
	}
	for _, kind := range []string{"llvm", "cuda"} {
		for _, by := range []string{"task", "dag"} {
			for _, part := range split.All() {
				n := counts[fmt.Sprintf("%s %s %s", kind, by, part)]
				if n == 0 {
					t.Errorf("the split by %s leaves no %s task for %s", by, kind, part)
				}
				t.Logf("%s %s %s %d", kind, by, part, n)
			}
		}
	}
}

// TestFamilies: batch variants are together, other shapes and ops are not; names do
// not count.
func TestFamilies(t *testing.T) {
	families := [][]string{
		{"matmul:m=64,n=96,k=32", "matmul:m=128,n=96,k=32", "matmul:m=96,n=96,k=32", "matmul:m=32,n=96,k=32",
			"matmul:m=64,n=96,k=32,epilogue=relu"},
		{"matmul:m=64,n=32,k=96"},
		{"batch_matmul:b=4,m=64,n=32,k=16", "batch_matmul:b=12,m=64,n=32,k=16"},
		{"conv2d:h=28,w=28,ci=32,co=64,k=3,s=1,p=1", "conv2d:h=28,w=28,ci=32,co=64,k=3,s=1,p=1,batch=8"},
		{"conv2d:h=14,w=14,ci=32,co=64,k=3,s=1,p=1"},
		{"conv2d:h=28,w=28,ci=32,co=128,k=3,s=2,p=1"},
		{"softmax:m=128,n=64", "softmax:m=256,n=64"},
		{"softmax:m=128,n=128"},
	}
	at := map[string]int{}
	for i, list := range families {
		for _, spec := range list {
			w, err := op.Parse(spec)
			if err != nil {
				t.Fatal(err)
			}
			f := split.Family(w.DAG)
			if old, ok := at[f]; ok && old != i {
				t.Errorf("%s is of the family of %s", spec, families[old][0])
			}
			at[f] = i
			if first, err := op.Parse(list[0]); err != nil || split.Family(first.DAG) != f {
				t.Errorf("%s is not of the family of %s", spec, list[0])
			}
		}
	}
	structure := func(spec string) string {
		w, err := op.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		return split.Structure(w.DAG)
	}
	if structure(families[3][0]) != structure(families[4][0]) || structure(families[3][0]) != structure(families[3][1]) {
		t.Error("two images of other sizes have other DAGs")
	}
	if structure(families[3][0]) == structure(families[5][0]) {
		t.Error("a stride does not show in the DAG")
	}
	if structure("conv2d:h=28,w=28,ci=32,co=64,k=3,s=2,p=1") == structure("conv2d:h=28,w=28,ci=32,co=64,k=3,s=3,p=1") {
		t.Error("two strides are one DAG")
	}
	const dilated = "conv2d:h=8,w=8,ci=32,co=64,k=3,s=1,p=12,dilation=12"
	if structure(dilated) != structure("conv2d:h=8,w=8,ci=32,co=64,k=3,s=1,p=24,dilation=24") {
		t.Error("dilations of which only the middle of the kernel meets the image have other DAGs")
	}
	if structure(families[0][0]) == structure(families[0][4]) {
		t.Error("an epilogue does not show in the DAG")
	}
	// The public logs name their tensors otherwise.
	d, err := op.FromHash("1037be767e8e18197e87653d81c34558", [][]int64{{1, 112, 112, 16}, {1, 1, 16, 96}, {1, 1, 1, 96}, {1, 112, 112, 96}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := op.Parse("conv2d:h=112,w=112,ci=16,co=96,k=1,s=1,p=0,epilogue=bias+relu")
	if err != nil {
		t.Fatal(err)
	}
	if split.Family(d) != split.Family(w.DAG) || split.Structure(d) != split.Structure(w.DAG) {
		t.Error("names show")
	}
}

// TestBenchIsForTests: nothing that a benchmark runs, whatever its batch, may be
// learned from on the kind of target that it runs on.
func TestBenchIsForTests(t *testing.T) {
	rules := split.V3()
	tasks := map[split.Part]int{}
	for _, s := range op.Suites() {
		for _, e := range s.List {
			w, err := s.Workload(e)
			if err != nil {
				t.Fatal(err)
			}
			place := rules.Place(w.DAG, target.Generic(32, 2))
			if s.Name != "train" && (place.Parts.Task != split.Test || place.Bench == "") {
				t.Errorf("%s is for %s", w.Name, place.Parts.Task)
			}
			if s.Name == "train" {
				tasks[place.Parts.Task]++
			}
		}
	}
	if tasks[split.Train] < 50 || tasks[split.Validation] < 10 {
		t.Errorf("of the suite train, %v are left to learn from", tasks)
	}
	t.Log(tasks)
	w, err := op.Parse("conv2d:h=56,w=56,ci=64,co=64,k=3,s=1,p=1,batch=16,epilogue=bias+relu") // r50-t3, another batch
	if err != nil {
		t.Fatal(err)
	}
	if p := rules.Place(w.DAG, target.Generic(32, 2)); p.Parts.Task != split.Test {
		t.Errorf("a batch variant of %s is for %s", p.Bench, p.Parts.Task)
	}
	if p := rules.Place(w.DAG, target.Target{Kind: target.CUDA}); p.Bench == "" {
		t.Error("a bench workload on another kind of target does not say so")
	}
}

// TestTargets: a target that is listed is where the list says.
func TestTargets(t *testing.T) {
	rules := split.V3()
	w, err := op.Parse("matmul:m=64,n=64,k=64")
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range rules.TargetParts {
		kind, arch, _ := strings.Cut(name, " -arch=")
		tgt := target.Target{Kind: target.Kind(kind), Arch: arch}
		if arch == "" {
			continue
		}
		if got := rules.Place(w.DAG, tgt).Parts.Target; got != part {
			t.Errorf("%s is for %s, want %s", name, got, part)
		}
	}
	for _, name := range split.Names() {
		if _, err := (split.Parts{}).By(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := (split.Parts{}).By("record"); err == nil {
		t.Error("there is a split by record")
	}
}

// TestCollapsedFamilies: a convolution of 1x1 is of the family of the product that it is, whatever its image; one of
// 3x3 is not of that of another image.
func TestCollapsedFamilies(t *testing.T) {
	family := func(spec string) string {
		t.Helper()
		w, err := op.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		return split.Family(w.DAG)
	}
	point := family("conv2d:h=14,w=14,ci=32,co=64,k=1")
	for _, same := range []string{"dense:m=49,n=64,k=32", "conv2d:h=28,w=20,ci=32,co=64,k=1"} {
		if family(same) != point {
			t.Errorf("%s is of another family than its convolution of 1x1", same)
		}
	}
	if family("dense:m=49,n=64,k=33") == point {
		t.Error("products of other lengths are one family")
	}
	if family("conv2d:h=14,w=14,ci=8,co=8,k=3,p=1") == family("conv2d:h=28,w=28,ci=8,co=8,k=3,p=1") {
		t.Error("convolutions of other images are one family")
	}
}

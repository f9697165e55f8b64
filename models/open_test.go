package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/xgboost"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/transition"
)

// small trains parts of a model, of next to nothing, once.
var small = sync.OnceValues(func() (map[string][]byte, error) {
	library, err := xgboost.Load("")
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var tasks []ranker.Candidates
	for range 4 {
		var t ranker.Candidates
		for range 40 {
			row := make([]float32, ranker.Columns)
			for k := range row {
				row[k] = float32(rng.NormFloat64())
			}
			t.Features, t.Values = append(t.Features, row), append(t.Values, row[0])
			t.Quality = append(t.Quality, 1/(1+math.Exp(float64(row[0]))))
		}
		tasks = append(tasks, t)
	}
	m, _, err := ranker.Train(context.Background(), tasks, tasks, ranker.Options{
		Library: library, Seed: 1, Networks: 1,
		Trees:    []ranker.Boosting{{Objective: ranker.Pairwise, Trees: 5, Depth: 3, Eta: 0.3}},
		Learning: ranker.Learning{Widths: []int{8}, Steps: 5, Tasks: 2, Candidates: 8, Rate: 1e-3},
		Fixed:    &ranker.Parts{Trees: 0.4, Network: 0.3, Value: 0.3},
	})
	if err != nil {
		return nil, err
	}
	files, err := m.Files()
	if err != nil {
		return nil, err
	}
	d := &transition.Data{}
	g := transition.Group{Start: make([]float32, transition.StartSize)}
	for i := range 16 {
		v := make([]float32, transition.Size)
		v[i] = 1
		d.Actions = append(d.Actions, v...)
		g.Samples = append(g.Samples, transition.Sample{Actions: []int32{int32(i)}, Quality: float64(i) / 16})
	}
	d.Groups = []transition.Group{g, g}
	recipe := transition.Recipe{Embed: 8, Latent: 8, Hidden: 8, Head: []int{8}, Rank: 1, Tasks: 2, PerTask: 8, Steps: 5,
		Rate: 1e-3}
	tr, err := (&transition.Training{}).Run(context.Background(), d, recipe, 1)
	if err != nil {
		return nil, err
	}
	files["transition.onnx"], err = tr.Bytes()
	return files, err
})

// smallModel writes a whole model to a folder.
func smallModel(t testing.TB) string {
	t.Helper()
	files, err := small()
	if os.Getenv("CI") == "" && errors.Is(err, xgboost.ErrMissing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(t, dir)
	return dir
}

// rewrite makes the manifest of the files as they are now.
func rewrite(t testing.TB, dir string) {
	t.Helper()
	if err := Write(dir, Manifest{Tool: "test", Kind: target.LLVM, Parts: []Part{Transition, Ranker}}); err != nil {
		t.Fatal(err)
	}
}

// TestOpen: a folder that was written is opened, scores as the parts do whatever the
// number of workers, and is written again to the same bytes.
func TestOpen(t *testing.T) {
	dir := smallModel(t)
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 300)
	var first []float64
	for _, workers := range []int{1, 3} {
		m, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		m.Workers = workers
		scores, err := m.Score(t.Context(), task, states)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = scores
		}
		if !slices.Equal(scores, first) {
			t.Errorf("%d workers: other scores", workers)
		}
		alone, err := m.Score(t.Context(), task, states[7:8])
		if err != nil || alone[0] != scores[7] {
			t.Errorf("alone a state scores %v, %v, among others %g", alone, err, scores[7])
		}
	}
	if slices.Min(first) == slices.Max(first) {
		t.Errorf("all score %g", first[0])
	}
	before, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, dir)
	if after, _ := os.ReadFile(filepath.Join(dir, ManifestName)); !bytes.Equal(before, after) {
		t.Error("the manifest has other bytes")
	}
}

// TestDamaged: whatever is wrong with a folder is said in a sentence.
func TestDamaged(t *testing.T) {
	change := func(dir, name string, f func([]byte) []byte) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	manifest := func(dir string, f func(m map[string]any)) {
		change(dir, ManifestName, func(b []byte) []byte {
			var m map[string]any
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatal(err)
			}
			f(m)
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return b
		})
	}
	short := func(b []byte) []byte { return b[:len(b)/2] }
	flip := func(b []byte) []byte { b[len(b)/2] ^= 0x40; return b }
	// nan overwrites weights, which begin somewhere after the names of the graph.
	nan := func(b []byte) []byte {
		for i := len(b) / 3; i < 2*len(b)/3; i += 4 {
			copy(b[i:], []byte{0xff, 0xff, 0xff, 0x7f})
		}
		return b
	}
	for _, c := range []struct {
		name string
		do   func(dir string)
		want string
	}{
		{"no manifest", func(dir string) { os.Remove(filepath.Join(dir, ManifestName)) }, "there is no model.json"},
		{"a file missing", func(dir string) { os.Remove(filepath.Join(dir, "ranker.trees")) }, "ranker.trees is missing"},
		{"a file cut short", func(dir string) { change(dir, "ranker.onnx", short) }, "ranker.onnx: it has "},
		{"a changed file", func(dir string) { change(dir, "transition.onnx", flip) },
			"transition.onnx: it is not the file that the manifest lists"},
		{"swapped files", func(dir string) {
			for _, m := range [][2]string{{"ranker.onnx", "x"}, {"transition.onnx", "ranker.onnx"}, {"x", "transition.onnx"}} {
				os.Rename(filepath.Join(dir, m[0]), filepath.Join(dir, m[1]))
			}
		}, "ranker.onnx: it "},
		{"swapped files, listed so", func(dir string) {
			for _, m := range [][2]string{{"ranker.onnx", "x"}, {"transition.onnx", "ranker.onnx"}, {"x", "transition.onnx"}} {
				os.Rename(filepath.Join(dir, m[0]), filepath.Join(dir, m[1]))
			}
			rewrite(t, dir)
		}, "transition"},
		{"trees cut short, listed so", func(dir string) { change(dir, "ranker.trees", short); rewrite(t, dir) },
			"ranker.trees"},
		{"a transition of NaN", func(dir string) { change(dir, "transition.onnx", nan); rewrite(t, dir) }, "transition"},
		{"a ranker of NaN", func(dir string) { change(dir, "ranker.onnx", nan); rewrite(t, dir) }, "ranker"},
		{"another format", func(dir string) { manifest(dir, func(m map[string]any) { m["format"] = 2 }) },
			"format 2, this wmtune reads format 1"},
		{"a pipe", func(dir string) {
			os.Remove(filepath.Join(dir, "ranker.onnx"))
			if err := syscall.Mkfifo(filepath.Join(dir, "ranker.onnx"), 0o666); err != nil {
				t.Fatal(err)
			}
		}, "ranker.onnx: it is not a regular file"},
		{"a device", func(dir string) {
			os.Remove(filepath.Join(dir, ManifestName))
			if err := os.Symlink("/dev/zero", filepath.Join(dir, ManifestName)); err != nil {
				t.Fatal(err)
			}
		}, ManifestName + ": it is not a regular file"},
		{"a file that unpacks to 4 GB", func(dir string) { pack(t, dir, "ranker.onnx", 4<<30) },
			"ranker.onnx: it is not the file that"},
		{"a packed file cut short", func(dir string) {
			pack(t, dir, "ranker.onnx", 0)
			change(dir, "ranker.onnx.zst", short)
		}, "ranker.onnx.zst: unexpected EOF; copy the folder again"},
		{"damaged planes", func(dir string) {
			planes(t, dir, "ranker.onnx")
			change(dir, "ranker.onnx.planes", short)
			pack(t, dir, "ranker.onnx.planes", 0)
		}, "ranker.onnx: onnx: the planes are damaged; copy the file again"},
		{"a file of 1 TB", func(dir string) {
			manifest(dir, func(m map[string]any) {
				m["files"].(map[string]any)["ranker.onnx"].(map[string]any)["bytes"] = 1 << 40
			})
		}, "ranker.onnx is said to have 1099511627776 bytes"},
		{"a manifest cut short", func(dir string) { change(dir, ManifestName, short) }, "the model is damaged"},
		{"no target", func(dir string) { manifest(dir, func(m map[string]any) { m["target"] = "" }) }, "no target is named"},
		{"no ranker", func(dir string) { manifest(dir, func(m map[string]any) { m["parts"] = []string{"transition"} }) },
			"there is no ranker"},
		{"a part without a file", func(dir string) {
			manifest(dir, func(m map[string]any) { delete(m["files"].(map[string]any), "transition.onnx") })
		}, "part transition needs transition.onnx"},
		{"an unknown part", func(dir string) {
			manifest(dir,
				func(m map[string]any) { m["parts"] = []string{"ranker", "oracle"} })
		}, `unknown part "oracle"`},
		{"a variant", func(dir string) { manifest(dir, func(m map[string]any) { m["variant"] = "z0" }) },
			`the model is the ablation "z0"`},
		{"a file elsewhere", func(dir string) {
			manifest(dir, func(m map[string]any) { m["files"].(map[string]any)["../x"] = map[string]any{} })
		}, `"../x" is no name of a file in the folder`},
		{"a ranker without its transition", func(dir string) {
			manifest(dir, func(m map[string]any) { m["parts"] = []string{"ranker"} })
		}, "there is no transition to predict them"},
	} {
		dir := smallModel(t)
		c.do(dir)
		m, err := Open(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, %v, want %q", c.name, m != nil, err, c.want)
		}
	}
}

// pack replaces a file by NAME.zst, of so many zeros if it is to have some.
func pack(t *testing.T, dir, name string, zeros int) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]byte, 1<<20); zeros > 0; zeros -= len(block) {
		_, err = w.Write(block)
		data = nil
	}
	_, last := w.Write(data)
	if err := errors.Join(err, last, w.Close(), os.Remove(path), os.WriteFile(path+packed, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// planes replaces a network by NAME.planes.
func planes(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	data, err := os.ReadFile(path)
	data = slices.Concat(binary.AppendUvarint([]byte{1}, uint64(len(data))), []byte{0}, data) // one run, no weights
	if err := errors.Join(err, os.Remove(path), os.WriteFile(path+planed, data, 0o666)); err != nil {
		t.Fatal(err)
	}
}

// TestPacked: a folder whose files are packed scores as before; of a file that unpacks to more
// than it should have, no more than that is allocated.
func TestPacked(t *testing.T) {
	dir := smallModel(t)
	task := testTask(t, "matmul:m=256,n=256,k=64")
	states := splits(t, task, 20)
	var want []float64
	for _, name := range []string{"", "ranker.onnx", "ranker.trees", "transition.onnx.planes"} {
		if network, ok := strings.CutSuffix(name, planed); ok {
			planes(t, dir, network)
		}
		if name != "" {
			pack(t, dir, name, 0)
		}
		m, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Score(t.Context(), task, states)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s packed: other scores", name)
		}
	}
	bomb := smallModel(t)
	pack(t, bomb, "ranker.onnx", 4<<30)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Open(bomb); err == nil {
		t.Error("a file of 4 GB was read as a ranker")
	}
	runtime.ReadMemStats(&after)
	if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 64 {
		t.Errorf("%d MB were allocated", mb)
	}
}

// TestOtherTokenizer: the tokenizer of another training, although it is listed, is
// refused.
func TestOtherTokenizer(t *testing.T) {
	dir := t.TempDir()
	m, err := Default(target.LLVM)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range m.Manifest().Files {
		if name == "ranker.json" {
			continue // the record, which the binary has not
		}
		from := "cpu"
		if name == "tokenizer.json" {
			from = "gpu"
			f.Bytes = 1 << 20 // more than either has
		}
		data, err := f.read(os.DirFS(from), name)
		if data == nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir, *m.Manifest()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "trained with another tokenizer") {
		t.Error(err)
	}
}

// TestOtherKind: parts of two kinds of targets are no model, and the manifest of the one before stays.
func TestOtherKind(t *testing.T) {
	dir := smallModel(t)
	path := filepath.Join(dir, "transition.onnx")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := transition.Load(data)
	if err != nil || tr.Kind != "" {
		t.Fatalf("kind %q, %v", tr.Kind, err)
	}
	for kind, want := range map[target.Kind]string{
		target.LLVM: "", target.CUDA: "transition.onnx is for target cuda, model.json says llvm",
	} {
		tr.Kind = kind
		if data, err = tr.Bytes(); err == nil {
			err = os.WriteFile(path, data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(filepath.Join(dir, ManifestName))
		m := Manifest{Kind: target.LLVM, Parts: []Part{Transition, Ranker}}
		if err := Check(dir, m); want == "" && err != nil || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v", kind, err)
		}
		if after, _ := os.ReadFile(filepath.Join(dir, ManifestName)); !bytes.Equal(before, after) {
			t.Error("a check wrote the manifest")
		}
		rewrite(t, dir)
		if _, err := Open(dir); want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: opened: %v", kind, err)
		}
	}
	cpu, err := Default(target.LLVM)
	if err != nil {
		t.Fatal(err)
	}
	manifest := *cpu.Manifest()
	manifest.Kind = target.CUDA
	want := "encoder.onnx is for target llvm, model.json says cuda"
	if err := Check("cpu", manifest); !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("an encoder for CPUs in a model for GPUs: %v", err)
	}
}

// TestAnyBytes: no byte of a model's files, changed, makes opening it panic.
func TestAnyBytes(t *testing.T) {
	dir := smallModel(t)
	files, err := small()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for name, data := range files {
		if name == "ranker.json" {
			continue // it is the record, and not read
		}
		for range 60 {
			b := bytes.Clone(data)
			for range 1 + rng.IntN(4) {
				b[rng.IntN(len(b))] = byte(rng.Uint32())
			}
			if err := os.WriteFile(filepath.Join(dir, name), b[:len(b)-rng.IntN(2)*rng.IntN(len(b))], 0o666); err != nil {
				t.Fatal(err)
			}
			rewrite(t, dir)
			m, err := Open(dir)
			if err != nil {
				continue
			}
			task := testTask(t, "matmul:m=256,n=256,k=64")
			if scores, err := m.Score(t.Context(), task, splits(t, task, 3)); err == nil &&
				slices.ContainsFunc(scores, math.IsNaN) {
				t.Errorf("%s: scores %v", name, scores)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDefault(t *testing.T) {
	for _, d := range defaults {
		m, err := Default(d.kind)
		switch {
		case errors.Is(err, ErrNone) != !HasDefault(d.kind):
			t.Errorf("%s: %v", d.kind, err)
		case err == nil && m.Manifest().Kind != d.kind:
			t.Errorf("%s: the model is for %s", d.kind, m.Manifest().Kind)
		case err != nil && !errors.Is(err, ErrNone):
			t.Errorf("%s: %v", d.kind, err)
		}
	}
	if _, err := Default("vulkan"); !errors.Is(err, ErrNone) {
		t.Errorf("vulkan: %v", err)
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		if _, err := Default(target.LLVM); err != nil {
			b.Fatal(err)
		}
	}
}

// TestFingerprint: it is of the manifest, which has the hashes of all other files, and each kind has its own.
func TestFingerprint(t *testing.T) {
	for kind, folder := range map[target.Kind]string{target.LLVM: "cpu", target.CUDA: "gpu"} {
		manifest, err := os.ReadFile(filepath.Join(folder, ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Fingerprint(kind), fmt.Sprintf("%x", sha256.Sum256(manifest)); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	if got := Fingerprint("abacus"); got != "" {
		t.Errorf("no model: %q", got)
	}
}

package encoder

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/encoder/bpe"
	"github.com/wmtune/wmtune/nn/onnx"
)

// small are options of a training of seconds.
func small(t *testing.T, d Data) Options {
	t.Helper()
	tok, err := TrainTokenizer(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Data: d, Tokenizer: tok, Batches: 5, Every: 2, PerTask: 16, Tasks: 2, States: 2, Tokens: 1024, Windows: 1, Rate: 1e-3,
		Dropout:    0.1,
		Checkpoint: filepath.Join(t.TempDir(), "checkpoint"),
	}
}

// A training that is interrupted between checkpoints, and again, ends with the bytes
// of one that is not; its encoder loads, and encodes as the network does that was
// trained.
func TestTrainGoesOn(t *testing.T) {
	opts := small(t, tiny(t))
	var losses []float64
	var best Progress // after 2 batches
	opts.Progress = func(p Progress) {
		if losses = append(losses, p.Contrast); p.Best && p.Batch == 2 {
			best = p
		}
	}
	want, err := Train(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(losses) != 5 {
		t.Errorf("losses %v", losses)
	}
	opts.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	for _, stop := range []int{1, 3} {
		ctx, cancel := context.WithCancel(context.Background())
		opts.Progress = func(p Progress) {
			if p.Batch == stop {
				cancel()
			}
		}
		if _, err := Train(ctx, opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("interrupted after batch %d: %v", stop, err)
		}
	}
	batches := 0
	var first Progress // what it goes on from
	opts.Progress = func(p Progress) {
		if p.Contrast > 0 {
			batches++
		} else {
			first = p
		}
	}
	got, err := Train(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if batches != 3 || !bytes.Equal(got, want) {
		t.Errorf("after interruptions %d batches more, same bytes: %v", batches, bytes.Equal(got, want))
	}
	if first.Batch != 2 || !first.Best || first.Retrieval != best.Retrieval || first.R2 != best.R2 || best.R2 == 0 {
		t.Errorf("after 2 batches %+v; going on from %+v", best, first)
	}
	other := opts
	other.Rate *= 2
	if _, err := Train(context.Background(), other); err == nil || !strings.Contains(err.Error(), "another training") {
		t.Errorf("a checkpoint of another training: %v", err)
	}
	checkEncoder(t, opts, got)
}

// checkEncoder compares what is loaded with the network, and refuses what is wrong.
func checkEncoder(t *testing.T, opts Options, data []byte) {
	t.Helper()
	m, err := Load(data, opts.Tokenizer)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat(product, 30)
	list := append(texts(t), "", "\xff", long, long[:2500])
	if !m.Truncated(long) || m.Truncated(product) || m.Kind() != opts.Kind {
		t.Errorf("truncated: %v and %v, kind %s", m.Truncated(long), m.Truncated(product), m.Kind())
	}
	got, err := m.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	opts.fill()
	opts.Windows, opts.Tokens, opts.Dropout = longest, 4096, 0
	net, err := newTrainer(context.Background(), withoutCheckpoint(opts))
	if err != nil {
		t.Fatal(err)
	}
	program, err := onnx.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range net.params.List() {
		_, v, ok := program.Weight(p.Name)
		if !ok && !strings.HasPrefix(p.Name, "facts.") {
			t.Fatalf("no weight %s in the file", p.Name)
		}
		copy(p.Value, v)
		if strings.HasSuffix(p.Name, ".scale") {
			for i := range p.Value {
				p.Value[i]--
			}
		}
	}
	want, err := net.encode(list)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		for k, v := range got[i] {
			if math.Abs(float64(v-want[i][k])) > 1e-4 {
				t.Fatalf("text %d: number %d is %v, the network says %v", i, k, v, want[i][k])
			}
		}
	}
	alone, err := m.Encode(list[:1])
	if err != nil || dot(alone[0], got[0]) < 0.999999 || alone[0][0] != got[0][0] {
		t.Errorf("a text has another vector when it is alone: %v", err)
	}
	procs := runtime.GOMAXPROCS(1)
	one, err := m.Encode(list)
	runtime.GOMAXPROCS(procs)
	if err != nil || !slices.EqualFunc(one, got, slices.Equal) {
		t.Errorf("on one processor a text has another vector: %v", err)
	}
	checkRefusals(t, opts, data)
	checkPython(t, m, data, list, got)
}

func withoutCheckpoint(o Options) Options {
	o.Checkpoint, o.Progress = "", nil
	return o
}

func checkRefusals(t *testing.T, opts Options, data []byte) {
	t.Helper()
	var tr bpe.Trainer
	tr.Add(strings.Join(texts(t), ""))
	other, err := tr.Train(300)
	if err != nil {
		t.Fatal(err)
	}
	var number [4]byte
	program, err := onnx.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	_, weights, _ := program.Weight("head2.weight")
	binary.LittleEndian.PutUint32(number[:], math.Float32bits(weights[7]))
	for _, c := range []struct {
		name, want      string
		data, tokenizer []byte
	}{
		{"another tokenizer", "another tokenizer", data, other.File()},
		{"no tokenizer", "no tokenizer.json", data, nil},
		{"no network", "onnx", nil, opts.Tokenizer},
		{"truncated network", "onnx", data[:len(data)/2], opts.Tokenizer},
		{"changed weight", "onnx", bytes.Replace(data, number[:], []byte{0, 0, 0xC0, 0x7F}, 1), opts.Tokenizer},
	} {
		if _, err := Load(c.data, c.tokenizer); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, c := range []struct {
		want string
		meta map[string]string
	}{
		{`call it "ranker"`, map[string]string{"wmtune.part": "ranker"}},
		{"is of version 1, this program reads version 2",
			map[string]string{"wmtune.part": "encoder", "wmtune.version": "1"}},
		{`numbers of texts of version "0", this program computes version 1`,
			map[string]string{"wmtune.part": "encoder", "wmtune.version": "2", "wmtune.numbers": "0"}},
		{"encoder.onnx: the file has no weight norm.scale: train it again", program.Meta()},
	} {
		b := onnx.New("other")
		b.Output(b.Node("Relu", []string{b.Input("x", onnx.Float32, "1")}), onnx.Float32, "1")
		stranger, err := b.Bytes(c.meta)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(stranger, opts.Tokenizer); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a network that is none of these encoders: %v, want %q", err, c.want)
		}
	}
}

// checkPython compares with ONNX Runtime, where Python has it.
func checkPython(t *testing.T, m *Model, data []byte, list []string, want [][]float32) {
	t.Helper()
	python := os.Getenv("WMTUNE_PYTHON")
	if python == "" || exec.Command(python, "-c", "import onnxruntime, numpy").Run() != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("WMTUNE_PYTHON must name a Python that has onnxruntime (make test makes one)")
		}
		t.Log("SKIPPED: nobody checks that onnxruntime reads the encoder: set WMTUNE_PYTHON to a Python that has it")
		return
	}
	path := filepath.Join(t.TempDir(), "encoder.onnx")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	type windowOf struct {
		IDs     []int32
		Numbers [][Numbers]float32
	}
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, text := range list {
		all := tokenize(m.tok, text)
		all.number(m.tok, text)
		cut, _ := all.windows(longest)
		var ids []windowOf
		for _, w := range cut {
			ids = append(ids, windowOf{w.ids, w.numbers})
		}
		if err := encoder.Encode(ids); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "-c", `import sys, json, numpy as np, onnxruntime
s = onnxruntime.InferenceSession(sys.argv[1])
out = []
for text in map(json.loads, sys.stdin):
    n = max(len(w["IDs"]) for w in text)
    none = [[0.0] * len(text[0]["Numbers"][0])]
    feed = {
        "ids": np.array([w["IDs"] + [0] * (n - len(w["IDs"])) for w in text], np.int64),
        "mask": np.array([[1.0] * len(w["IDs"]) + [0.0] * (n - len(w["IDs"])) for w in text], np.float32),
        "numbers": np.array([w["Numbers"] + none * (n - len(w["Numbers"])) for w in text], np.float32),
        "texts": np.ones((1, len(text)), np.float32),
    }
    out.append(s.run(None, feed)[0][0].tolist())
print(json.dumps(out))`, path)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]float64
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i := range got {
		for k, v := range got[i] {
			worst = max(worst, math.Abs(v-float64(want[i][k])))
		}
	}
	t.Logf("ONNX Runtime differs by at most %.2g on %d texts", worst, len(list))
	if worst > 1e-4 {
		t.Errorf("ONNX Runtime differs by %v", worst)
	}
}

// Datasets without tasks to learn from are an error that says so.
func TestTrainRefuses(t *testing.T) {
	d := tiny(t)
	d.Kind = "cuda"
	if _, err := TrainTokenizer(context.Background(), d); err == nil ||
		!strings.Contains(err.Error(), "0 tasks of kind cuda") {
		t.Error(err)
	}
	d.Dirs = []string{t.TempDir()}
	if _, err := Train(context.Background(), Options{Data: d, Tokenizer: []byte("{}")}); err == nil {
		t.Error("a tokenizer that is none is taken")
	}
}

// The network learns one batch by heart: views find each other, and facts are told.
func TestLearns(t *testing.T) {
	opts := withoutCheckpoint(small(t, tiny(t)))
	opts.fill()
	opts.Dropout = 0
	tr, err := newTrainer(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	var first, last Progress
	tr.opts.Progress = func(p Progress) { last = p }
	tr.opts.Every = 1000
	for i := range 20 {
		tr.state.Batch = 1
		if err := tr.step(); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = last
		}
	}
	if last.Contrast > first.Contrast/2 || last.Tell > first.Tell/2 {
		t.Errorf("from %.3f and %.3f to %.3f and %.3f", first.Contrast, first.Tell, last.Contrast, last.Tell)
	}
}

// A training that does not begin, for its checkpoint is wrong, leaves no networks behind.
func TestRefusedFrees(t *testing.T) {
	opts := small(t, tiny(t))
	if err := os.WriteFile(opts.Checkpoint, []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	held := func() int64 {
		if _, err := Train(context.Background(), opts); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Fatal(err)
		}
		for range 5 { // pools keep what they hold for a cycle or two
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	if more := held() - before; more > 1<<20 {
		t.Errorf("a training that was refused holds %d KiB", more>>10)
	}
}

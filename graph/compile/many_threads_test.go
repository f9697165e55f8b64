package compile

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset/database"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tune"
)

// small are models of each kind that divide their work in another way.
var small = map[string]string{
	"cnn": "input x: float32[1, 16, 28, 28]\nconst w: float32[32, 16, 3, 3]\nconst b: float32[32]\n" +
		"c = Conv(x, w, b) pads=[1, 1, 1, 1]\nr = Relu(c)\np = MaxPool(r) kernel_shape=[2, 2] strides=[2, 2]\n" +
		"const v: float32[64, 32, 1, 1]\nd = Conv(p, v)\ng = GlobalAveragePool(d)\nf = Flatten(g)\n" +
		"const m: float32[64, 10]\ny = MatMul(f, m)\noutput y",
	"encoder": "input x: float32[1, 64, 96]\nconst q: float32[96, 96]\nconst k: float32[96, 96]\n" +
		"const v: float32[96, 96]\nconst c: float32[] {0.02}\nqx = MatMul(x, q)\nkx = MatMul(x, k)\nvx = MatMul(x, v)\n" +
		"t = Transpose(kx) perm=[0, 2, 1]\ns = MatMul(qx, t)\nn = Mul(s, c)\np = Softmax(n)\na = MatMul(p, vx)\n" +
		"r = Add(a, x)\nconst g: float32[96]\nconst h: float32[96]\nl = LayerNormalization(r, g, h)\n" +
		"const w: float32[96, 384]\nu = MatMul(l, w)\ny = Relu(u)\noutput y",
	"lstm": "input x: float32[20, 1, 64]\nconst w: float32[2, 512, 64]\nconst r: float32[2, 512, 128]\n" +
		"const b: float32[2, 1024]\ny, h, c = LSTM(x, w, r, b) hidden_size=128 direction=\"bidirectional\"\n" +
		"output y\noutput c",
}

// TestManyThreads: a model that is compiled for more threads than there are cores is right, and as many threads run it
// without waiting for each other's turns for long.
func TestManyThreads(t *testing.T) {
	b := needBundles(t)
	db, err := database.Open(filepath.Join(b.dir, "database"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range small {
		for _, threads := range []int{1, 3, 16, 64} {
			m, err := New(t.Context(), graphtest.MustParse(text, 18), pass.Options{Check: true})
			if err != nil {
				t.Fatal(err)
			}
			started := time.Now()
			r, err := Run(t.Context(), b.machine, m, Options{Name: name, Threads: threads, Database: db})
			if err != nil {
				t.Fatalf("%s, %d threads: %v", name, threads, err)
			}
			if want := "-cores=" + strconv.Itoa(threads); !strings.HasSuffix(r.Target, want) || r.MaxError > 1e-3 { // an LSTM amplifies rounding
				t.Errorf("%s, %d threads: target %s, error %g", name, threads, r.Target, r.MaxError)
			}
			t.Logf("%s, %d threads: %.0f us, %v", name, threads, r.LatencyUS, time.Since(started))
			parallel := slices.ContainsFunc(r.Kernels, func(k KernelInfo) bool { return chunks(k.Divisions) > 1 })
			if parallel != (threads > 1) {
				t.Errorf("%s, %d threads: a parallel loop: %v", name, threads, parallel)
			}
			if r.LatencyUS > 20e3 { // alone each takes less than half a millisecond
				t.Errorf("%s, %d threads: a run takes %.0f us", name, threads, r.LatencyUS)
			}
		}
	}
}

// TestTooManyThreads: candidates for more threads than there are cores are not timed.
func TestTooManyThreads(t *testing.T) {
	b := needBundles(t)
	m, err := New(t.Context(), graphtest.MustParse(small["cnn"], 18), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Options{{Trials: 8}, {Time: time.Second}} {
		o.Name, o.Threads = "m", b.machine.Target().Hardware.Cores+1
		_, err = Run(t.Context(), b.machine, m, o)
		var bad *tune.OptionError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "leave out --trials and --time") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

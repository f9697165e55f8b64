package encoder

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/nn/onnx"
)

func TestWindows(t *testing.T) {
	all := tokens{ids: make([]int32, 3000), numbers: make([][Numbers]float32, 3000)}
	for i := range all.ids {
		all.ids[i], all.numbers[i][0] = int32(i), float32(i)
	}
	for _, c := range []struct {
		tokens, most int
		starts       []int32
		end          int // of the last
		truncated    bool
	}{
		{2, 6, []int32{0}, 2, false},
		{256, 6, []int32{0}, 256, false},
		{257, 6, []int32{0, 192}, 257, false},
		{1216, 6, []int32{0, 192, 384, 576, 768, 960}, 1216, false},
		{1217, 6, []int32{0, 192, 384, 768, 960, 1152}, 1217, true},
		{1217, 2, []int32{0, 1152}, 1217, true},
		{1217, 1, []int32{0}, 256, true},
	} {
		part := tokens{all.ids[:c.tokens], all.numbers[:c.tokens]}
		list, truncated := part.windows(c.most)
		if len(list) != len(c.starts) || truncated != c.truncated {
			t.Errorf("%d tokens: %d windows, truncated %v", c.tokens, len(list), truncated)
			continue
		}
		for i, w := range list {
			if w.ids[0] != c.starts[i] || len(w.ids) > window {
				t.Errorf("%d tokens: window %d has %d from %d", c.tokens, i, len(w.ids), w.ids[0])
			}
			if len(w.numbers) != len(w.ids) || w.numbers[0][0] != float32(w.ids[0]) {
				t.Errorf("%d tokens: window %d has the numbers of others", c.tokens, i)
			}
		}
		if last := list[len(list)-1].ids; int(last[len(last)-1])+1 != c.end {
			t.Errorf("%d tokens: the last window ends before %d", c.tokens, last[len(last)-1]+1)
		}
	}
}

// ONNX Runtime says of 100 programs what the shipped encoders say.
func TestShippedInONNXRuntime(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	list := texts(t)
	for len(list) < 100 {
		list = append(list, Rewrite(list[rng.IntN(len(list))], rng))
	}
	list[0] = strings.Repeat(product, 30) // windows of two lengths
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	for _, name := range []string{"cpu", "gpu"} {
		shipped := func(file string) []byte {
			data, err := os.ReadFile(filepath.Join("..", "models", name, file))
			if err == nil {
				data, err = unpack.DecodeAll(data, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		data, err := onnx.FromPlanes(shipped("encoder.onnx.planes.zst"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(data, shipped("tokenizer.json.zst"))
		if err != nil {
			t.Fatal(err)
		}
		z, err := m.Encode(list)
		if err != nil {
			t.Fatal(err)
		}
		checkPython(t, m, data, list, z)
	}
}

package encoder

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// ONNX Runtime says of 100 programs what the shipped encoders say.
func TestShippedInONNXRuntime(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	list := texts(t)
	for len(list) < 100 {
		list = append(list, Rewrite(list[rng.IntN(len(list))], rng))
	}
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	for _, name := range []string{"cpu", "gpu"} {
		data, err := os.ReadFile(filepath.Join("..", "models", name, "encoder.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := os.ReadFile(filepath.Join("..", "models", name, "tokenizer.json.zst"))
		if err != nil {
			t.Fatal(err)
		}
		tokenizer, err := unpack.DecodeAll(packed, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Load(data, tokenizer)
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

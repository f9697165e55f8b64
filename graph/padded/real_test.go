package padded

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/graph/onnx"
)

func TestReal(t *testing.T) {
	list := os.Getenv("PADDED_MODELS") // FILE:dims;...
	for _, f := range strings.Split(list, ";") {
		if f == "" {
			continue
		}
		file, dims, _ := strings.Cut(f, ":")
		g, err := onnx.Read(context.Background(), file, onnx.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range g.Inputs {
			t.Log(v, v.DimNames)
		}
		start := time.Now()
		r, err := Rewrite(context.Background(), g, rangesOf(t, dims), bind)
		if err != nil {
			t.Error(file, err)
			continue
		}
		t.Log(file, time.Since(start), len(r.Graph.Nodes))
		os.WriteFile("/tmp/padded."+strings.ReplaceAll(strings.Trim(file, "/"), "/", "_")+".txt", []byte(r.Graph.String()), 0o666)
		checkPadded(t, g, rangesOf(t, dims), 3, 1e-5)
		t.Log(time.Since(start))
	}
}

package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/nn/onnx"
)

// TestPlanes: the shipped networks come back of their planes. Most of their bytes are in these.
func TestPlanes(t *testing.T) {
	for _, folder := range []string{"cpu", "gpu"} {
		for _, name := range []string{"encoder.onnx", "ranker.onnx", "transition.onnx"} {
			data, err := models.Unpack(os.DirFS("../../../models/"+folder), name)
			if err != nil {
				t.Fatal(err)
			}
			planes, err := inPlanes(data)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := onnx.FromPlanes(planes); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s of %s: %d bytes of %d came back, %v", name, folder, len(got), len(data), err)
			}
			if raw, _ := fields(data, 7, 5, 9); len(bytes.Join(raw, nil)) < len(data)*9/10 {
				t.Errorf("%s of %s: %d weights", name, folder, len(raw))
			}
		}
	}
	if _, err := inPlanes([]byte("no network")); err == nil {
		t.Error("a text has planes")
	}
}

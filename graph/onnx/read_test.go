package onnx

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/graph"
)

// externalModel is a model of one initializer whose data lies elsewhere.
func externalModel(where ...string) pb {
	return modelOf(18, graphOf("g", initial(externalOf("w", where...)), out("w")))
}

// write makes a file, and the folders above it.
func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestExternal(t *testing.T) {
	dir := t.TempDir()
	data := []byte{9, 9, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64} // two bytes, then 1, 2 and 3
	write(t, filepath.Join(dir, "m", "w.bin"), data)
	write(t, filepath.Join(dir, "m", "sub", "w.bin"), data)
	write(t, filepath.Join(dir, "outside.bin"), data)
	links := map[string]string{"inside": "w.bin", "outside": "../outside.bin", "up": "..", "dev": "/dev/zero"}
	for link, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, "m", link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "m", "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "m", "empty"), nil)
	model := filepath.Join(dir, "m", "model.onnx")
	read := func(location, offset string) (*graph.Graph, error) {
		write(t, model, externalModel("location", location, "offset", offset, "length", "12", "checksum", "none"))
		return Read(t.Context(), model, Options{})
	}
	for _, location := range []string{"w.bin", "sub/w.bin", "./sub/../w.bin", "inside"} {
		g, err := read(location, "2")
		if err != nil {
			t.Errorf("%s: %v", location, err)
		} else if w := g.Outputs[0].Const.Tensor().F; w[0] != 1 || w[2] != 3 {
			t.Errorf("%s: %v", location, w)
		}
	}
	absolute := filepath.Join(dir, "m", "w.bin")
	for _, c := range []struct{ location, offset, want string }{
		{"missing.bin", "0", `initializer "w": its data is in the file "missing.bin", which is missing in the model's`},
		{"w.bin", "3", `its data is bytes 3 to 15 of the file "w.bin", which ends at byte 14: it is cut off`},
		{"w.bin", "4611686018427387000", `which ends at byte 14`},
		{absolute, "2", "which is not in the model's folder"},
		{"../outside.bin", "2", "which is not in the model's folder"},
		{"sub/../../outside.bin", "2", "which is not in the model's folder"},
		{"outside", "2", `its data is in the file "outside", a link to ` + filepath.Join(dir, "outside.bin") +
			", which is not in the model's folder: copy that file into the folder, or name the model in a folder that has both"},
		{"up/outside.bin", "2", "which is not in the model's folder: copy that file"},
		{"dev", "2", "a link to /dev/zero, which is not"},
		{"fifo", "2", "fifo: it is a pipe, not a regular file"},
		{"sub", "2", "sub: it is a folder, not a regular file"},
		{"empty", "2", "empty: the file is empty"},
	} {
		_, err := read(c.location, c.offset)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "onnx: "+model+": ") {
			t.Errorf("%s: error %v, want %q", c.location, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	write(t, model, externalModel("location", "w.bin"))
	if _, err := Read(ctx, model, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestExternalOption: the caller may have data that lies in no folder.
func TestExternalOption(t *testing.T) {
	data := make([]byte, 12)
	opt := Options{External: func(location string, offset, length int64) ([]byte, error) {
		if location != "../w" || offset != 5 || length != 12 {
			t.Errorf("asked for %s, %d, %d", location, offset, length)
		}
		return data, nil
	}}
	g, err := Decode(externalModel("location", "../w", "offset", "5"), opt)
	if err != nil {
		t.Fatal(err)
	}
	if &g.Outputs[0].Const.Data[0] != &data[0] {
		t.Error("data was copied")
	}
	opt.External = func(string, int64, int64) ([]byte, error) { return data[:11], nil }
	_, err = Decode(externalModel("location", "w"), opt)
	if err == nil || !strings.Contains(err.Error(), "BUG: 11 bytes") {
		t.Errorf("error %v", err)
	}
	opt.Memory = 11
	opt.External = func(string, int64, int64) ([]byte, error) { return nil, errors.New("it was read") }
	_, err = Decode(externalModel("location", "w"), opt)
	if err == nil || !strings.Contains(err.Error(), "its data is 12 bytes outside of the file") {
		t.Errorf("error %v", err)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	add := nodeOf("Add", names("x", "w"), names("y"))
	good := modelOf(18, graphOf("g", in("x"), floats("w", 1, 2, 3), out("y"), add))
	file := filepath.Join(dir, "file")
	for want, data := range map[string][]byte{
		"":                        good,
		"file: the file is empty": {},
		"it is a PNG image":       []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"),
		"it is a web page: the download may have failed": []byte("\n<!DOCTYPE html>\n<html lang=en>"),
		"it is text": []byte("ir_version: 8\nproducer_name: \"ä\"\n" + strings.Repeat("ü", 400)),
		"it is a pointer of Git LFS: run `git lfs pull`": []byte("version https://git-lfs.github.com/spec/v1\noid sha256:1"),
		"it is a zip archive":                            []byte("PK\x03\x04\x14\x00"),
		"it is a TensorFlow Lite model":                  []byte("\x1c\x00\x00\x00TFL3\x00"),
		"the file is cut off, or no ONNX model":          good[:len(good)-9],
		"the file is no ONNX model: damaged":             {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
		"the file is no ONNX model: it has no graph":     {8, 8},
	} {
		write(t, file, data)
		_, err := Read(t.Context(), file, Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := unix.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                          dir + ": it is a folder, not a regular file",
		filepath.Join(dir, "fifo"):   "fifo: it is a pipe, not a regular file",
		"/dev/null":                  "it is a device, not a regular file",
		filepath.Join(dir, "absent"): "no such file",
	} {
		if _, err := Read(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}

// TestCutOff: every file that lacks its end is an error, in one sentence.
func TestCutOff(t *testing.T) {
	b, err := os.ReadFile("testdata/types.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for n := range b { // the last field says the version of operators

		if _, err := Decode(b[:n], Options{}); err == nil || strings.Contains(err.Error(), "\n") {
			t.Fatalf("the first %d bytes of %d: error %v", n, len(b), err)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestMapped: large files are mapped, and not copied.
func TestMapped(t *testing.T) {
	dir := t.TempDir()
	large := make([]byte, 40<<20)
	large[0] = 1
	inside := initial(headOf("inside", 2, 40<<20).msg(tensorRaw, large))
	outside := initial(headOf("outside", 2, 40<<20).num(tensorLocation, 1).msg(tensorExternal,
		pb(nil).str(pairKey, "location").str(pairValue, "w")))
	model := filepath.Join(dir, "model.onnx")
	write(t, model, modelOf(18, graphOf("g", inside, outside, out("inside"), out("outside"))))
	large[1] = 1
	write(t, filepath.Join(dir, "w"), large)
	n := allocated(func() {
		g, err := Read(t.Context(), model, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if in, out := g.Outputs[0].Const.Data, g.Outputs[1].Const.Data; in[0] != 1 || in[1] != 0 || out[1] != 1 {
			t.Error("wrong contents")
		}
	})
	if n > 1<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
}

// TestLinked: in the cache of Hugging Face, a model and its data are links to files of another folder.
func TestLinked(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	snapshot, data := filepath.Join(dir, "snapshots", "1", "onnx"), make([]byte, 12)
	data[3] = 64 // 2
	write(t, filepath.Join(dir, "blobs", "m"), externalModel("location", "model.onnx_data"))
	write(t, filepath.Join(dir, "blobs", "w"), data)
	write(t, filepath.Join(dir, "other", "w"), data)
	write(t, filepath.Join(dir, "blobs", "deep", "w"), data)
	if err := os.MkdirAll(snapshot, 0o777); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(snapshot, "model.onnx")
	if err := os.Symlink("../../../blobs/m", model); err != nil {
		t.Fatal(err)
	}
	const outside = "is not in the model's folder"
	for to, want := range map[string]string{
		"../../../blobs/w": "", "../../../other/w": outside, "/dev/zero": outside, "../../../blobs/deep/w": outside,
		"../../../blobs/missing": "which is missing",
	} {
		link := filepath.Join(snapshot, "model.onnx_data")
		os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		g, err := Read(t.Context(), model, Options{})
		if want == "" {
			if err != nil || g.Outputs[0].Const.Tensor().F[0] != 2 {
				t.Errorf("%s: %v", to, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", to, err, want)
		}
	}
}

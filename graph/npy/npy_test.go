package npy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// arrays has one of each type and of several ranks.
func arrays() []Named {
	var list []Named
	shapes := [][]int64{{}, {3}, {2, 3}, {0, 3}, {1, 2, 1, 2}}
	for i, t := range tir.DTypes() {
		shape := shapes[i%len(shapes)]
		data := make([]byte, graph.Elems(shape)*int64(t.Bytes()))
		for k := range data {
			data[k] = byte(k % 2)
		}
		list = append(list, Named{t.String(), &graph.Const{Type: t, Shape: shape, Data: data}})
	}
	return list
}

// TestRoundTrip: what is written is read again.
func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	want := arrays()
	if err := Write(path, want); err != nil {
		t.Fatal(err)
	}
	checkFile(t, path, want)
	one := filepath.Join(t.TempDir(), "x.npy")
	if err := Write(one, want[2:3]); err != nil {
		t.Fatal(err)
	}
	checkFile(t, one, []Named{{"x", want[2].Const}})
	if err := Write(one, want[:2]); err == nil || !strings.Contains(err.Error(), ".npz") {
		t.Errorf("two arrays in a .npy file: %v", err)
	}
}

func checkFile(t *testing.T, path string, want []Named) {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(f.Arrays) != len(want) {
		t.Fatalf("%d arrays, want %d", len(f.Arrays), len(want))
	}
	for i, a := range f.Arrays {
		got, err := a.Data()
		w := want[i]
		if err != nil || a.Name != w.Name || got.Type != w.Type || !slices.Equal(got.Shape,
			w.Shape) || !bytes.Equal(got.Data, w.Data) {
			t.Errorf("%s: got %s %s %v %v, %v", w.Name, a.Name, a.Type, a.Shape, got, err)
		}
	}
}

// TestNumPy: NumPy reads what we write, and writes again what we read.
func TestNumPy(t *testing.T) {
	python := os.Getenv("WMTUNE_PYTHON")
	if python == "" {
		t.Skip("WMTUNE_PYTHON does not name a Python with numpy: nothing was checked")
	}
	dir := t.TempDir()
	want := arrays()
	if err := Write(filepath.Join(dir, "ours.npz"), want); err != nil {
		t.Fatal(err)
	}
	script := "import numpy, sys\na = numpy.load(sys.argv[1] + '/ours.npz')\n" +
		"numpy.savez(sys.argv[1] + '/plain.npz', **a)\nnumpy.savez_compressed(sys.argv[1] + '/packed.npz', **a)\n" +
		"for k in a: print(k, a[k].dtype.str, list(a[k].shape))\n"
	cmd := exec.Command(python, "-c", script, dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, a := range want {
		text += fmt.Sprintf("%s %s %s\n", a.Name, types[a.Type], strings.ReplaceAll(fmt.Sprint(a.Shape), " ", ", "))
	}
	if string(out) != text {
		t.Errorf("NumPy reads\n%s", out)
	}
	checkFile(t, filepath.Join(dir, "plain.npz"), want)
	checkFile(t, filepath.Join(dir, "packed.npz"), want)
}

// TestRejected: damaged files are errors.
func TestRejected(t *testing.T) {
	dir := t.TempDir()
	array := func(version byte, header, data string) string {
		return magic + string([]byte{version, 0, byte(len(header)), byte(len(header) >> 8)}) + header + data
	}
	const head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n"
	for _, c := range []struct{ name, content, want string }{
		{"text", "hello, world", "neither a .npz nor a .npy"},
		{"empty", "", "neither a .npz nor a .npy"},
		{"torn header", array(1, head, "")[:20], "ends in its header"},
		{"no line end", array(1, "{}", ""), "not NumPy's"},
		{"version", array(9, head, ""), "version 9"},
		{"type", array(1, strings.Replace(head, "<f4", ">f4", 1), ""), ">f4"},
		{"objects", array(1, strings.Replace(head, "<f4", "|O", 1), ""), "|O"},
		{"Fortran", array(1, strings.Replace(head, "False", "True", 1), ""), "ascontiguousarray"},
		{"negative", array(1, strings.Replace(head, "2, 3", "-2, 3", 1), ""), "shape (-2, 3)"},
		{"huge", array(1, strings.Replace(head, "2, 3", "9999999999, 9999999999", 1), ""), "is not supported"},
		{"short", array(1, head, "1234"), "4 of its 24 bytes"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			_, err = f.Arrays[0].Data()
			f.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(dir, "nothing")); err == nil {
		t.Error("a missing file is no error")
	}
	if _, err := Open(dir); err == nil {
		t.Error("a folder is no error")
	}
}

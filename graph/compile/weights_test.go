package compile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// TestWeightsOfOnePlace: constants that begin at the same byte of a file are two, unless they are equal.
func TestWeightsOfOnePlace(t *testing.T) {
	data := make([]byte, 4000)
	short := &graph.Const{Type: tir.F32, Shape: []int64{4}, Data: data[:16]}
	long := &graph.Const{Type: tir.F32, Shape: []int64{1000}, Data: data}
	copied := &graph.Const{Type: tir.F32, Shape: []int64{4}, Data: make([]byte, 16)}
	w := &weights{}
	a, b, c := w.add(short, nil), w.add(long, nil), w.add(copied, nil)
	if a.Offset == b.Offset || a != c || w.size < 4016 {
		t.Errorf("places %v, %v and %v of %d bytes", a, b, c, w.size)
	}
	one, two := fixed("a", short.Tensor(), 4), fixed("b", long.Tensor(), 1000)
	one.Const, two.Const = short, long
	m := &Model{layout: &layout{stores: map[*graph.Value]*storage{one: {konst: short}, two: {konst: long}}}}
	if n := m.weights(); n != 4016 {
		t.Errorf("%d bytes of weights", n)
	}
}

// TestPackedOfOnePlace: so are those that are packed for their kernels.
func TestPackedOfOnePlace(t *testing.T) {
	b := needBundles(t)
	long := graph.NewTensor(tir.F32, 100)
	for i := range long.F {
		long.F[i] = float64(i)
	}
	whole := long.Const()
	w := &weights{}
	for _, n := range []int64{4, 100} {
		from := &tir.Buffer{Name: "from", Type: tir.F32, Shape: []int64{n}}
		to := &tir.Buffer{Name: "to", Type: tir.F32, Shape: []int64{n}}
		i := tir.NewVar("i")
		copying := &tir.For{Var: i, Extent: tir.Int(n), Body: &tir.Store{Buffer: to, Index: []tir.Expr{i},
			Value: &tir.Load{Buffer: from, Index: []tir.Expr{i}}}}
		w.add(&graph.Const{Type: tir.F32, Shape: []int64{n}, Data: whole.Data[:4*n]},
			&tir.Func{Name: fmt.Sprint("pack", n), Params: []*tir.Buffer{from, to}, Outputs: 1, Body: copying})
	}
	path := filepath.Join(t.TempDir(), "weights")
	if _, err := w.write(t.Context(), b.machine, path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, blob := range w.blobs {
		if got := data[blob.offset:][:blob.bytes]; !bytes.Equal(got, blob.konst.Data) {
			t.Errorf("%v: %v, want %v", blob.konst.Shape, got, blob.konst.Data)
		}
	}
}

// TestNoSpace: a full disk is an error before weights are packed. A file system that cannot reserve blocks is none.
func TestNoSpace(t *testing.T) {
	defer func() { fallocate = unix.Fallocate }()
	w := &weights{}
	w.add(&graph.Const{Type: tir.F32, Shape: []int64{4}, Data: make([]byte, 16)}, nil)
	path := filepath.Join(t.TempDir(), "weights")
	for result, says := range map[error]string{unix.ENOSPC: "no space left on device", unix.EOPNOTSUPP: "", nil: ""} {
		fallocate = func(int, uint32, int64, int64) error { return result }
		_, err := w.write(t.Context(), Machine{}, path)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%v: %v", result, err)
		}
	}
	calls := 0
	fallocate = func(int, uint32, int64, int64) error { // a signal comes during the first call
		if calls++; calls == 1 {
			return unix.EINTR
		}
		return unix.ENOSPC
	}
	if _, err := w.write(t.Context(), Machine{}, path); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("after a signal: %v", err)
	}
}

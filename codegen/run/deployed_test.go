package run

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// TestRotation: each call gets its own copy of the weights, packed or not. All copies hold what the tensor does, lie
// within the footprint and use nearly all of it; other operands stay where they are. Weights that fill the footprint
// alone have no turns.
func TestRotation(t *testing.T) {
	const footprint = 1 << 20
	s := &signature{Outputs: 1, Footprint: footprint, Constants: []int{1, 2}, Tensors: []tensor{
		{Name: "x", Type: tir.F32, Shape: []int64{16}},
		{Name: "w", Type: tir.F32, Shape: []int64{4000}},
		{Name: "b", Type: tir.F32, Shape: []int64{100}},
		{Name: "y", Type: tir.F32, Shape: []int64{16}},
	}}
	inputs := make([][]byte, 3)
	for i, t := range s.inputs() {
		inputs[i] = slices.Repeat([]byte{byte(i + 1)}, int(t.bytes()))
	}
	place, err := newPlacement(s, atUpper, inputs)
	if err != nil {
		t.Fatal(err)
	}
	defer place.close()
	r, err := newRotation(s)
	if err != nil {
		t.Fatal(err)
	}
	const packedBytes = 20000
	prog := &program{packs: []packing{{Pack: measure.Pack{Param: 1, Bytes: packedBytes}}}}
	turns := r.turnsOf(place, prog, place.args)
	defer turns.close()
	each := alignUp(packedBytes, pageBytes) + alignUp(400, pageBytes) + 2*turnGap
	n := len(turns.list) / turns.width
	if n != footprint/int(each) || turns.width != len(place.args.list) {
		t.Fatalf("%d turns of %d pointers", n, turns.width)
	}
	for param, bytes := range map[int]uintptr{1: packedBytes, 2: 400} {
		base := addressOf(r.regions[param].mem)
		var last uintptr
		for k := range n {
			at := turns.list[k*turns.width+param]
			if at < base || at+bytes > base+footprint || k > 0 && at < last+bytes || at%alignBytes != 0 {
				t.Fatalf("copy %d of operand %d is out of place", k, param)
			}
			last = at
			if mem := r.regions[param].mem[at-base:]; mem[0] != byte(param+1) || mem[bytes-1] != byte(param+1) {
				t.Fatalf("copy %d of operand %d does not hold it", k, param)
			}
		}
	}
	for k := range n {
		for _, param := range []int{0, 3} {
			if turns.list[k*turns.width+param] != place.args.list[param] {
				t.Fatalf("operand %d of call %d is elsewhere", param, k)
			}
		}
	}
	w := &server{sig: s, page: &statusPage{}, copies: r}
	w.places[atUpper] = place
	wantTurns(t, w)
	prog.packs[0].Bytes = footprint
	if r.turnsOf(place, prog, place.args) != nil {
		t.Error("weights as large as the footprint have turns")
	}
	s.Constants = nil
	if r, err := newRotation(s); r != nil || err != nil {
		t.Errorf("a task without weights: %v, %v", r, err)
	}
}

// wantTurns fails unless calls of a candidate in a row get the arguments of one copy after the other, and then begin
// again.
func wantTurns(t *testing.T, w *server) {
	t.Helper()
	var got []uintptr
	repeat := purego.NewCallback(func(_, args, n uintptr) uintptr {
		if n != 1 {
			t.Errorf("%d calls with one copy", n)
		}
		got = append(got, args)
		return 0
	})
	c := &hostCandidate{w: w, p: &program{base: &base{repeat: repeat, now: worker.Monotonic}, kernel: 1}}
	if bad, err := c.ready(); bad != "" || err != nil || c.turns == nil {
		t.Fatalf("%s %v: turns %v", bad, err, c.turns)
	}
	defer c.turns.close()
	turns := c.turns
	n := len(turns.list) / turns.width
	for _, calls := range []int{1, n, 1} { // the next sample goes on where the one before ended
		if _, err := c.call(calls); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != n+2 {
		t.Fatalf("%d calls, want %d", len(got), n+2)
	}
	for i, args := range got {
		if args != uintptr(unsafe.Pointer(&turns.list[i%n*turns.width])) {
			t.Fatalf("call %d has not the arguments of copy %d", i, i%n)
		}
	}
}

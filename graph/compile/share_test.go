package compile

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/models"
	"github.com/wmtune/wmtune/search"
	"github.com/wmtune/wmtune/search/space"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
	"github.com/wmtune/wmtune/tune/costmodel"
)

// rowsOf has a product of rows by constants, and one of its result.
func rowsOf(t *testing.T, rows string) *Model {
	t.Helper()
	g := opened(graphtest.MustParse(`
		input x: float32[703, 96]
		const w: float32[96, 160]
		const v: float32[160, 112]
		m = MatMul(x, w)
		r = Relu(m)
		y = MatMul(r, v)
		output y`, 18), map[int64]string{703: "rows"})
	m, err := NewPlans(t.Context(), g, parsed(t, rows), pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// drawn returns states of a task, at random.
func drawn(t *testing.T, k *Task, n int) []*schedule.State {
	t.Helper()
	task := &search.Task{Name: k.Name, DAG: k.DAG, Target: target.Generic(32, 2), Layout: target.Rewrite,
		Space: space.Default(target.LLVM, space.Config{Layout: target.Rewrite})}
	source, err := task.Space.Open(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	var list []*schedule.State
	rng := rand.New(rand.NewPCG(1, 5))
	for range n {
		if state, err := source.Sample(rng); err == nil {
			list = append(list, state)
		}
	}
	return list
}

// TestLayoutOf: functions that pack an operand have the same description if they make the same bytes of it, and only
// then, but for operands with zeros at their ends.
func TestLayoutOf(t *testing.T) {
	k := rowsOf(t, "rows=7,31").Tasks[0]
	bytes, texts, several := map[string]string{}, map[string]string{}, 0
	for _, state := range drawn(t, k, 150) {
		f, err := lower.Lower(state, lower.Config{Target: target.Generic(32, 2), Layout: target.Rewrite, Until: "relayout"})
		if err != nil || f.Pack(1) == nil {
			continue
		}
		pack := f.Pack(1)
		w, to := interp.NewTensor(pack.Params[0]), interp.NewTensor(pack.Params[1])
		for i := range w.Len() {
			w.SetFloat(i, float64(i+1))
		}
		if err := interp.Run(pack, []*interp.Tensor{w, to}, interp.Options{}); err != nil {
			t.Fatal(err)
		}
		text, data := lower.LayoutOf(pack), string(to.Data)
		if text == "" {
			t.Fatalf("no description of\n%s", pack)
		}
		if was, ok := bytes[text]; ok && was != data {
			t.Errorf("%s: other bytes", text)
		}
		if was, ok := texts[data]; ok && was != text {
			t.Errorf("the same bytes are %s and %s", was, text)
		}
		if _, ok := bytes[text]; ok {
			several++
		}
		bytes[text], texts[data] = data, text
	}
	if len(bytes) < 10 || several < 10 {
		t.Errorf("%d layouts, %d of them again", len(bytes), several)
	}
	if text := lower.LayoutOf(&tir.Func{}); text != "" {
		t.Error(text)
	}
}

// TestKindred: what is chosen for another plan reads the weights as the plan that costs most does, also where a record
// would read them otherwise, and the tiles follow from its.
func TestKindred(t *testing.T) {
	b := needBundles(t)
	m := rowsOf(t, "rows=256,32")
	scorer, err := costmodel.Open(t.Context(), costmodel.Default(), costmodel.Options{Kind: target.LLVM})
	if err != nil {
		t.Fatal(err)
	}
	said := &saying{}
	s := &scheduler{machine: b.machine, scorer: scorer, name: costmodel.Default(), model: models.Fingerprint(target.LLVM),
		db: openTestDatabase(t), tell: said, layouts: newLayouts(m)}
	for round := range 2 { // the second from what the database remembers
		s.layouts = newLayouts(m)
		if _, err := s.schedule(t.Context(), m.Tasks); err != nil {
			t.Fatal(err)
		}
		if len(m.Tasks) != 4 || len(said.lines) > 0 {
			t.Fatalf("%d tasks, %q", len(m.Tasks), said.lines)
		}
		for i, k := range m.Tasks {
			if k.Source != Scored || layoutText(k.Func, 1) == plainLayout {
				t.Errorf("%s: %s, %s", k.Name, k.Source, layoutText(k.Func, 1))
			}
			if text := layoutText(k.Func, 1); text != layoutText(m.Tasks[i%2].Func, 1) {
				t.Errorf("round %d, %s: %s", round, k.Name, text)
			}
		}
	}
	want := map[int]string{1: layoutText(m.Tasks[0].Func, 1)}
	other := slices.IndexFunc(drawn(t, m.Tasks[2], 50), func(x *schedule.State) bool { return !s.stateReads(x, want) })
	if other < 0 {
		t.Fatal("all states read as wanted")
	}
	want[1] = "no such layout"
	list, err := s.fitting(t.Context(), m.Tasks[2], want, m.Tasks[0])
	if err != nil || len(list) == 0 || len(said.lines) != 1 || !strings.Contains(said.lines[0], "stored once more") {
		t.Errorf("%d candidates, %q, %v", len(list), said.lines, err)
	}
}

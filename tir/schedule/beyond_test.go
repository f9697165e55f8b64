package schedule

import (
	"strings"
	"testing"
)

// A step put in or taken out leaves the others following what they followed.
func TestInsertAndWithout(t *testing.T) {
	d := matmulRelu(8, 12, 16)
	s := mustReplay(t, New(d), `[["SP", 2, 0, 8, [2], 1], ["SP", 2, 2, 12, [4], 1], ["FSP", 3, 0, 0, 1], ["FFSP", 3, 2, [0, 1], 0, 1]]`)
	pad := StorageAlign{At: 2, Iter: 4, Factor: 8, Offset: 4}
	more := Insert(s.Steps, 1, pad)
	want := `[["SP", 2, 0, 8, [2], 1], ["SA", 2, 4, 8, 4], ["SP", 2, 2, 12, [4], 1], ["FSP", 3, 0, 0, 1], ["FFSP", 3, 2, [0, 2], 0, 1]]`
	if got := string(FormatSteps(more)); got != want {
		t.Errorf("with one more: %s, want %s", got, want)
	}
	if got, want := string(FormatSteps(Without(more, func(i int) bool { return i == 1 }))), string(FormatSteps(s.Steps)); got != want {
		t.Errorf("without it again: %s, want %s", got, want)
	}
}

func TestConventional(t *testing.T) {
	d := matmulRelu(8, 12, 16)
	plain := mustReplay(t, New(d), `[["SP", 2, 0, 8, [2], 1], ["FSP", 3, 0, 0, 1], ["PR", 2, 0, "auto_unroll_max_step$16"]]`)
	if same, err := Conventional(plain, nil); err != nil || same != plain || Extras(plain.Steps) != 0 {
		t.Errorf("%v, %v: a state of AutoScheduler's steps changes", same, err)
	}
	odd := mustReplay(t, New(d), `[["SA", 2, 0, 32, 4], ["SP", 2, 0, 8, [2], 1], ["FSP", 3, 0, 1, 1], ["PR", 2, 0, "auto_unroll_max_step$16"]]`)
	got, err := Conventional(odd, nil)
	if err != nil || got.Signature() != plain.Signature() || Extras(odd.Steps) != 1 {
		t.Errorf("%v, %v: want the state of %s", got, err, FormatSteps(plain.Steps))
	}
	buffered := mustReplay(t, New(d), `[["SP", 2, 0, 8, [2], 1], ["FSP", 3, 0, 0, 1], ["PR", 2, 0, "auto_unroll_max_step$16"], ["PR", 2, 0, "double_buffer$1"]]`)
	if c, err := Conventional(buffered, nil); err != nil || c.Signature() != plain.Signature() || buffered.Signature() == plain.Signature() {
		t.Errorf("%v, %v: two buffers are not told apart, or not left out", c, err)
	}
	for _, text := range []string{"double_buffer$3", "double_buffer$-1", "double_buffer$", "double_buffer"} {
		if _, err := plain.Apply(Pragma{At: 2, Text: text}); err == nil || !strings.Contains(err.Error(), "pragma") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if strings.Contains(got.String(), "None") {
		t.Errorf("no bounds:\n%s", got)
	}
}

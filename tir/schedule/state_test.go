package schedule

import "testing"

func TestSignature(t *testing.T) {
	d := matmulRelu(8, 12, 16)
	sig := func(steps string) [16]byte { return mustReplay(t, New(d), steps).Signature() }
	same := [][2]string{
		{`[]`, `[["PR", 2, 0, "auto_unroll_max_step$0"]]`},
		{`[["SP", 2, 0, 8, [2], 1]]`, `[["SP", 2, 0, 0, [2], 1]]`},
		{`[["CA", 2, 3, 0]]`, `[["CA", 2, 3, 1], ["CA", 2, 3, 0]]`},
		{`[["AN", 2, 0, 3], ["AN", 3, 0, 3]]`, `[["AN", 3, 0, 3], ["AN", 2, 0, 3]]`},
	}
	for _, p := range same {
		if sig(p[0]) != sig(p[1]) {
			t.Errorf("different: %s %s", p[0], p[1])
		}
	}
	seen := map[[16]byte]string{}
	for _, steps := range []string{
		`[]`,
		`[["SP", 3, 0, 8, [1], 1]]`, // loops of one iteration count
		`[["SP", 3, 0, 8, [2], 1]]`,
		`[["SP", 3, 0, 8, [2], 0]]`,
		`[["SP", 3, 0, 8, [4], 1]]`,
		`[["SP", 3, 0, 8, [0], 1]]`,
		`[["RE", 3, [1, 0]]]`,
		`[["FU", 3, [0, 1]]]`,
		`[["FU", 3, []]]`,
		`[["AN", 3, 0, 3]]`,
		`[["AN", 3, 1, 3]]`,
		`[["AN", 3, 0, 1]]`,
		`[["CA", 2, 3, 0]]`,
		`[["CA", 2, 3, 1]]`,
		`[["PR", 2, 0, "auto_unroll_max_step$16"]]`,
		`[["SA", 2, 0, 32, 4]]`,
		`[["SA", 2, 0, 32, 8]]`,
		`[["CHR", 0, "shared", [2]]]`,
		`[["CHR", 0, "local", [2]]]`,
		`[["CHW", 2, "local"]]`,
		`[["SP", 2, 2, 16, [4], 1], ["RF", 2, 2, 2]]`,
		`[["SP", 2, 2, 16, [4], 1], ["RF", 2, 2, 0]]`,
		`[["SP", 2, 2, 16, [4], 1], ["RF", 2, 3, 2]]`,
	} {
		s := sig(steps)
		if other, ok := seen[s]; ok {
			t.Errorf("same: %s %s", steps, other)
		}
		seen[s] = steps
	}
	if New(matmulRelu(8, 12, 16)).Signature() != New(d).Signature() {
		t.Error("the same DAG, made twice, differs")
	}
	if New(matmulRelu(8, 12, 17)).Signature() == New(d).Signature() {
		t.Error("another DAG does not differ")
	}
	s := mustReplay(t, New(d), `[["CA", 2, 3, 0]]`)
	b, err := s.InferBound()
	if err != nil || b.Signature() != s.Signature() {
		t.Error("bound inference changes the signature", err)
	}
}

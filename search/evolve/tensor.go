package evolve

import (
	"cmp"

	"github.com/wmtune/wmtune/tir/schedule"
)

// ByTensorCores is below 0 if tensor cores compute more stages of a than of b, above 0 if
// less. No scorer knows of them: nothing they learnt from has them. What they are for they
// multiply several times as fast as other units do (16 times on an A100, by NVIDIA's data sheet:
// 312 against 19.5 TFLOP/s), and programs with them come before those without, whatever the
// scores. Scores order the programs of each kind.
func ByTensorCores(a, b *schedule.State) int { return cmp.Compare(tensorized(b), tensorized(a)) }

// tensorized counts the stages that tensor cores compute.
func tensorized(s *schedule.State) int {
	n := 0
	for _, st := range s.Stages {
		if st.Op.Combine != nil && st.IsTensorized() {
			n++
		}
	}
	return n
}

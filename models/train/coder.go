package train

import (
	"github.com/wmtune/wmtune/dataset/trajectory"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/transition"
)

// Coder returns how trajectory.Build writes actions into the datasets that models are
// trained from.
func Coder() trajectory.Coder {
	encode := func(v []float32, before *schedule.State, step schedule.Step) string {
		a := transition.Resolve(before, step)
		a.Vector(v)
		return a.Text()
	}
	return trajectory.Coder{Name: transition.VectorName, Size: transition.Size, Encode: encode}
}

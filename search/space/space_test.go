package space

import (
	"reflect"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

func TestFind(t *testing.T) {
	for _, kind := range []target.Kind{target.LLVM, target.CUDA} {
		for i, name := range Names(kind) {
			s, err := Find(kind, name)
			if err != nil || s.Mutators == nil {
				t.Errorf("%s of %s: %v", name, kind, err)
			}
			if d, err := Find(kind, ""); i == 0 && (err != nil || !reflect.DeepEqual(len(d.Mutators), len(s.Mutators))) {
				t.Errorf("the default of %s is not %s: %v", kind, name, err)
			}
		}
		if _, err := Find(kind, "other"); err == nil || !strings.Contains(err.Error(), "wmtune, autoscheduler") {
			t.Errorf("unknown space of %s: %v", kind, err)
		}
	}
	d := Default(target.LLVM)
	if kept := In(d, target.Keep); len(kept.Sketch.Rules) != len(d.Sketch.Rules)-2 ||
		len(In(d, target.Rewrite).Sketch.Rules) != len(d.Sketch.Rules) {
		t.Errorf("weights that stay as they are have %d rules of %d", len(kept.Sketch.Rules), len(d.Sketch.Rules))
	}
	if len(Names("tpu")) != 0 {
		t.Error("an unknown kind has spaces")
	}
}

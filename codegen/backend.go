package codegen

import (
	"fmt"
	"io"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Backend writes functions as the text that a target's compiler reads.
type Backend struct {
	Kind     target.Kind
	Language string // of the text: "llvm"; a name for --as
	Suffix   string // of files that hold the text: ".ll"
	Emit     func(w io.Writer, f *tir.Func, t target.Target) error
}

// Backends is the table of emitters.
func Backends() []Backend {
	return []Backend{
		{target.LLVM, "llvm", ".ll", llvm.Emit},
	}
}

// BackendOf returns the emitter for a kind of target.
func BackendOf(kind target.Kind) (Backend, error) {
	for _, b := range Backends() {
		if b.Kind == kind {
			return b, nil
		}
	}
	return Backend{}, fmt.Errorf("codegen: no emitter for target %q", kind)
}

package llvm

import (
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// Promote shows what promote does to a program.
func Promote(fn *tir.Func, t target.Target) *tir.Func {
	g := *fn
	g.Body = newModule(fn, t).promote(fn.Body)
	return &g
}

// Lanewise shows what lanewise does to a program.
func Lanewise(fn *tir.Func, t target.Target) *tir.Func {
	g := *fn
	g.Body = newModule(fn, t).lanewise(fn.Body)
	return &g
}

// Widen shows what widen does to a program.
func Widen(fn *tir.Func, t target.Target) *tir.Func {
	g := *fn
	g.Body = newModule(fn, t).widen(fn.Body)
	return &g
}

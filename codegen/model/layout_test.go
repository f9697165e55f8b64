package model_test

import (
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/tir"
)

func TestValidName(t *testing.T) {
	for name, says := range map[string]string{
		"resnet50": "", "a_b": "", "A": "",
		"": "letters", "5a": "letters", "_a": "letters", "a-b": "letters", "é": "letters", "a b": "letters",
		"int": "word of C", "class": "word of C", "unix": "word of C", "float": "word of C",
		"wmtune": "code generator", "wmtune_x": "code generator", strings.Repeat("a", 41): "41 characters",
	} {
		err := model.ValidName(name)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", name, err, says)
		}
	}
}

// TestRejected: a program that is not consistent is rejected before anything is compiled. The
// error says where.
func TestRejected(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	call := func(p *model.Program, i int) model.Call { return p.Steps[i].(model.Call) }
	args := func(p *model.Program, i, arg int, place model.Place) {
		c := call(p, i)
		c.Args = append([]model.Place(nil), c.Args...)
		c.Args[arg] = place
		p.Steps[i] = c
	}
	arena := func(offset int64) model.Place { return model.Place{Space: model.Arena, Offset: offset} }
	for says, change := range map[string]func(*model.Program){
		`"int" cannot name a library`:                   func(p *model.Program) { p.Name = "int" },
		"an arena of -1 bytes":                          func(p *model.Program) { p.Arena = -1 },
		"port x has the shape [-1]":                     func(p *model.Program) { p.Inputs[0].Shape = []int64{-1} },
		"port x has no type":                            func(p *model.Program) { p.Inputs[0].Type = tir.Invalid },
		"input x is bounded":                            func(p *model.Program) { p.Inputs[0].Bounded = true },
		"kernel 2 of 2":                                 func(p *model.Program) { c := call(p, 0); c.Kernel = 2; p.Steps[0] = c },
		"2 arguments for the 3 parameters of mul":       func(p *model.Program) { c := call(p, 0); c.Args = c.Args[:2]; p.Steps[0] = c },
		"steps[1], a call of add for node n1: argument": func(p *model.Program) { args(p, 1, 0, model.Place{}) },
		"arena+32: it must be a multiple of 64":         func(p *model.Program) { args(p, 0, 2, arena(32)) },
		"3200 bytes at arena+128: that has 3264 bytes":  func(p *model.Program) { args(p, 0, 2, arena(128)) },
		"input 0+0 cannot be written":                   func(p *model.Program) { args(p, 0, 2, model.Place{Space: model.Input}) },
		"weights+0 cannot be written":                   func(p *model.Program) { args(p, 0, 2, model.Place{Space: model.Weights}) },
		"input 1+0: there is no such memory":            func(p *model.Program) { args(p, 0, 0, model.Place{Space: model.Input, Index: 1}) },
		"output shape 0+0: there is no such memory":     func(p *model.Program) { args(p, 1, 2, model.Place{Space: model.OutputShape}) },
		"arguments 0, A, and 2, C, overlap":             func(p *model.Program) { p.Arena += 64; args(p, 1, 2, arena(128)) },
		"steps[2], a check: arena+2: it must be":        func(p *model.Program) { p.Steps = append(p.Steps, model.Check{Error: arena(2)}) },
		"steps[2], a copy: -1 bytes":                    func(p *model.Program) { p.Steps = append(p.Steps, model.Copy{From: arena(0), To: arena(0), Bytes: -1}) },
		"steps[2], the condition of an if: none+0":      func(p *model.Program) { p.Steps = append(p.Steps, model.If{}) },
		"steps[2], a loop: trip count: arena+4: it":     func(p *model.Program) { p.Steps = append(p.Steps, model.Loop{Trip: arena(4)}) },
		"steps[2], a loop: counter: weights+0 cannot": func(p *model.Program) {
			p.Steps = append(p.Steps, model.Loop{Counter: model.Place{Space: model.Weights}})
		},
		"steps[2].body[0].else[0], a check: none+0": func(p *model.Program) {
			p.Steps = append(p.Steps, model.Loop{Body: []model.Step{model.If{Cond: arena(0), Else: []model.Step{model.Check{}}}}})
		},
		"steps[2]: unknown step <nil>": func(p *model.Program) { p.Steps = append(p.Steps, nil) },
	} {
		p, _ := scaled("two")
		change(p)
		if _, err := model.Build(t.Context(), b, p, host(b), model.Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// TestBuildErrors: an error about one kernel names it; and there may be no linker.
func TestBuildErrors(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	p, w := scaled("two")
	p.Kernels[1].Body = tir.Sequence(p.Kernels[1].Body, &tir.Barrier{})
	if _, err := model.Build(t.Context(), b, p, host(b), model.Options{}); err == nil || !strings.Contains(err.Error(), "kernel 1, add: llvm: barrier") {
		t.Errorf("%v", err)
	}
	p, _ = scaled("two")
	if _, err := model.Build(t.Context(), b, p, host(b), model.Options{Embed: w[1:]}); err == nil || !strings.Contains(err.Error(), "are not the program's") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := model.Build(t.Context(), b, p, host(b), model.Options{}); err == nil || !strings.Contains(err.Error(), "apt-get install binutils") {
		t.Errorf("%v", err)
	}
}

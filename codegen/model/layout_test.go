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
		"sem": "sem_open", "iconv": "iconv_open", "exp": "",
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
	args := func(p *model.Program, i, arg int, place model.Place) {
		c := p.Steps[i].(model.Call)
		c.Args = append([]model.Place(nil), c.Args...)
		c.Args[arg] = place
		p.Steps[i] = c
	}
	add := func(p *model.Program, s model.Step) { p.Steps = append(p.Steps, s) }
	first := func(p *model.Program, change func(*model.Call)) {
		c := p.Steps[0].(model.Call)
		change(&c)
		p.Steps[0] = c
	}
	arena := func(offset int64) model.Place { return model.Place{Space: model.Arena, Offset: offset} }
	in, w := model.Place{Space: model.Input}, model.Place{Space: model.Weights}
	for says, change := range map[string]func(*model.Program){
		`"int" cannot name a library`: func(p *model.Program) { p.Name = "int" },
		"an arena of -1 bytes":        func(p *model.Program) { p.Arena = -1 },
		"port x has the shape [-1]":   func(p *model.Program) { p.Inputs[0].Shape = []int64{-1} },
		"port x has no type":          func(p *model.Program) { p.Inputs[0].Type = tir.Invalid },
		"input x is bounded":          func(p *model.Program) { p.Inputs[0].Bounded = true },
		"kernel 2 of 2":               func(p *model.Program) { first(p, func(c *model.Call) { c.Kernel = 2 }) },
		"2 arguments for the 3 parameters of mul": func(p *model.Program) {
			first(p, func(c *model.Call) { c.Args = c.Args[:2] })
		},
		"steps[1], a call of add for node n1: argument": func(p *model.Program) { args(p, 1, 0, model.Place{}) },
		"arena+32: it must be a multiple of 64":         func(p *model.Program) { args(p, 0, 2, arena(32)) },
		"3200 bytes at arena+128: that has 3264 bytes":  func(p *model.Program) { args(p, 0, 2, arena(128)) },
		"input 0+0 cannot be written":                   func(p *model.Program) { args(p, 0, 2, in) },
		"weights+0 cannot be written":                   func(p *model.Program) { args(p, 0, 2, w) },
		"input 1+0: there is no such memory": func(p *model.Program) {
			args(p, 0, 0, model.Place{Space: model.Input, Index: 1})
		},
		"output shape 0+0: there is no such memory": func(p *model.Program) {
			args(p, 1, 2, model.Place{Space: model.OutputShape})
		},
		"arguments 0, A, and 2, C, overlap": func(p *model.Program) { p.Arena += 64; args(p, 1, 2, arena(128)) },
		"n1: arguments 0, A, and 2, C, overlap": func(p *model.Program) {
			args(p, 1, 2, p.Steps[1].(model.Call).Args[0])
		},
		"steps[2], a check: arena+2: it must be":     func(p *model.Program) { add(p, model.Check{Error: arena(2)}) },
		"steps[2], a copy: -1 bytes":                 func(p *model.Program) { add(p, model.Copy{arena(0), arena(0), -1}) },
		"steps[2], the condition of an if: none+0":   func(p *model.Program) { add(p, model.If{}) },
		"steps[2], a loop: trip count: arena+4: it":  func(p *model.Program) { add(p, model.Loop{Trip: arena(4)}) },
		"steps[2], a loop: counter: weights+0 canno": func(p *model.Program) { add(p, model.Loop{Counter: w}) },
		"steps[2].body[0].else[0], a check: none+0": func(p *model.Program) {
			add(p, model.Loop{Body: []model.Step{model.If{Cond: arena(0), Else: []model.Step{model.Check{}}}}})
		},
		"steps[2]: unknown step <nil>": func(p *model.Program) { add(p, nil) },
	} {
		p, _ := scaled("two")
		change(p)
		wantError(t, b, p, model.Options{}, says)
	}
}

func wantError(t *testing.T, b *build.Builder, p *model.Program, opt model.Options, says string) {
	t.Helper()
	if _, err := model.Build(t.Context(), b, p, host(b), opt); err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("%v, want %s", err, says)
	}
}

// TestBuildErrors: an error about one kernel names it.
func TestBuildErrors(t *testing.T) {
	b := buildtest.NeedLLVM(t, build.Config{})
	p, w := scaled("two")
	p.Kernels[1].Body = tir.Sequence(p.Kernels[1].Body, &tir.Barrier{})
	wantError(t, b, p, model.Options{}, "kernel 1, add: llvm: barrier")
	p, _ = scaled("two")
	wantError(t, b, p, model.Options{Embed: w[1:]}, "are not the program's")
}

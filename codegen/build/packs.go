package build

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir"
)

// packsOf lists the parameters of fn that are packed.
func packsOf(fn *tir.Func) []measure.Pack {
	var list []measure.Pack
	for i, b := range fn.Params {
		if p := fn.Pack(i); p != nil {
			list = append(list, measure.Pack{
				Param: i, Symbol: llvm.PackSymbol(i), Name: fn.Plain(i).Name, Shape: b.Shape, Bytes: b.Bytes(),
			})
		}
	}
	return list
}

// plain returns fn with the parameters that its caller has.
func plain(fn *tir.Func) *tir.Func {
	g := &tir.Func{Name: fn.Name, Outputs: fn.Outputs, Body: fn.Body}
	for i := range fn.Params {
		g.Params = append(g.Params, fn.Plain(i))
	}
	return g
}

// packName returns the name of the C function that packs parameter i of one
// called name.
func packName(name string, fn *tir.Func, i int) string {
	return name + "_pack_" + cParams(plain(fn))[i]
}

// packHeader documents the functions that pack parameters.
func packHeader(name string, fn *tir.Func) string {
	var b strings.Builder
	plainNames, names := cParams(plain(fn)), cParams(fn)
	for i, packed := range fn.Params {
		p := fn.Pack(i)
		if p == nil {
			continue
		}
		from, typ := p.Params[0], cTypes[packed.Type].name
		fmt.Fprintf(&b, "\n/* Packs %s: %s%s, %d bytes, which is constant, for %s: one call is\n * enough. All of "+
			"the result is written:\n *\n",
			plainNames[i], typ, cShape(from.GivenShape()), from.Bytes(), name)
		if p.Element != nil {
			fmt.Fprintf(&b, " *   %s\n", strings.TrimSpace(renamed(p, names[i], plainNames[i]).String()))
		}
		if p.Note != "" {
			fmt.Fprintf(&b, " *\n * %s\n", strings.Join(wrapped(p.Note, 84), "\n * "))
		}
		fmt.Fprintf(&b, " */\nvoid %s(const %s *%s, %s *%s);\n", packName(name, fn, i), typ, plainNames[i], typ, names[i])
	}
	return b.String()
}

// wrapped returns a text in lines of so many bytes.
func wrapped(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		if n := len(lines) - 1; n >= 0 && len(lines[n])+1+len(word) <= width {
			lines[n] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// renamed returns what packs an element with the names that the tensors have in C.
func renamed(p *tir.Func, packed, plain string) *tir.Store {
	s := p.Element
	value := tir.SubstituteLoads(s.Value, func(l *tir.Load) tir.Expr {
		if l.Buffer != p.Params[0] {
			return l
		}
		return &tir.Load{Buffer: &tir.Buffer{Name: plain, Type: l.Buffer.Type}, Index: l.Index}
	})
	return &tir.Store{Buffer: &tir.Buffer{Name: packed}, Index: s.Index, Value: value}
}

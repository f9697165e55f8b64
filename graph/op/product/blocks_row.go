package product

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
)

// A product of few rows reads each weight once, so what unpacks one is most of its work. The function by hand needs one
// operation less than a schedule for each of these: a number stays where it lies in its word, times 16 for each number
// below it, and the other operand is divided by as much; both are exact. Zero points and scales are those of sums:
//
//	for b: part = sum(h, s) x[b*32 + h*4 + s]/16^h * (word[b, s, j] & 15<<4h);  y[j] += (part - zero*sum(x))*scale

// fewRows is the number of rows up to which the function is made, and rowLanes its columns at a time.
const (
	fewRows  = 2
	rowLanes = 64
)

func fewRowsOf(n *graph.Node) bool {
	y := n.Outputs[0]
	return n.Inputs[1].Const != nil && y.Shape[0] <= fewRows && y.Shape[1]%rowLanes == 0 && y.Type == tir.F32 &&
		n.Inputs[2].Type == tir.F32
}

func rowsByBlocks(n *graph.Node) (*tir.Func, error) {
	b, err := blocksOf(n, n.Inputs[1:])
	if err != nil {
		return nil, err
	}
	rows := n.Outputs[0].Shape[0]
	x, y := Parameter("x", n.Inputs[0]), Parameter("y", n.Outputs[0])
	words, packWords := inTiles("words", n.Inputs[1])
	scale, packScale := inTiles("scale", n.Inputs[2])
	zero, packZero := inTiles("zero", n.Inputs[3])
	small, sums := Scratch("small", tir.F32, x.Shape...), Scratch("sums", tir.F32, rows, b.count)
	f := NewFunc("block_matmul", 1, nil, x, words, scale, zero, y)
	for _, p := range []*tir.Func{packWords, packScale, packZero} {
		if p != nil {
			f.Packs = append(f.Packs, p)
		}
	}
	size := b.step * b.per
	divide := Nest([]int64{rows, b.count}, tir.Serial, func(at []tir.Expr) tir.Stmt {
		list := []tir.Stmt{Store(sums, real32(0), at...)}
		for h := range b.per {
			by := real32(1)
			if h < b.per-1 {
				by = tir.Float(tir.F32, 1/float64(int64(1)<<(b.bits*h)))
			}
			list = append(list, Loop("s", b.step, func(s tir.Expr) tir.Stmt {
				k := []tir.Expr{at[0], Add(Plus(Times(at[1], size), h*b.step), s)}
				return Seq(Store(small, Mul(Load(x, k...), by), k...), Store(sums, Add(Load(sums, at...), Load(x, k...)), at...))
			}))
		}
		return Seq(list...)
	})
	parts, total := Scratch("parts", tir.F32, rows, rowLanes), Scratch("total", tir.F32, rows, rowLanes)
	of := func(p *tir.Buffer, at ...tir.Expr) tir.Expr {
		if p.Elems() == 1 {
			at = Zeros(len(p.Shape))
		}
		return Cast(Load(p, at...), tir.F32)
	}
	each := func(do func(r, lane tir.Expr) tir.Stmt) tir.Stmt {
		var list []tir.Stmt
		for r := range rows {
			list = append(list, Vector("j", rowLanes, func(lane tir.Expr) tir.Stmt { return do(tir.Int(r), lane) }))
		}
		return Seq(list...)
	}
	clear := func(t *tir.Buffer) tir.Stmt {
		return each(func(r, lane tir.Expr) tir.Stmt { return Store(t, real32(0), r, lane) })
	}
	tile := func(j tir.Expr) tir.Stmt {
		add := Loop("b", b.count, func(block tir.Expr) tir.Stmt {
			step := Loop("s", b.step, func(s tir.Expr) tir.Stmt {
				var list []tir.Stmt
				for h := range b.per {
					k := Add(Plus(Times(block, size), h*b.step), s)
					list = append(list, each(func(r, lane tir.Expr) tir.Stmt {
						number := b.number(Load(words, j, block, s, lane), h)
						return Store(parts, Add(Load(parts, r, lane), Mul(Load(small, r, k), Cast(number, tir.F32))), r, lane)
					}))
				}
				return Seq(list...)
			})
			return Seq(clear(parts), step, each(func(r, lane tir.Expr) tir.Stmt {
				part := Sub(Load(parts, r, lane), Mul(of(zero, j, block, lane), Load(sums, r, block)))
				return Store(total, Add(Load(total, r, lane), Mul(part, of(scale, j, block, lane))), r, lane)
			}))
		})
		return Allocs(Seq(clear(total), add, each(func(r, lane tir.Expr) tir.Stmt {
			return Store(y, Load(total, r, lane), r, Add(Times(j, rowLanes), lane))
		})), parts, total)
	}
	tiles := Nest([]int64{b.n / rowLanes}, tir.Parallel, func(at []tir.Expr) tir.Stmt { return tile(at[0]) })
	f.Body = Allocs(Seq(divide, tiles), small, sums)
	return f, nil
}

// number is number h of a word, in its place; the highest one, where a sign would be, is not.
func (b blocks) number(word tir.Expr, h int64) tir.Expr {
	if h == b.per-1 {
		return tir.Bin(tir.BitAnd, tir.Bin(tir.Shr, word, Num32(b.bits*h)), Num32(1<<b.bits-1))
	}
	return tir.Bin(tir.BitAnd, word, Num32((1<<b.bits-1)<<(b.bits*h)))
}

// real32 is a constant of type float32.
func real32(v float64) tir.Expr { return tir.Float(tir.F32, v) }

// inTiles returns the parameter for weights whose columns lie in tiles, and what packs them; as they are, one number.
func inTiles(name string, v *graph.Value) (*tir.Buffer, *tir.Func) {
	plain := Parameter(name, v)
	if v.Elems() == 1 {
		return plain, nil
	}
	last := len(v.Shape) - 1
	packed := &tir.Buffer{Name: name + "_packed", Type: v.Type}
	packed.Shape = append([]int64{v.Shape[last] / rowLanes}, v.Shape[:last]...)
	packed.Shape = append(packed.Shape, rowLanes)
	body := Nest(packed.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		from := append(append([]tir.Expr{}, at[1:last+1]...), Add(Times(at[0], rowLanes), at[last+1]))
		return &tir.Block{Name: "pack_" + name, Body: Store(packed, Load(plain, from...), at...)}
	})
	return packed, NewFunc(fmt.Sprint("pack_", name), 1, body, plain, packed)
}

package product

import (
	"fmt"
	"math"

	"github.com/wmtune/wmtune/graph"
	. "github.com/wmtune/wmtune/graph/op/expr"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A product by words is a function by hand, for tiles of columns that fill registers, in parallel:
//
//	two rows at most    each number becomes a float32 in registers; a block is a sum of its own, times its scale
//	more rows           a panel of weights becomes float32 in a core's cache, and all rows are multiplied by it
//	rows of bytes       each number becomes a byte in registers; a block is a sum of int32
//
// A number n at bit p of a word becomes a float32 without a conversion: over the bits of 2^(23-p) it is 2^(23-p)+n. So
// n less its zero point is one subtraction, and exact: what is infinite is multiplied by just what the definition says.
type wordsKernel struct {
	blocks
	rows         int64
	tiles, lanes int64 // of columns; columns of a tile
	vectors      int64 // of a tile
	registers    int64
	whole        bool          // zero points are whole numbers
	one          *graph.Tensor // the zero point of all columns

	x, y, words, scale, zero *tir.Buffer
	by, sums                 *tir.Buffer // of a block of a row of bytes: its scale, and the sum of its bytes
}

const (
	// A panel of so many steps and four vectors of AVX-512 takes 32 KiB.
	panelSteps = 128
	fewRows    = 2
	mostParts  = 16 // of rows and tiles of columns
)

func anyBlockMatMul(n *graph.Node) (*tir.Func, error) {
	return blockMatMulFor(n, target.Generic(64, 1))
}

// blockMatMulFor returns the function for a target. A target whose instructions do not multiply bytes has rows of bytes
// made float32 first.
func blockMatMulFor(n *graph.Node, t target.Target) (*tir.Func, error) {
	b, err := blocksOf(n, n.Inputs[1:])
	if err != nil {
		return nil, err
	}
	hw := t.Hardware
	vector := hw.Lanes(4)
	k := &wordsKernel{blocks: b, rows: n.Outputs[0].Shape[0], registers: int64(hw.VectorRegisters)}
	k.vectors = (b.n + vector - 1) / vector
	if tiles := (k.vectors + k.registers/8 - 1) / (k.registers / 8); tiles > 0 {
		k.vectors = (k.vectors + tiles - 1) / tiles // tiles are alike
	}
	k.lanes = k.vectors * vector
	k.tiles = (b.n + k.lanes - 1) / k.lanes
	k.x, k.y = Parameter("x", n.Inputs[0]), Parameter("y", n.Outputs[0])
	f := NewFunc("block_matmul", 1, nil, k.x)
	for i, p := range []**tir.Buffer{&k.words, &k.scale, &k.zero} {
		var pack *tir.Func
		if *p, pack = k.inTiles([]string{"words", "scale", "zero"}[i], n.Inputs[i+1]); pack != nil {
			f.Packs = append(f.Packs, pack)
		}
		f.Params = append(f.Params, *p)
	}
	z := n.Inputs[3]
	k.whole = z.Type.IsInt()
	if z.Elems() == 1 {
		k.one = z.Const.Tensor()
		k.whole = k.one.At(0) == math.Trunc(k.one.At(0))
	}
	if len(n.Inputs) > 4 {
		k.by, k.sums = Parameter("by", n.Inputs[4]), Parameter("sums", n.Inputs[5])
		f.Params = append(f.Params, k.by, k.sums)
	}
	f.Params = append(f.Params, k.y)
	dots := false
	for _, i := range tir.InstructionsOf(t.CPU, t.Has, hw.VectorBytes) {
		dots = dots || i.Multiplies(tir.U8, tir.I8, tir.I32) && i.Depth == bytesOfWord
	}
	switch {
	case k.by != nil && dots:
		f.Body = k.dots()
	case k.by != nil:
		real := Scratch("real", tir.F32, k.x.Shape...)
		bytes := k.x
		k.x = real
		f.Body = Alloc(real, Seq(Nest([]int64{k.rows, b.count}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
			return Vector("s", b.size(), func(s tir.Expr) tir.Stmt {
				i := []tir.Expr{at[0], Add(Times(at[1], b.size()), s)}
				return Store(real, Mul(Cast(Load(bytes, i...), tir.F32), Load(k.by, at...)), i...)
			})
		}), k.eachTile(k.floats)))
	default:
		f.Body = k.eachTile(k.floats)
	}
	return f, nil
}

func (k *wordsKernel) floats(tile tir.Expr) tir.Stmt {
	if k.rows <= fewRows {
		return k.few(tile)
	}
	return k.panels(tile)
}

// eachTile has a function write a tile of all rows to a temporary, and that to the result.
func (k *wordsKernel) eachTile(product func(tile tir.Expr) tir.Stmt) tir.Stmt {
	return Nest([]int64{k.tiles}, tir.Parallel, func(at []tir.Expr) tir.Stmt { return product(at[0]) })
}

// stored stores lanes of a row of the result.
func (k *wordsKernel) stored(v, row, tile, lane tir.Expr) tir.Stmt {
	j := Add(Times(tile, k.lanes), lane)
	s := Store(k.y, Cast(v, k.y.Type), row, j)
	if k.n%k.lanes != 0 {
		return &tir.If{Cond: Lt(j, tir.Int(k.n)), Then: s}
	}
	return s
}

// tileRows runs body for rows, so many at a time as registers hold, and for the rest. Body is called twice at most.
func (k *wordsKernel) tileRows(most int64, body func(first tir.Expr, rows int64) tir.Stmt) tir.Stmt {
	times := (k.rows + most - 1) / most
	each := (k.rows + times - 1) / times
	whole := k.rows / each
	list := []tir.Stmt{Loop("i", whole, func(i tir.Expr) tir.Stmt { return body(Times(i, each), each) })}
	if rest := k.rows % each; rest > 0 {
		list = append(list, body(tir.Int(whole*each), rest))
	}
	return Seq(list...)
}

// each runs body for the columns of some rows.
func (k *wordsKernel) each(rows int64, body func(row, lane tir.Expr) tir.Stmt) tir.Stmt {
	return unroll("r", rows, func(r tir.Expr) tir.Stmt {
		return Vector("j", k.lanes, func(lane tir.Expr) tir.Stmt { return body(r, lane) })
	})
}

// fields runs body for each number of a word: at is its place, and step that of the sum, from the word's first on.
func (k *wordsKernel) fields(body func(at, step int64) tir.Stmt) tir.Stmt {
	var list []tir.Stmt
	for step := range k.per {
		list = append(list, body(k.place(step), step))
	}
	return Seq(list...)
}

// few multiplies rows by numbers in registers, block by block. A sum is of so many parts that none waits for another.
func (k *wordsKernel) few(tile tir.Expr) tir.Stmt {
	parts := fewRows / k.rows
	part, total := Scratch("part", tir.F32, parts*k.rows, k.lanes), Scratch("total", tir.F32, k.rows, k.lanes)
	return Allocs(Seq(k.clear(total, k.rows), Loop("b", k.count, func(b tir.Expr) tir.Stmt {
		return Seq(k.clear(part, parts*k.rows), Loop("s", k.step, func(s tir.Expr) tir.Stmt {
			return k.fields(func(at, step int64) tir.Stmt {
				return k.each(k.rows, func(r, lane tir.Expr) tir.Stmt {
					x, p := Cast(Load(k.x, r, k.stepOf(b, s, step)), tir.F32), Plus(r, step%parts*k.rows)
					return Store(part, Add(Load(part, p, lane), Mul(x, k.number(tile, b, s, lane, at))), p, lane)
				})
			})
		}), k.each(k.rows, func(r, lane tir.Expr) tir.Stmt {
			sum := Load(part, r, lane)
			for p := int64(1); p < parts; p++ {
				sum = Add(sum, Load(part, Plus(r, p*k.rows), lane))
			}
			return Store(total, Add(Load(total, r, lane), Mul(sum, k.of(k.scale, tile, b, lane))), r, lane)
		}))
	}), k.each(k.rows, func(r, lane tir.Expr) tir.Stmt {
		return k.stored(Load(total, r, lane), r, tile, lane)
	})), part, total)
}

// panels multiplies rows by weights that become float32 first, those of some blocks at a time.
func (k *wordsKernel) panels(tile tir.Expr) tir.Stmt {
	blocks, words := divisor(k.count, panelSteps/k.size()), divisor(k.step, panelSteps/k.per)
	steps := words * k.per
	panel, total := Scratch("panel", tir.F32, blocks, steps, k.lanes), Scratch("total", tir.F32, k.rows, k.lanes)
	const unrolled = 4
	clear := Loop("i", k.rows, func(i tir.Expr) tir.Stmt {
		return Vector("j", k.lanes, func(lane tir.Expr) tir.Stmt { return Store(total, real32(0), i, lane) })
	})
	product := Nest([]int64{k.count / blocks, k.step / words}, tir.Serial, func(c []tir.Expr) tir.Stmt {
		of := func(b tir.Expr) tir.Expr { return Add(Times(c[0], blocks), b) }
		unpack := Nest([]int64{blocks, words}, tir.Serial, func(at []tir.Expr) tir.Stmt {
			return k.fields(func(place, step int64) tir.Stmt {
				return Vector("j", k.lanes, func(lane tir.Expr) tir.Stmt {
					word := Add(Times(c[1], words), at[1])
					w := Mul(k.number(tile, of(at[0]), word, lane, place), k.of(k.scale, tile, of(at[0]), lane))
					return Store(panel, w, at[0], Plus(Times(at[1], k.per), step), lane)
				})
			})
		})
		return Seq(unpack, k.tileRows((k.registers-k.vectors-1)/k.vectors, func(i tir.Expr, rows int64) tir.Stmt {
			return Nest([]int64{blocks, steps / unrolled}, tir.Serial, func(at []tir.Expr) tir.Stmt {
				return unroll("u", unrolled, func(u tir.Expr) tir.Stmt {
					s := Add(Times(at[1], unrolled), u)
					return k.each(rows, func(r, lane tir.Expr) tir.Stmt {
						at0 := Add(Times(of(at[0]), k.size()), Times(c[1], steps))
						x := Cast(Load(k.x, Add(i, r), Add(at0, s)), tir.F32)
						return Store(total, Add(Load(total, Add(i, r), lane), Mul(x, Load(panel, at[0], s, lane))), Add(i, r), lane)
					})
				})
			})
		}))
	})
	return Allocs(Seq(clear, product, Loop("i", k.rows, func(i tir.Expr) tir.Stmt {
		return Vector("j", k.lanes, func(lane tir.Expr) tir.Stmt { return k.stored(Load(total, i, lane), i, tile, lane) })
	})), panel, total)
}

// dots multiplies rows of bytes. The sum of a block begins with what zero points take off it, if they are alike.
// Where there are few tiles of columns, parts of the rows are in parallel, too.
func (k *wordsKernel) dots() tir.Stmt {
	most := max(1, (k.registers-k.vectors-3)/(2*k.vectors))
	parts := divisor(k.rows, min(k.rows/most, mostParts/k.tiles))
	return Nest([]int64{k.tiles * parts}, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		part := *k
		part.rows = k.rows / parts
		return part.tileRows(most, func(i tir.Expr, rows int64) tir.Stmt {
			return k.dotRows(Floordiv(at[0], parts), Add(Times(Floormod(at[0], parts), part.rows), i), rows)
		})
	})
}

// dotRows computes a tile of some rows.
func (k *wordsKernel) dotRows(tile, i tir.Expr, rows int64) tir.Stmt {
	one := k.whole && k.one != nil
	part, total := Scratch("part", tir.I32, rows, k.lanes), Scratch("total", tir.F32, rows, k.lanes)
	product := Loop("b", k.count, func(b tir.Expr) tir.Stmt {
		begin := k.each(rows, func(r, lane tir.Expr) tir.Stmt {
			v := tir.Expr(Num32(0))
			if one {
				v = Mul(Load(k.sums, Add(i, r), b), Num32(-int64(k.one.At(0))))
			}
			return Store(part, v, r, lane)
		})
		sum := unroll("s", k.step, func(s tir.Expr) tir.Stmt {
			return unroll("p", k.perByte(), func(p tir.Expr) tir.Stmt {
				return k.each(rows, func(r, lane tir.Expr) tir.Stmt {
					g := tir.NewVar("g")
					shift := Cast(Add(Times(g, byteBits), Times(p, k.bits)), tir.I32)
					w := tir.Bin(tir.BitAnd, tir.Bin(tir.Shr, Load(k.words, tile, b, s, lane), shift), Num32(1<<k.bits-1))
					x := Load(k.x, Add(i, r), Add(k.stepOf(b, s, 0), Add(Times(p, bytesOfWord), g)))
					return &tir.For{Var: g, Extent: tir.Int(bytesOfWord), Kind: tir.Tensorized,
						Body: Store(part, Add(Load(part, r, lane), Mul(w, Cast(x, tir.I32))), r, lane)}
				})
			})
		})
		return Seq(begin, sum, k.each(rows, func(r, lane tir.Expr) tir.Stmt {
			v := Cast(Load(part, r, lane), tir.F32)
			if !one {
				v = Sub(v, Mul(k.of(k.zero, tile, b, lane), Cast(Load(k.sums, Add(i, r), b), tir.F32)))
			}
			scale := Mul(k.of(k.scale, tile, b, lane), Load(k.by, Add(i, r), b))
			return Store(total, Add(Load(total, r, lane), Mul(v, scale)), r, lane)
		}))
	})
	return Allocs(Seq(k.clear(total, rows), product, k.each(rows, func(r, lane tir.Expr) tir.Stmt {
		return k.stored(Load(total, r, lane), Add(i, r), tile, lane)
	})), part, total)
}

func (k *wordsKernel) clear(b *tir.Buffer, rows int64) tir.Stmt {
	return k.each(rows, func(r, lane tir.Expr) tir.Stmt { return Store(b, real32(0), r, lane) })
}

// stepOf returns a step of the sum, from the first of a word on.
func (k *wordsKernel) stepOf(b, s tir.Expr, step int64) tir.Expr {
	return Plus(Add(Times(b, k.size()), Times(s, k.per)), step)
}

// of returns what a block of columns has of scales or zero points.
func (k *wordsKernel) of(p *tir.Buffer, tile, b, lane tir.Expr) tir.Expr {
	if p == k.zero && k.one != nil {
		return real32(k.one.At(0))
	}
	if p.Elems() == 1 {
		return Cast(Load(p, Zeros(len(p.Shape))...), tir.F32)
	}
	return Cast(Load(p, tile, b, lane), tir.F32)
}

// number returns the number at a place of a word, less its zero point.
func (k *wordsKernel) number(tile, b, s, lane tir.Expr, at int64) tir.Expr {
	const half, mantissa, bias = 16, 23, 127
	word := Load(k.words, tile, b, s, lane)
	bit := k.bits * at
	if bit >= half {
		word, bit = tir.Bin(tir.Shr, word, Num32(half)), bit-half
	}
	over := (mantissa - bit + bias) << mantissa
	field := tir.Bin(tir.BitAnd, word, Num32((1<<k.bits-1)<<bit))
	v := &tir.Bitcast{X: tir.Bin(tir.BitOr, field, Num32(over)), To: tir.F32}
	more := math.Ldexp(1, int(mantissa-bit))
	switch zero := k.of(k.zero, tile, b, lane); {
	case k.whole && k.one != nil:
		return Sub(v, real32(more+k.one.At(0)))
	case k.whole:
		return Sub(v, Add(zero, real32(more)))
	default:
		return Sub(Sub(v, real32(more)), zero)
	}
}

// real32 is a constant of type float32.
func real32(v float64) tir.Expr { return tir.Float(tir.F32, v) }

// divisor returns the largest divisor of n up to most; at least 1.
func divisor(n, most int64) int64 {
	d := max(1, min(n, most))
	for n%d != 0 {
		d--
	}
	return d
}

// unroll is Loop, written out.
func unroll(name string, extent int64, body func(i tir.Expr) tir.Stmt) tir.Stmt {
	v := tir.NewVar(name)
	return &tir.For{Var: v, Extent: tir.Int(extent), Kind: tir.Unrolled, Body: body(v)}
}

// inTiles returns the parameter for weights whose columns lie in tiles, the last of which zeros fill up, and what packs
// them; as it is, one number.
func (k *wordsKernel) inTiles(name string, v *graph.Value) (*tir.Buffer, *tir.Func) {
	plain := Parameter(name, v)
	if v.Elems() == 1 {
		return plain, nil
	}
	last := len(v.Shape) - 1
	packed := &tir.Buffer{Name: name + "_packed", Type: v.Type}
	packed.Shape = append([]int64{k.tiles}, v.Shape[:last]...)
	packed.Shape = append(packed.Shape, k.lanes)
	body := Nest(packed.Shape, tir.Parallel, func(at []tir.Expr) tir.Stmt {
		j := Add(Times(at[0], k.lanes), at[last+1])
		from := Load(plain, append(append([]tir.Expr{}, at[1:last+1]...), j)...)
		if k.n%k.lanes != 0 {
			from = &tir.Select{Cond: Lt(j, tir.Int(k.n)), Then: from, Else: tir.Const(v.Type, 0), Lazy: true}
		}
		return &tir.Block{Name: "pack_" + name, Body: Store(packed, from, at...)}
	})
	return packed, NewFunc(fmt.Sprint("pack_", name), 1, body, plain, packed)
}

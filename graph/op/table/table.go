// Package table joins the tables of all families. A package that looks operators up imports it.
package table

import (
	"github.com/wmtune/wmtune/graph/op"
	"github.com/wmtune/wmtune/graph/op/classic"
	"github.com/wmtune/wmtune/graph/op/extent"
	"github.com/wmtune/wmtune/graph/op/image"
	"github.com/wmtune/wmtune/graph/op/microsoft"
	"github.com/wmtune/wmtune/graph/op/order"
	"github.com/wmtune/wmtune/graph/op/pointwise"
	"github.com/wmtune/wmtune/graph/op/product"
	"github.com/wmtune/wmtune/graph/op/rare"
	"github.com/wmtune/wmtune/graph/op/reduce"
	"github.com/wmtune/wmtune/graph/op/sequence"
	"github.com/wmtune/wmtune/graph/op/tensor"
	"github.com/wmtune/wmtune/graph/op/window"
)

// tables has all rows, a table a family.
var tables = [][]op.Row{
	pointwise.Elementwise,
	tensor.Constants,
	pointwise.WindowFunctions,
	rare.Mels,
	pointwise.Comparisons,
	pointwise.Bitwise,
	pointwise.Lookups,
	pointwise.Extremes,
	reduce.Softmaxes,
	rare.Distances,
	product.Attending,
	reduce.Reductions,
	reduce.Places,
	reduce.Cumulations,
	rare.Determinants,
	reduce.Normalizing,
	reduce.Losses,
	reduce.Dynamic,
	reduce.RowBytes,
	pointwise.Optimizers,
	classic.Features,
	classic.Encoders,
	classic.Scorers,
	classic.Coupling,
	classic.Trees,
	classic.Transforms,
	rare.Counting,
	pointwise.Activations,
	pointwise.Trigonometric,
	pointwise.Casts,
	product.Quantizing,
	pointwise.Randoms,
	tensor.Reshaping,
	tensor.Moving,
	tensor.Joining,
	tensor.Slicing,
	tensor.Gathering,
	tensor.Selecting,
	sequence.Control,
	tensor.Scattering,
	order.TopK,
	order.Compacting,
	window.Convolutions,
	window.Winograds,
	window.TransposedConvolutions,
	window.DeformedConvolutions,
	window.Causal,
	window.Columns,
	image.Unpools,
	reduce.Responses,
	product.Products,
	product.Blocked,
	window.Pools,
	reduce.Norms,
	product.Attentions,
	product.Rotaries,
	product.LinearAttentions,
	sequence.Recurrent,
	image.Resizes,
	image.Grids,
	image.Regions,
	image.Suppressions,
	rare.Spectra,
	rare.Fast,
	microsoft.Gelus,
	microsoft.Norms,
	microsoft.Attentions,
	microsoft.Fused,
	microsoft.Quantized,
	microsoft.Products,
	microsoft.Others,
	microsoft.FewBits,
	extent.Extents,
}

func init() { op.AddRows(tables...) }

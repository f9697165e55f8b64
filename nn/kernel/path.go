package kernel

// A path is one way to compute: what a processor can do decides which one is used.
type path struct {
	name string
	tiles[float32]
	double tiles[float64]

	// lanes is of how many values the counts must be multiples that the following are
	// called with.
	lanes    int
	expSum   func(x []float32, scale, shift float32) float32
	gelu     func(to, x []float32)
	geluGrad func(to, x, grad []float32)
	tanh     func(to, x []float32)
	largest  func(x []float32) float32
	addTimes func(to []float32, a float32, x []float32)
	sumTimes func(x, y []float32) float32
}

// maxTile is the size of the largest tile, maxLanes that of the widest register.
const (
	maxTile  = 12 * 32
	maxLanes = 16
)

// best is the path that this processor takes.
var best = paths()[0]

// Path names what computes here: "avx512", "avx2" or "go". Sums are rounded
// differently on each.
func Path() string { return best.name }

var pathGo = &path{
	name: "go", tiles: tilesOf(6, 16, tileGo[float32]), double: tilesOf(6, 16, tileGo[float64]),
	lanes: 1, expSum: expSumGo, gelu: geluGo, geluGrad: geluGradGo, tanh: tanhGo,
	largest: largestGo, addTimes: axpyGo[float32], sumTimes: dotGo[float32],
}

package graph

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestCounts: products and sums of counts are those of numbers without bounds, or too large for any tensor.
func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	numbers := []int64{0, 1, -1, 2, 3, 1 << 32, 1 << 58, 1<<58 + 1, -1 << 58, 1 << 62, math.MaxInt64, math.MinInt64}
	for range 20_000 {
		list := make([]int64, 1+rng.IntN(4))
		product, sum, nothing, negative := big.NewInt(1), new(big.Int), false, false
		for i := range list {
			if list[i] = numbers[rng.IntN(len(numbers))]; rng.IntN(2) == 0 {
				list[i] = rng.Int64N(1 << rng.IntN(62))
			}
			d := big.NewInt(list[i])
			product.Mul(product, d)
			sum.Add(sum, d)
			nothing, negative = nothing || list[i] == 0, negative || list[i] < 0
		}
		got := Times(list...)
		switch fits := product.IsInt64() && product.Int64() <= MaxElems && !negative; {
		case nothing && got != 0, fits && got != product.Int64(), !nothing && !fits && got <= MaxElems:
			t.Fatalf("the product of %d is %d", list, got)
		}
		for _, limit := range []*big.Int{big.NewInt(beyond), big.NewInt(-beyond)} {
			if sum.CmpAbs(limit) > 0 && sum.Sign() == limit.Sign() {
				sum = limit
			}
		}
		if got := Plus(list[0], list[1:]...); got != sum.Int64() {
			t.Fatalf("the sum of %d is %d, want %d", list, got, sum)
		}
	}
}

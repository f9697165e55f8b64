// Package kernel multiplies matrices of float32 for the networks of wmtune, and
// computes what stands between the products: softmax, GELU, tanh, LayerNorm. It is
// in AVX-512 or AVX2 assembly where the processor has it, in Go elsewhere.
//
// One call runs on one goroutine; callers that train several networks at a time
// use all cores. Sums are in a fixed order, so results do not depend on anything
// but the operands and the path: the paths round differently.
package kernel

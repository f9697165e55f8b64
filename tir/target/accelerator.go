package target

// The memories of the simulated accelerator, in bytes (Chen et al., TVM, OSDI 2018, 6.4): of both operands of products,
// of sums, and of micro-operations.
const (
	InpBytes   = 32 << 10
	WgtBytes   = 32 << 10
	AccBytes   = 128 << 10
	MicroBytes = 32 << 10
)

// Accelerator returns the simulated accelerator. Two virtual threads take turns: one multiplies while memory is loaded
// for the other.
func Accelerator() Target {
	return Target{Kind: VDLA, CPU: string(VDLA), Features: []string{string(VDLA)}, Hardware: Hardware{
		Cores: 1, VectorBytes: 64, CacheLineBytes: 64, MaxVthread: 2,
	}}
}

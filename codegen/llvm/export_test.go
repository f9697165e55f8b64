package llvm

var (
	TwoOverPi = twoOverPi
	HalfPi    = halfPi
)

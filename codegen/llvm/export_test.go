package llvm

const ErfEnd = erfEnd

var (
	TwoOverPi = twoOverPi
	HalfPi    = halfPi
)

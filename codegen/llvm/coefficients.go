package llvm

// Written by TestCoefficients with -update: coefficients, lowest power first, of
// the polynomials whose largest error is least. Single is for float, Double for
// double.

var (

	// (e^r - 1 - r)/r^2 for |r| <= ln(2)/2
	expSingle = []float64{
		0x1.fffffep-02, 0x1.5554bp-03, 0x1.555674p-05, 0x1.122798p-07,
		0x1.6bec1ep-10,
	}
	expDouble = []float64{
		0x1.0000000000005p-01, 0x1.5555555555539p-03, 0x1.555555555229bp-05, 0x1.1111111118fddp-07,
		0x1.6c16c17ee374ep-10, 0x1.a01a0175098ecp-13, 0x1.a019a75679316p-16, 0x1.71de880e1c029p-19,
		0x1.28a1f9d99f2a4p-22, 0x1.ae6bbe16ec74cp-26,
	}

	// -ln(1 - erf x)/x - 2/sqrt(pi) for 0 <= x <= 4
	erfSingle = []float64{
		-0x1.d0d9a2p-25, 0x1.45f2fap-01, 0x1.a4fa5ep-04, -0x1.39cdcap-06,
		-0x1.505baep-13, 0x1.b4ffc6p-10, -0x1.4bc946p-11, 0x1.ed6aaep-14,
		-0x1.3694f6p-17,
	}
	erfDouble = []float64{
		-0x1.4f0e4f6969b78p-57, 0x1.45f306dc9c8d9p-01, 0x1.a4f4e2a1a9b29p-04, -0x1.396685908c9d1p-06,
		-0x1.b6b6a1ce1bddp-13, 0x1.bca691e2bf99bp-10, -0x1.35663bfa40a5bp-11, 0x1.b29b02060d8ddp-16,
		0x1.0e32f07c7c5b4p-14, -0x1.f0326be9f6517p-16, 0x1.a96c08845e3b5p-19, 0x1.a480d7515f04ap-19,
		-0x1.116e260f6e04p-19, 0x1.325d769cefd1ap-21, -0x1.92990a90b4836p-27, -0x1.1a4eb58f649dap-24,
		0x1.29123418922a2p-25, -0x1.72289f32505f8p-27, 0x1.446b0319fd824p-29, -0x1.9d7bea1b2f2fdp-32,
		0x1.7a612eebfb85p-35, -0x1.d97a76fdcb7e2p-39, 0x1.6ba0a87d27acdp-43, -0x1.02d6a469e8efap-48,
	}

	// (atanh(s)/s - 1 - z/3)*2/z^2 with z = s^2 <= ((sqrt(2)-1)/(sqrt(2)+1))^2
	logSingle = []float64{
		0x1.997b36p-02, 0x1.2f55cep-02,
	}
	logDouble = []float64{
		0x1.9999999999996p-02, 0x1.249249249303dp-02, 0x1.c71c71c57f7abp-03, 0x1.745d1832c52dbp-03,
		0x1.3b1362976f615p-03, 0x1.1120ba3ec60fp-03, 0x1.de32b4d050b54p-04, 0x1.eb17421774f34p-04,
	}
)

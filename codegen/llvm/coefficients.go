package llvm

// Written by TestCoefficients with -update: coefficients, lowest power first, of
// the polynomials, and ratios of polynomials, whose largest error is least. Single
// is for float, Double for double.

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

	// (above(z)*z + 1)/below(z) = t/x with t - t^3*4/27 = erf x and z = x^2, for 0 <= x <= 3.92
	erfSingleAbove = []float64{
		0x1.6141dcp-04, 0x1.36fcc2p-07, 0x1.bc6266p-12, 0x1.24835ap-18,
	}
	erfSingleBelow = []float64{
		0x1.c5bf8ap-01, 0x1.a32c06p-03, 0x1.680c54p-06, 0x1.6563dap-10,
		0x1.6c64e8p-15,
	}

	// -ln(1 - erf x)/x - 2/sqrt(pi) for 0 <= x <= 6
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

	// (sin(r)/r - 1)/z with z = r^2 <= 0.6235, for float in double precision
	sinSingle = []float64{
		-0x1.5555554c0d7bcp-03, 0x1.11110821c1c1dp-07, -0x1.a00f44ceb548p-13, 0x1.6cc40d92a24ecp-19,
	}
	sinDouble = []float64{
		-0x1.5555555555548p-03, 0x1.111111110f66bp-07, -0x1.a01a019bcfb91p-13, 0x1.71de353e898b6p-19,
		-0x1.ae5e395e5562ap-26, 0x1.5d85f5d30e6a2p-33,
	}

	// (cos r - 1 + z/2)/z^2 with z = r^2, as above
	cosSingle = []float64{
		0x1.555549b1b4fd1p-05, -0x1.6c0bf8701adf7p-10, 0x1.99da6f097d028p-16,
	}
	cosDouble = []float64{
		0x1.555555555554ap-05, -0x1.6c16c16c14dfap-10, 0x1.a01a019c5b9c2p-16, -0x1.27e4f7ccc0544p-22,
		0x1.1ee9c2e8815bdp-29, -0x1.8f99a39a3d544p-37,
	}

	// (atan(y)/y - 1)/z with z = y^2 <= tan(pi/8)^2
	atanSingle = []float64{
		-0x1.55554ap-02, 0x1.9991aep-03, -0x1.23b6c6p-03, 0x1.b202dp-04,
		-0x1.f2598ap-05,
	}
	atanDouble = []float64{
		-0x1.555555555553dp-02, 0x1.99999999958f5p-03, -0x1.24924922b15c9p-03, 0x1.c71c70e7ba415p-04,
		-0x1.745cf90ddef6dp-04, 0x1.3b111c9727f4ap-04, -0x1.10ebdfed81a79p-04, 0x1.df1189f6f5bd8p-05,
		-0x1.9cdcc5dcf93d4p-05, 0x1.37eedd1c657f5p-05, -0x1.25a0e3c9cef4bp-06,
	}
)

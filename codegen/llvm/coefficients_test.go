package llvm_test

import (
	"bytes"
	"fmt"
	"go/format"
	"math"
	"math/big"
	"os"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
)

// A table is the coefficients of one polynomial in coefficients.go, or of the two of a ratio.
type table struct {
	name, doc string // the name of a ratio's is the beginning of theirs
	typ       tir.DType
	limit     float64 // of the relative error of the function, before rounding coefficients
	fit       fit
}

var tables = []table{
	{"expSingle", "(e^r - 1 - r)/r^2 for |r| <= ln(2)/2", tir.F32, 0x1p-26, expFit(4)},
	{"expDouble", "", tir.F64, 0x1p-55, expFit(9)},
	{"erfSingle", "(above(z)*z + 1)/below(z) = t/x with t - t^3*4/27 = erf x and z = x^2, for 0 <= x <= 3.92",
		tir.F32, 0x1p-29, cubicFit(4, 4, llvm.ErfEnd)},
	{"erfDouble", "-ln(1 - erf x)/x - 2/sqrt(pi) for 0 <= x <= 6", tir.F64, 0x1p-55, erfFit(23, 6, 2/math.SqrtPi)},
	{"logSingle", "(atanh(s)/s - 1 - z/3)*2/z^2 with z = s^2 <= ((sqrt(2)-1)/(sqrt(2)+1))^2", tir.F32, 0x1p-29, logFit(1)},
	{"logDouble", "", tir.F64, 0x1p-66, logFit(7)},
	{"sinSingle", "(sin(r)/r - 1)/z with z = r^2 <= 0.6235, for float in double precision", tir.F64, 0x1p-29, sinFit(3)},
	{"sinDouble", "", tir.F64, 0x1p-57, sinFit(5)},
	{"cosSingle", "(cos r - 1 + z/2)/z^2 with z = r^2, as above", tir.F64, 0x1p-29, cosFit(2)},
	{"cosDouble", "", tir.F64, 0x1p-58, cosFit(5)},
	{"atanSingle", "(atan(y)/y - 1)/z with z = y^2 <= tan(pi/8)^2", tir.F32, 0x1p-28, atanFit(4)},
	{"atanDouble", "", tir.F64, 0x1p-57, atanFit(10)},
}

// expFit makes the error of e^r - 1 small in relation to it, and so that of e^r.
func expFit(degree int) fit {
	one := bigOf(1)
	return fit{lo: -0.3467, hi: 0.3467, degree: degree,
		target: func(r *big.Float) *big.Float {
			return bigDiv(bigSub(bigSub(bigExp(r), one), r), bigMul(r, r))
		},
		weight: func(r *big.Float) *big.Float {
			return new(big.Float).Abs(bigDiv(bigMul(r, r), bigSub(bigExp(r), one)))
		}}
}

// erfFit makes the relative error of erf small: one of y*dx in the exponent is
// erfc/erf times that in erf.
func erfFit(degree int, hi, head float64) fit {
	rest := func(x *big.Float) *big.Float { return bigSub(bigOf(1), bigErf(x)) }
	return fit{lo: 0, hi: hi, degree: degree,
		target: func(x *big.Float) *big.Float {
			return bigSub(bigDiv(bigSub(bigOf(0), bigLog(rest(x))), x), bigOf(head))
		},
		weight: func(x *big.Float) *big.Float {
			return bigMul(x, bigDiv(rest(x), bigErf(x)))
		}}
}

// cubicFit makes the relative error of erf small: one of dt in t is that of (1 - t^2*4/9)*dt in erf.
func cubicFit(degree, below int, hi float64) fit {
	erf := func(z *big.Float) (x, y, t *big.Float) {
		x = new(big.Float).SetPrec(prec).Sqrt(z)
		y = bigErf(x)
		return x, y, bigCubic(y)
	}
	return fit{lo: 0, hi: hi * hi, degree: degree, below: below,
		target: func(z *big.Float) *big.Float {
			x, _, t := erf(z)
			return bigDiv(t, x)
		},
		weight: func(z *big.Float) *big.Float {
			x, y, t := erf(z)
			return bigDiv(bigMul(x, cubicSlope(t)), y)
		}}
}

func cubicSlope(t *big.Float) *big.Float {
	return bigSub(bigOf(1), bigDiv(bigMul(bigMul(t, t), bigOf(4)), bigOf(9)))
}

// bigCubic is the t between 0 and 3/2 with t - t^3*4/27 = y, 0 < y < 1: Newton's method from what is nearly it.
func bigCubic(y *big.Float) *big.Float {
	near, _ := y.Float64()
	t := bigOf(3 * math.Sin(math.Asin(near)/3))
	for range 8 {
		cube := bigMul(t, bigMul(t, t))
		value := bigSub(t, bigDiv(bigMul(cube, bigOf(4)), bigOf(27)))
		t = bigSub(t, bigDiv(bigSub(value, y), cubicSlope(t)))
	}
	return t
}

func logFit(degree int) fit {
	return fit{lo: 0, hi: 0.02945, degree: degree,
		target: func(z *big.Float) *big.Float {
			s := new(big.Float).SetPrec(prec).Sqrt(z)
			rest := bigSub(bigDiv(bigAtanh(s), s), bigOf(1))
			rest = bigSub(rest, bigDiv(z, bigOf(3)))
			return bigDiv(bigMul(bigOf(2), rest), bigMul(z, z))
		},
		weight: func(z *big.Float) *big.Float { return bigMul(bigMul(z, z), bigOf(0.5)) }}
}

// sinFit and cosFit reach somewhat further than pi/4, since n is not always the nearest integer.
const quarter = 0.6235

func sinFit(degree int) fit {
	return fit{lo: 0, hi: quarter, degree: degree,
		target: func(z *big.Float) *big.Float {
			r := new(big.Float).SetPrec(prec).Sqrt(z)
			return bigDiv(bigSub(bigDiv(bigSin(r), r), bigOf(1)), z)
		},
		weight: func(z *big.Float) *big.Float {
			r := new(big.Float).SetPrec(prec).Sqrt(z)
			return bigDiv(bigMul(z, r), bigSin(r))
		}}
}

func cosFit(degree int) fit {
	cos := func(z *big.Float) *big.Float { return bigCos(new(big.Float).SetPrec(prec).Sqrt(z)) }
	return fit{lo: 0, hi: quarter, degree: degree,
		target: func(z *big.Float) *big.Float {
			rest := bigAdd(bigSub(cos(z), bigOf(1)), bigMul(z, bigOf(0.5)))
			return bigDiv(rest, bigMul(z, z))
		},
		weight: func(z *big.Float) *big.Float { return bigDiv(bigMul(z, z), cos(z)) }}
}

func atanFit(degree int) fit {
	return fit{lo: 0, hi: 0.17158, degree: degree,
		target: func(z *big.Float) *big.Float {
			y := new(big.Float).SetPrec(prec).Sqrt(z)
			return bigDiv(bigSub(bigDiv(bigAtan(y), y), bigOf(1)), z)
		},
		weight: func(z *big.Float) *big.Float { return z }}
}

// TestCoefficients computes the coefficients anew. With -update it writes the file.
func TestCoefficients(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("package llvm\n\n// Written by TestCoefficients with -update: coefficients, lowest power first, of\n" +
		"// the polynomials, and ratios of polynomials, whose largest error is least. Single\n" +
		"// is for float, Double for double.\n\nvar (\n")
	for _, x := range tables {
		r, err := x.fit.minimax()
		t.Logf("%s: 2^%.1f", x.name, math.Log2(err))
		if err > x.limit {
			t.Errorf("%s: the error is %g, want at most %g", x.name, err, x.limit)
		}
		if x.doc != "" {
			fmt.Fprintf(&b, "\n// %s\n", x.doc)
		}
		if x.fit.below == 0 {
			x.write(&b, "", r.above)
			continue
		}
		first := r.above[0] // which becomes 1
		for _, c := range [][]*big.Float{r.above, r.below} {
			for i := range c {
				c[i] = bigDiv(c[i], first)
			}
		}
		x.write(&b, "Above", r.above[1:])
		x.write(&b, "Below", r.below)
	}
	b.WriteString(")\n")
	got, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	const path = "coefficients.go"
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: computed anew it is\n%s", path, got)
	}
}

// write writes one polynomial.
func (x table) write(b *bytes.Buffer, part string, c []*big.Float) {
	fmt.Fprintf(b, "%s%s = []float64{", x.name, part)
	for i, v := range c {
		f, _ := v.Float64()
		if x.typ == tir.F32 {
			single, _ := v.Float32()
			f = float64(single)
		}
		if i%4 == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%x, ", f)
	}
	b.WriteString("\n}\n")
}

// TestPi holds that the parts of 2/pi and pi/2 add up, and that those of 2/pi leave room for a float.
func TestPi(t *testing.T) {
	add := func(parts []float64) *big.Float {
		sum := bigOf(0)
		for _, p := range parts {
			sum = bigAdd(sum, bigOf(p))
		}
		return sum
	}
	half := bigMul(bigPi, bigOf(0.5))
	if d, _ := bigSub(half, add(llvm.HalfPi[:])).Float64(); math.Abs(d) > 0x1p-163 {
		t.Errorf("pi/2 is %g off", d)
	}
	if d, _ := bigSub(bigDiv(bigOf(1), half), add(llvm.TwoOverPi[:])).Float64(); math.Abs(d) > 0x1p-203 {
		t.Errorf("2/pi is %g off", d)
	}
	for i, p := range llvm.TwoOverPi {
		if scaled := math.Ldexp(p, 29*(i+1)); scaled != math.Trunc(scaled) || scaled >= 1<<29 {
			t.Errorf("part %d of 2/pi, %x, has more than 29 bits or others than its own", i, p)
		}
	}
}

// TestLn2 holds that the parts of ln 2 add up, and that the first leaves room for
// an exponent.
func TestLn2(t *testing.T) {
	for _, x := range []struct {
		name      string
		high, low float64
		room      int // zeros that the high part ends with, as a double
		err       float64
	}{
		{"single", 0.693359375, -0x1.bd0106p-13, 53 - 24 + 9, 0x1p-37},
		{"double", 0x1.62e42feep-1, 0x1.a39ef35793c76p-33, 11, 0x1p-86},
	} {
		d, _ := bigSub(bigLn2, bigAdd(bigOf(x.high), bigOf(x.low))).Float64()
		if math.Abs(d) > x.err {
			t.Errorf("%s: ln 2 is %g off", x.name, d)
		}
		if math.Float64bits(x.high)&(1<<x.room-1) != 0 {
			t.Errorf("%s: %x has more digits than allow for an exact product", x.name, x.high)
		}
	}
}

package compute

import "testing"

func mustParse(t testing.TB, text string) *DAG {
	t.Helper()
	d, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return d
}

const argmaxText = `input x: float32[4, 8]
argmax(i: 4) = reduce(k: 8) {int32(k), x[i, k]}
    from {-1, -3.4028234663852886e+38}
    fold (ai, a) (bi, b) {select(a >= b, ai, bi), select(a >= b, a, b)}
output argmax.v0, argmax.v1
`

func TestPrint(t *testing.T) {
	cases := []struct{ name, text, full, simple string }{
		{
			"scalar and call",
			"input x: float32[4]\nc() = 2f\ny(i: 4) = exp(x[i]/c[])\noutput y\n",
			"x = PLACEHOLDER [4]\nc() = 2f\ny(i) = tir.exp((x[i]/c[]))\n",
			"x = PLACEHOLDER \nc() = 2f\ny(i) = Op(tir.exp)\n",
		},
		{
			"call in a reduction and inside an expression prints whole",
			"input x: float32[4]\ns() = sum(k: 4) exp(x[k])\ny(i: 4) = exp(x[i]) + s[]\noutput y\n",
			"x = PLACEHOLDER [4]\ns() += tir.exp(x[k])\ny(i) = (tir.exp(x[i]) + s[])\n",
			"x = PLACEHOLDER \ns() += tir.exp(x[k])\ny(i) = (tir.exp(x[i]) + s[])\n",
		},
		{
			"select is no call, if_then_else is",
			"input x: float32[4]\na(i: 4) = select(i < 2, x[i], 0)\nb(i: 4) = if_then_else(i < 2, a[i], 0)\noutput b\n",
			"x = PLACEHOLDER [4]\na(i) = select((i < 2), x[i], 0f)\nb(i) = tir.if_then_else((i < 2), a[i], 0f)\n",
			"x = PLACEHOLDER \na(i) = select((i < 2), x[i], 0f)\nb(i) = Op(tir.if_then_else)\n",
		},
		{
			"tuple reduction",
			argmaxText,
			"x = PLACEHOLDER [4, 8]\n" +
				"argmax(i).v0 select((a >= b), ai, bi)= (int32(k),x[i, k])\n" +
				"argmax(i).v1 select((a >= b), a, b)= (int32(k),x[i, k])\n",
			"x = PLACEHOLDER \n" +
				"argmax(i).v0 select((a >= b), ai, bi)= (int32(k),x[i, k])\n" +
				"argmax(i).v1 select((a >= b), a, b)= (int32(k),x[i, k])\n",
		},
		{
			"minimum",
			"input x: int32[4, 2]\nm(i: 4) = min(k: 2) x[i, k]\noutput m\n",
			"x = PLACEHOLDER [4, 2]\nm(i) min= x[i, k]\n",
			"x = PLACEHOLDER \nm(i) min= x[i, k]\n",
		},
		{
			"another fold",
			"input x: float32[4]\np() = reduce(k: 4) x[k] from 1 fold (a) (b) a*b\noutput p\n",
			"x = PLACEHOLDER [4]\np() reduce((a*b))= (x[k])\n",
			"x = PLACEHOLDER \np() reduce((a*b))= (x[k])\n",
		},
	}
	for _, c := range cases {
		d := mustParse(t, c.text)
		if got := d.String(); got != c.full {
			t.Errorf("%s: text\n%swant\n%s", c.name, got, c.full)
		}
		if got := d.Simple(); got != c.simple {
			t.Errorf("%s: simple text\n%swant\n%s", c.name, got, c.simple)
		}
	}
}

func TestWorkloadKey(t *testing.T) {
	d := mustParse(t, "input p0: float32[128, 512]\ninput p1: float32[512, 256]\n"+
		"T_matmul_NN(i: 128, j: 256) = sum(k: 512) p0[i, k]*p1[k, j]\nT_relu(ax0: 128, ax1: 256) = max(T_matmul_NN[ax0, ax1], 0)\noutput T_relu\n")
	want := `["f3351bf9aef587a2fb1bf57b0fc78601", [128, 512], [512, 256], [128, 256]]`
	if got := d.WorkloadKey(); got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	scalar := mustParse(t, "input x: float32[3]\ns() = sum(k: 3) x[k]\noutput s\n")
	if got, want := scalar.WorkloadKey(), `["`+scalar.Hash()+`", [3], []]`; got != want {
		t.Errorf("key %s, want %s", got, want)
	}
}

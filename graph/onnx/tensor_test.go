package onnx

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// packed returns numbers as varints, one after the other.
func packed(v ...int64) []byte {
	var b []byte
	for _, n := range v {
		b = protowire.AppendVarint(b, uint64(n))
	}
	return b
}

func TestDecodeTensor(t *testing.T) {
	for _, c := range []struct {
		want   string
		tensor pb
	}{
		{"float32[2] [1 -1] []", headOf("a", 1, 2).f32(tensorFloats, 1).f32(tensorFloats, -1)},
		{"float32[2] [1 2] []", headOf("a", 1, 2).msg(tensorFloats, []byte{0, 0, 128, 63}).f32(tensorFloats, 2)},
		{"float32[] [1] []", headOf("a", 1).msg(tensorRaw, []byte{0, 0, 128, 63})},
		{"float32[0 3] [] []", headOf("a", 1, 0, 3)},
		{"float32[0] [] []", headOf("a", 1, 0).msg(tensorRaw, nil)},
		{"float64[1] [1] []", pb(protowire.AppendFixed64(protowire.AppendTag(headOf("a", 11, 1), tensorDoubles,
			protowire.Fixed64Type), math.Float64bits(1)))},
		{"float16[2] [1 -1] []", headOf("a", 10, 2).msg(tensorInt32s, packed(0x3c00, 0xbc00))},
		{"float16[1] [-1] []", headOf("a", 10, 1).num(tensorInt32s, 0xbc00-0x10000)},
		{"bfloat16[1] [1] []", headOf("a", 16, 1).num(tensorInt32s, 0x3f80)},
		{"int8[3] [] [-128 0 127]", headOf("a", 3, 3).msg(tensorInt32s, packed(-128, 0, 127))},
		{"int8[1] [] [-1]", headOf("a", 3, 1).num(tensorInt32s, math.MaxUint32)},
		{"uint8[2] [] [0 255]", headOf("a", 2, 2).num(tensorInt32s, 0).num(tensorInt32s, 255)},
		{"int16[2] [] [-32768 7]", headOf("a", 5, 2).msg(tensorInt32s, packed(-32768, 7))},
		{"uint16[1] [] [65535]", headOf("a", 4, 1).msg(tensorInt32s, packed(65535))},
		{"int32[2] [] [-1 -1]", headOf("a", 6, 2).msg(tensorInt32s, packed(-1, math.MaxUint32))},
		{"int64[2] [] [-1 5]", headOf("a", 7, 2).msg(tensorInt64s, packed(-1)).msg(tensorInt64s, packed(5))},
		{"uint32[1] [] [4294967295]", headOf("a", 12, 1).msg(tensorUint64s, packed(math.MaxUint32))},
		{"uint64[1] [] [-1]", headOf("a", 13, 1).msg(tensorUint64s, packed(-1))},
		{"uint8[3] [] [1 15 2]", headOf("a", 21, 3).msg(tensorRaw, []byte{0xf1, 0xe2})},
		{"int8[3] [] [1 -1 -8]", headOf("a", 22, 3).msg(tensorRaw, []byte{0xf1, 0x08})},
		{"int8[3] [] [1 -1 -8]", headOf("a", 22, 3).msg(tensorInt32s, packed(0xf1, 0x08))},
		{"int8[0] [] []", headOf("a", 22, 0)},
		{"int8[5] [] [0 1 -2 -1 1]", headOf("a", 26, 5).msg(tensorRaw, []byte{0xe4, 0xfd})},
		{"uint8[2] [] [3 2]", headOf("a", 25, 2).msg(tensorRaw, []byte{0x0b})},
		{"float16[5] [1 -448 NaN 0.001953125 -0] []", headOf("a", 17, 5).msg(tensorRaw, []byte{0x38, 0xfe, 0x7f, 1, 0x80})},
		{"float16[4] [1 240 NaN 0.0009765625] []", headOf("a", 18, 4).msg(tensorInt32s, packed(0x40, 0x7f, 0x80, 1))},
		{"float16[4] [1 -Inf NaN 57344] []", headOf("a", 19, 4).msg(tensorRaw, []byte{0x3c, 0xfc, 0x7d, 0x7b})},
		{"float16[3] [1 57344 NaN] []", headOf("a", 20, 3).msg(tensorRaw, []byte{0x40, 0x7f, 0x80})},
		{"bool[3] [] [1 0 1]", headOf("a", 9, 3).msg(tensorInt32s, packed(1, 0, 2))},
		{"bool[3] [] [1 0 1]", headOf("a", 9, 3).msg(tensorRaw, []byte{1, 0, 255})},
		{"uint8[2 1] [] [3 4]", pb(nil).msg(tensorDims, packed(2, 1)).num(tensorElement, 2).msg(tensorRaw, []byte{3, 4})},
	} {
		x, err := DecodeTensor(c.tensor)
		if err != nil {
			t.Errorf("%s: %v", c.want, err)
			continue
		}
		if got := fmt.Sprintf("%s%v %v %v", x.Type, x.Shape, x.F, x.I); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestTruth: bools are bytes of 0 and 1 in graphs, whatever they are in files.
func TestTruth(t *testing.T) {
	model := modelOf(18, graphOf("g", initial(headOf("b", 9, 3).msg(tensorRaw, []byte{0, 1, 2})), out("b")))
	if got := mustDecode(t, model).Outputs[0].Const.Data; string(got) != "\x00\x01\x01" {
		t.Errorf("bytes %v", got)
	}
}

func TestTensorRejections(t *testing.T) {
	raw, last := headOf("a", 2, 1).msg(tensorRaw, []byte{1}), fmt.Sprint(math.MaxInt64)
	for want, tensor := range map[string]pb{
		`tensor "": damaged: an empty tensor`:                       nil,
		`tensor "a": damaged: there is no element type 0`:           headOf("a", 0, 1),
		`there is no element type 99`:                               headOf("a", 99, 1),
		`tensor "a": of type string is not supported`:               headOf("a", 8, 1).str(tensorStrings, "x"),
		`of type float8e8m0 is not supported`:                       headOf("a", 24, 1).num(tensorInt32s, 1),
		`the shape [3] of int4 does not fit 1 bytes`:                headOf("a", 22, 3).msg(tensorRaw, []byte{1}),
		`the shape [3] of uint4 does not fit 3 bytes`:               headOf("a", 21, 3).msg(tensorRaw, make([]byte, 3)),
		`the shape [5] does not fit 1 numbers`:                      headOf("a", 25, 5).num(tensorInt32s, 7),
		`the number 256 is no float8e5m2`:                           headOf("a", 19, 1).num(tensorInt32s, 256),
		`the number -1 is no int4`:                                  headOf("a", 22, 2).num(tensorInt32s, -1),
		`a tensor in segments is not supported`:                     headOf("a", 1, 1).msg(tensorSegment, nil),
		`damaged: its shape is [-1]`:                                headOf("a", 1, -1),
		`damaged: its shape is [4611686018427387904]`:               headOf("a", 1, 1<<62),
		`damaged: its shape is [65536 65536 65536]`:                 headOf("a", 1, 65536, 65536, 65536),
		`damaged: its shape is [0 17592186044416 16]`:               headOf("a", 1, 0, 1<<44, 16),
		`more than 64 dimensions`:                                   headOf("a", 1, make([]int64, 65)...),
		`the shape [3] of float32 does not fit 8 bytes`:             headOf("a", 1, 3).msg(tensorRaw, make([]byte, 8)),
		`the shape [3] does not fit 2 numbers`:                      headOf("a", 7, 3).msg(tensorInt64s, packed(1, 2)),
		`the shape [3] does not fit 0 numbers`:                      headOf("a", 7, 3),
		`data of another type than int64`:                           headOf("a", 7, 1).num(tensorInt32s, 1),
		`its data is there twice`:                                   raw.num(tensorInt32s, 1),
		`damaged: its data is there twice`:                          raw.msg(tensorRaw, nil),
		`the number 256 is no uint8`:                                headOf("a", 2, 1).num(tensorInt32s, 256),
		`the number -129 is no int8`:                                headOf("a", 3, 1).num(tensorInt32s, -129),
		`the number 4294967296 is no uint32`:                        headOf("a", 12, 1).num(tensorUint64s, 1<<32),
		`damaged: 3 bytes of packed numbers`:                        headOf("a", 1, 1).msg(tensorFloats, make([]byte, 3)),
		`field 4 has wire type 0`:                                   headOf("a", 1, 1).num(tensorFloats, 1),
		`field 7 has wire type 5`:                                   headOf("a", 7, 1).f32(tensorInt64s, 1),
		`field 9 has wire type 0`:                                   headOf("a", 7, 1).num(tensorRaw, 1),
		`damaged: it ends in the middle of a field`:                 headOf("a", 7, 1)[:3],
		`its data is in another file, "w.bin", which is not given`:  externalOf("a", "location", "w.bin"),
		`its data is said to be 8 bytes, and its shape and type`:    externalOf("a", "location", "w.bin", "length", "8"),
		`damaged: it does not say where its data is`:                externalOf("a", "length", "12"),
		`damaged: the offset of its data is "-4"`:                   externalOf("a", "location", "w", "offset", "-4"),
		`damaged: the length of its data is "99999999999999999999"`: externalOf("a", "length", "99999999999999999999"),
		`said to begin at byte 9223372036854775807`:                 externalOf("a", "location", "w", "offset", last),
		`in the file and outside of it`:                             externalOf("a", "location", "w").msg(tensorRaw, nil),
	} {
		_, err := DecodeTensor(tensor)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// externalOf returns a tensor of three floats that lie elsewhere, as keys and values say.
func externalOf(name string, where ...string) pb {
	x := headOf(name, 1, 3).num(tensorLocation, 1)
	for i := 0; i < len(where); i += 2 {
		x = x.msg(tensorExternal, pb(nil).str(pairKey, where[i]).str(pairValue, where[i+1]))
	}
	return x
}

// TestElements: every type of TensorIR is one of ONNX's.
func TestElements(t *testing.T) {
	have := map[tir.DType]bool{}
	for _, e := range graph.Elements {
		have[e.Type] = true
	}
	for _, d := range append(tir.DTypes(), tir.I16, tir.U16, tir.U32, tir.U64) {
		if !have[d] {
			t.Errorf("no element type is %s", d)
		}
	}
}

package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

const examplePythonText = `"""How to run @NAME@ from Python, with ctypes and numpy.

    python example.py

or, in a program,

    from example import Model
    model = Model()
    outputs = model(@CALL@)

Arrays go in and come out by the names that the model gives them.
"""

import ctypes
import math
import os
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))

# Name: type of the elements, and shape. Numpy has no bfloat16: uint16 holds the bits.
INPUTS = {
@INPUTS@}

# Name: type, shape, and whether the true shape is known only after a run.
OUTPUTS = {
@OUTPUTS@}


class Model:
    """A context of the model. Threads that run it at once need one each."""

    def __init__(self, weights=@WEIGHTS@, threads=0):
        self._lib = ctypes.CDLL(os.path.join(HERE, "@NAME@.so"))
        self._lib.@NAME@_open.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        self._lib.@NAME@_run.argtypes = [ctypes.c_void_p] * 3
        self._lib.@NAME@_close.argtypes = [ctypes.c_void_p]
        self._lib.@NAME@_error.restype = ctypes.c_char_p
        self._context = ctypes.c_void_p()
        path = None if weights is None else os.fsencode(weights)
        self._check(self._lib.@NAME@_open(ctypes.byref(self._context), path, threads))

    def _check(self, code):
        if code:
            raise RuntimeError("@NAME@: " + self._lib.@NAME@_error(code).decode())

    def __call__(self, /, **inputs):
        """Runs the model: takes an array for each input, returns a dict of arrays."""
        if inputs.keys() != INPUTS.keys():
            raise ValueError("the inputs are %s, not %s" % (sorted(INPUTS), sorted(inputs)))
        arrays = []
        for name, (dtype, shape) in INPUTS.items():
            array = np.ascontiguousarray(inputs[name], dtype).reshape(np.shape(inputs[name]))
            if array.shape != shape:
                raise ValueError("input %s has the shape %s, not %s" % (name, shape, array.shape))
            arrays.append(array)
        outputs, pointers = {}, []
        for name, (dtype, shape, bounded) in OUTPUTS.items():
            outputs[name] = [np.empty(shape, dtype)] + [np.empty(len(shape), np.int64)] * bounded
            pointers += outputs[name]
        self._check(self._lib.@NAME@_run(self._context, table(arrays), table(pointers)))
        return {name: truly(*list) for name, list in outputs.items()}

    def close(self):
        """Frees the memory. The model cannot be run any more."""
        context, self._context = self._context, ctypes.c_void_p()
        self._lib.@NAME@_close(context)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_context", None):
            self.close()


def table(arrays):
    """Returns the addresses of arrays, as C takes them."""
    return (ctypes.c_void_p * max(len(arrays), 1))(*[a.ctypes.data for a in arrays])


def truly(array, shape=None):
    """Returns an output in its true shape."""
    if shape is None:
        return array
    return array.reshape(-1)[: math.prod(shape)].reshape(shape)


def example_inputs(seed=0):
    """Returns random inputs; integers are 0 or 1."""
    random = np.random.default_rng(seed)
    inputs = {}
    for name, (dtype, shape) in INPUTS.items():
        if np.dtype(dtype).kind == "f":
            inputs[name] = np.asarray(random.random(shape), dtype)
        else:
            inputs[name] = np.asarray(random.integers(0, 2, shape), dtype)
    return inputs


if __name__ == "__main__":
    with Model() as model:
        inputs, best = example_inputs(), math.inf
        for _ in range(10):
            begin = time.perf_counter()
            outputs = model(**inputs)
            best = min(best, time.perf_counter() - begin)
        print("@NAME@: %.3f us" % (1e6 * best))
        for name, array in outputs.items():
            print(name, array.shape, array.reshape(-1)[:8])
`

// pythonTypes are numpy's names of types that are not TensorIR's.
var pythonTypes = map[tir.DType]string{tir.BF16: "uint16"}

// examplePython returns a Python module that runs the model.
func (n *names) examplePython() []byte {
	typ := func(t tir.DType) string {
		if name := pythonTypes[t]; name != "" {
			return name
		}
		return t.String()
	}
	var inputs, outputs strings.Builder
	call := make([]string, len(n.inputs))
	for i, p := range n.inputs {
		fmt.Fprintf(&inputs, "    %s: (%q, %s),\n", pythonString(p.Name), typ(p.Type), tuple(p.Shape))
		call[i] = fmt.Sprintf("%s: %s", pythonString(p.Name), p.c)
	}
	for _, p := range n.outputs {
		bounded := "False"
		if p.Bounded {
			bounded = "True"
		}
		fmt.Fprintf(&outputs, "    %s: (%q, %s, %s),\n", pythonString(p.Name), typ(p.Type), tuple(p.Shape), bounded)
	}
	weights := fmt.Sprintf("os.path.join(HERE, %q)", n.name+".weights")
	if n.Embedded || n.Program.Weights == 0 {
		weights = "None"
	}
	return fillIn(examplePythonText, map[string]string{
		"NAME": n.name, "INPUTS": inputs.String(), "OUTPUTS": outputs.String(), "WEIGHTS": weights,
		"CALL": "**{" + strings.ReplaceAll(strings.Join(call, ", "), `\`, `\\`) + "}",
	})
}

// pythonString quotes a text; Go's escapes of ASCII are Python's, too.
func pythonString(s string) string { return strconv.QuoteToASCII(s) }

// tuple writes a shape in Python.
func tuple(shape []int64) string {
	var b strings.Builder
	for i, d := range shape {
		if i > 0 {
			b.WriteString(" ")
		}
		fmt.Fprintf(&b, "%d,", d)
	}
	return "(" + strings.TrimSuffix(b.String(), ",") + map[bool]string{true: ","}[len(shape) == 1] + ")"
}

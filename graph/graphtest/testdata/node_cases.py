"""Writes the node cases of the onnx package to a folder, in the layout that graphtest.Cases reads:

    python node_cases.py FOLDER

FOLDER/NAME/model.onnx and FOLDER/NAME/test_data_set_0/{input,output}_N.pb hold a case, and FOLDER/cases.tsv names all,
with operators, types and tolerances. Cases with tensors of other types than float32, bool, integers and floats of
8 bits, and with values that are not tensors, are left out. cases.tsv is written last: it is there only if all cases are.
"""

import pathlib
import sys
import warnings

import numpy
import onnx
from onnx.backend.test.case.node import collect_testcases

PLAIN = {"FLOAT", "BOOL"} | {sign + size for sign in ("INT", "UINT") for size in ("8", "16", "32", "64")}
NARROW = {sign + size for sign in ("INT", "UINT") for size in ("2", "4")} | {
    "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"}


def type_names(values):
    """The names of the types of values; None stands for one that is not a tensor."""
    for v in values:
        if v.type.WhichOneof("value") == "tensor_type":
            yield onnx.TensorProto.DataType.Name(v.type.tensor_type.elem_type)
        else:
            yield None


def write_tensors(folder, kind, values, arrays):
    for number, (value, array) in enumerate(zip(values, arrays)):
        if not isinstance(array, onnx.TensorProto):
            array = onnx.numpy_helper.from_array(numpy.asarray(array), value.name)
        (folder / f"{kind}_{number}.pb").write_bytes(array.SerializeToString())


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.tsv").unlink(missing_ok=True)
    lines = ["name\toperators\ttypes\trtol\tatol"]
    for case in sorted(collect_testcases(None), key=lambda case: case.name):
        graph = case.model.graph
        types = set(type_names([*graph.input, *graph.output]))
        if not types <= (PLAIN | NARROW | {"FLOAT16"} if types & NARROW else PLAIN):
            continue
        data = folder / case.name / "test_data_set_0"
        data.mkdir(parents=True, exist_ok=True)
        (folder / case.name / "model.onnx").write_bytes(case.model.SerializeToString())
        inputs, outputs = case.data_sets[0]
        write_tensors(data, "input", graph.input, inputs)
        write_tensors(data, "output", graph.output, outputs)
        operators = ",".join(sorted({node.op_type for node in graph.node}))
        lines.append(f"{case.name}\t{operators}\t{','.join(sorted(types)).lower()}\t{case.rtol}\t{case.atol}")
    (folder / "cases.tsv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} cases of onnx {onnx.__version__} in {folder}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) != 2:
        sys.exit("usage: node_cases.py FOLDER")
    main(pathlib.Path(sys.argv[1]))

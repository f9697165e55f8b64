"""Has the peers of wmtune compute single workloads: `kernels.py PEER CORES [free]` speaks the protocol of peers.py.

    {"do": "prepare", "workload": "conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu"}

A workload is written as wmtune writes it. The peers compute the same function of float32 tensors in the layout that
suits them: channels first for ONNX Runtime and OpenVINO, channels last for torch. What is a constant for wmtune (the
weights of dense and conv*, bias, bn, gamma, beta) is a constant for them, so that they may pack it ahead of time;
what is an input stays one. Products of bfloat16 are torch's only, products of 8-bit integers (unsigned by signed, sums
in 32 bits) ONNX Runtime's.
"""
import math

import peers

SPATIAL = {"conv1d": "w", "conv2d": "hw", "conv3d": "dhw", "depthwise": "hw", "conv2d_transpose": "hw",
           "maxpool2d": "hw", "avgpool2d": "hw", "global_avgpool2d": "hw",
           "global_maxpool2d": "hw"}
WINDOWED = {"k": None, "s": 1, "p": 0, "dilation": 1}  # keys with a value per dimension, and their defaults
KEYS = {  # of each operator, with defaults; None: must be given
    **{op: {**dict.fromkeys(SPATIAL[op]), "ci": None, "co": None, "groups": 1, **WINDOWED}
       for op in ("conv1d", "conv2d", "conv3d")},
    "depthwise": {"h": None, "w": None, "c": None, **WINDOWED},
    "conv2d_transpose": {"h": None, "w": None, "ci": None, "co": None, **WINDOWED, "out_pad": 0},
    "maxpool2d": {"h": None, "w": None, "c": None, **WINDOWED},
    "avgpool2d": {"h": None, "w": None, "c": None, "count_pad": 1, **WINDOWED},
    "global_avgpool2d": {"h": None, "w": None, "c": None},
    "global_maxpool2d": {"h": None, "w": None, "c": None},
    "matmul": {"m": None, "n": None, "k": None, "ta": 0, "tb": 0},
    "batch_matmul": {"b": None, "m": None, "n": None, "k": None, "ta": 0, "tb": 0},
    "dense": {"m": None, "n": None, "k": None},
    "softmax": {"m": None, "n": None}, "layernorm": {"m": None, "n": None},
    **{op: {"m": None, "n": None, "axis": 1} for op in ("mean", "variance", "sum", "max", "min", "argmax")},
    "elementwise": {"fn": None, "shape": None, "y": None},
}
FUNCTIONS = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "max": "Max", "min": "Min"}  # of two operands
EPILOGUES = ("bias", "bn", "relu", "relu6", "gelu", "sigmoid", "silu", "add")


class Problem:
    """A workload: the shapes of its inputs, its constants, and what is done with them. Images are channels first."""

    def __init__(self, spec):
        self.op, _, rest = spec.partition(":")
        if self.op not in KEYS:
            raise ValueError("the peers' script does not know the operator " + self.op)
        q, self.epilogue, self.batch, self.type = dict(KEYS[self.op]), [], 1, "f32"
        for part in rest.split(","):
            key, _, text = part.partition("=")
            if key == "epilogue":
                self.epilogue = text.split("+")
            elif key == "batch" and self.op in SPATIAL:
                self.batch = int(text)
            elif key == "dtype" and text in ("f32", "bf16", "i8"):
                self.type = text
            elif key == "layout":
                pass  # each peer takes the layout that suits it
            elif key in q:
                q[key] = text if key == "fn" else tuple(map(int, text.split("x"))) if "x" in text else int(text)
            else:
                raise ValueError("the peers' script does not know the key %s of %s" % (key, self.op))
        unknown = [e for e in self.epilogue if e not in EPILOGUES]
        missing = [k for k, v in q.items() if v is None and k != "y"]
        if self.type == "i8" and self.epilogue:
            raise ValueError("the peers' script knows no epilogue of integers")
        if unknown or missing:
            raise ValueError("%s: unknown epilogues %s, missing keys %s" % (spec, unknown, missing))
        self.const = {}
        self.q = q
        self.image = self.op in SPATIAL
        if self.image:
            self.make_image()
        else:
            self.make_matrix()
        for e in self.epilogue:
            shape = [self.out[1]] if self.image else [self.out[-1]]
            if e == "bias":
                self.const["B"] = weights(*shape)
            elif e == "bn":
                self.const["bn_scale"], self.const["bn_offset"] = weights(*shape), weights(*shape)
            elif e == "add":
                self.ins.append(self.out)

    def make_image(self):
        q, dims = self.q, SPATIAL[self.op]
        size = [q[d] for d in dims]
        channels = q["ci"] if "ci" in q else q["c"]
        self.ins, self.out = [[self.batch, channels] + size], [self.batch, channels] + [1] * len(dims)
        if "k" not in q:
            return
        for key in WINDOWED:
            q[key] = list(q[key]) if isinstance(q[key], tuple) else [q[key]] * len(dims)
        window = zip(size, q["k"], q["s"], q["p"], q["dilation"])
        if self.op == "conv2d_transpose":
            places = [(n - 1) * s - 2 * p + d * (k - 1) + q["out_pad"] + 1 for n, k, s, p, d in window]
        else:
            places = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in window]
        self.out = [self.batch, q.get("co", channels)] + places
        self.groups = channels if self.op == "depthwise" else q.get("groups", 1)
        if self.op == "conv2d_transpose":
            self.const["W"] = weights(channels, q["co"], *q["k"])
        elif self.op.startswith("conv") or self.op == "depthwise":
            self.const["W"] = weights(self.out[1], channels // self.groups, *q["k"])

    def make_matrix(self):
        q = self.q
        if self.op in ("matmul", "batch_matmul"):
            lead = [q["b"]] if "b" in q else []
            self.ins = [lead + ([q["k"], q["m"]] if q["ta"] else [q["m"], q["k"]]),
                        lead + ([q["n"], q["k"]] if q["tb"] else [q["k"], q["n"]])]
            self.out = lead + [q["m"], q["n"]]
        elif self.op == "dense":
            self.ins, self.out = [[q["m"], q["k"]]], [q["m"], q["n"]]
            self.const["W"] = weights(q["n"], q["k"])
        elif self.op == "elementwise":
            self.out = list(q["shape"]) if isinstance(q["shape"], tuple) else [q["shape"]]
            self.ins = [self.out] * (2 if q["fn"] in FUNCTIONS else 1)
        else:
            self.ins, self.out = [[q["m"], q["n"]]], [q["m"], q["n"]]
            if "axis" in q:
                self.out = [q["m"], 1] if q["axis"] else [1, q["n"]]
            if self.op == "variance":  # of each row, given its mean
                self.ins.append(self.out)
            if self.op == "layernorm":
                self.const["gamma"], self.const["beta"] = weights(q["n"]), weights(q["n"])

    def inputs(self):
        if self.type == "i8":
            return [peers.RNG.integers(0, 256, self.ins[0], peers.np.uint8)] + [eighth(*s) for s in self.ins[1:]]
        return [peers.RNG.standard_normal(s, dtype=peers.np.float32) for s in self.ins]

    def on(self, peer):
        for kind, prepare, types in PREPARE:
            if isinstance(peer, kind):
                if self.type not in types:
                    raise ValueError("it is not asked for %s of %s" % (self.op, self.type))
                return prepare(peer, self)

    def error(self, got):
        if got.size != math.prod(self.out) or not peers.np.isfinite(got).all():
            raise ValueError("it computes %s, not %d finite elements" % (list(got.shape), math.prod(self.out)))


def weights(*shape):
    return (peers.RNG.standard_normal(shape) / math.sqrt(max(1, math.prod(shape[1:])))).astype(peers.np.float32)


def eighth(*shape):
    return peers.RNG.integers(-128, 128, shape, peers.np.int8)


def integer_model(p):
    """-> a product of 8-bit integers as an ONNX model with inputs in0, in1, ..."""
    from onnx import helper as H, numpy_helper as N, TensorProto as T
    q, init, nodes = p.q, [], []
    names = ["in%d" % i for i in range(len(p.ins))]
    sides = list(names)
    if p.image:
        init.append(N.from_array(eighth(*p.const["W"].shape), "W"))
        nodes.append(H.make_node("ConvInteger", ["in0", "W"], ["out"], group=p.groups, dilations=q["dilation"],
                                 kernel_shape=q["k"], strides=q["s"], pads=q["p"] * 2))
    else:
        if p.op == "dense":
            init.append(N.from_array(eighth(q["k"], q["n"]), "W"))
            sides.append("W")
        turn = [0, 2, 1] if p.op == "batch_matmul" else [1, 0]
        for i, t in enumerate(("ta", "tb")):
            if q.get(t):
                nodes.append(H.make_node("Transpose", [sides[i]], ["turned%d" % i], perm=turn))
                sides[i] = "turned%d" % i
        nodes.append(H.make_node("MatMulInteger", sides, ["out"]))
    types = [T.UINT8, T.INT8]
    g = H.make_graph(nodes, "g", [H.make_tensor_value_info(n, t, s) for n, t, s in zip(names, types, p.ins)],
                     [H.make_tensor_value_info("out", T.INT32, None)], init)
    m = H.make_model(g, opset_imports=[H.make_opsetid("", 17)])
    m.ir_version = 8
    return m.SerializeToString()


def onnx_model(p):
    """-> the workload as an ONNX model with inputs in0, in1, ..."""
    from onnx import helper as H, numpy_helper as N, TensorProto as T
    q, nodes, init = p.q, [], {}
    free = ["in%d" % i for i in range(len(p.ins))]
    names = list(free)

    def const(value):
        name = "c%d" % len(init)
        init[name] = N.from_array(peers.np.asarray(value, dtype=peers.np.float32), name)
        return name

    def node(op, *ins, **attributes):
        nodes.append(H.make_node(op, list(ins), ["t%d" % len(nodes)], **attributes))
        return nodes[-1].output[0]

    def function(name, x):
        if name == "relu6":
            return node("Clip", x, const(0), const(6))
        if name == "gelu":
            erf = node("Erf", node("Mul", x, const(1 / math.sqrt(2))))
            return node("Mul", node("Mul", node("Add", erf, const(1)), x), const(.5))
        if name == "silu":
            return node("Mul", x, node("Sigmoid", x))
        return node(name.capitalize(), x)

    epilogue = list(p.epilogue)
    x = free.pop(0)
    folded = epilogue[:1] == ["bias"] and "W" in p.const
    if folded:
        epilogue.pop(0)
    bias = [const(p.const["B"])] if folded else []
    window = dict(kernel_shape=q["k"], strides=q["s"], pads=q["p"] * 2) if p.image and "k" in q else {}
    if p.op == "conv2d_transpose":
        cur = node("ConvTranspose", x, const(p.const["W"]), *bias, output_padding=[q["out_pad"]] * 2, **window)
    elif p.image and "W" in p.const:
        cur = node("Conv", x, const(p.const["W"]), *bias, group=p.groups, dilations=q["dilation"], **window)
    elif p.op == "maxpool2d":
        cur = node("MaxPool", x, dilations=q["dilation"], **window)
    elif p.op == "avgpool2d":
        cur = node("AveragePool", x, count_include_pad=q["count_pad"], **window)
    elif p.op in ("global_avgpool2d", "global_maxpool2d"):
        cur = node("GlobalAveragePool" if "avg" in p.op else "GlobalMaxPool", x)
    elif p.op == "dense":
        if folded:
            cur = node("Gemm", x, const(p.const["W"]), *bias, transB=1)
        else:
            cur = node("MatMul", x, const(peers.np.ascontiguousarray(p.const["W"].T)))
    elif p.op in ("matmul", "batch_matmul"):
        turn = [0, 2, 1] if p.op == "batch_matmul" else [1, 0]
        sides = [node("Transpose", s, perm=turn) if q[t] else s for s, t in ((x, "ta"), (free.pop(0), "tb"))]
        cur = node("MatMul", *sides)
    elif p.op == "softmax":
        cur = node("Softmax", x, axis=-1)
    elif p.op == "layernorm":
        cur = node("LayerNormalization", x, const(p.const["gamma"]), const(p.const["beta"]), axis=-1, epsilon=1e-5)
    elif p.op == "variance":
        d = node("Sub", x, free.pop(0))
        cur = node("ReduceMean", node("Mul", d, d), axes=[q["axis"]], keepdims=1)
    elif p.op == "argmax":
        cur = node("ArgMax", x, axis=q["axis"], keepdims=1)
    elif p.op == "elementwise" and q["fn"] in FUNCTIONS:
        cur = node(FUNCTIONS[q["fn"]], x, free.pop(0))
    elif p.op == "elementwise":
        cur = function(q["fn"], x)
    elif p.op == "sum":
        init["axes"] = N.from_array(peers.np.asarray([q["axis"]], dtype=peers.np.int64), "axes")
        cur = node("ReduceSum", x, "axes", keepdims=1)
    else:
        op = {"mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin"}[p.op]
        cur = node(op, x, axes=[q["axis"]], keepdims=1)

    def channel(value):
        return const(value.reshape([-1] + [1] * (len(p.out) - 2)) if p.image else value)

    for e in epilogue:
        if e == "bias":
            cur = node("Add", cur, channel(p.const["B"]))
        elif e == "bn":
            cur = node("Add", node("Mul", cur, channel(p.const["bn_scale"])), channel(p.const["bn_offset"]))
        elif e == "add":
            cur = node("Add", cur, free.pop(0))
        else:
            cur = function(e, cur)
    result = H.make_tensor_value_info(cur, T.INT64 if p.op == "argmax" else T.FLOAT, None)
    g = H.make_graph(nodes, "g", [H.make_tensor_value_info(n, T.FLOAT, s) for n, s in zip(names, p.ins)], [result],
                     list(init.values()))
    m = H.make_model(g, opset_imports=[H.make_opsetid("", 17)])
    m.ir_version = 8
    return m.SerializeToString()


def ort(peer, p):
    rt = peer.rt
    s = peer.session(integer_model(p) if p.type == "i8" else onnx_model(p))
    feeds = {"in%d" % i: x for i, x in enumerate(p.inputs())}
    first = rt.OrtValue.ortvalue_from_numpy(s.run(None, feeds)[0])
    b = s.io_binding()
    for name, x in feeds.items():
        b.bind_ortvalue_input(name, rt.OrtValue.ortvalue_from_numpy(x))
    b.bind_ortvalue_output(s.get_outputs()[0].name, first)
    return lambda: s.run_with_iobinding(b), first.numpy


def openvino(peer, p):
    return peer.request(onnx_model(p), p.inputs())


def torch(peer, p):
    module, inputs = torch_module(peer.torch, p, peer.tensor).eval(), p.inputs()
    if p.type != "bf16":
        return peer.calls(module, inputs)
    module = module.to(peer.torch.bfloat16)
    xs = [peer.tensor(x).to(peer.torch.bfloat16) for x in inputs]
    return lambda: module(*xs), lambda: module(*xs).float().numpy()


PREPARE = ((peers.Ort, ort, ("f32", "i8")), (peers.OpenVINO, openvino, ("f32",)), (peers.Torch, torch, ("f32", "bf16")))


def torch_module(torch, p, tensor):
    F, q = torch.nn.functional, p.q
    activations = {"relu": F.relu, "relu6": F.relu6, "gelu": F.gelu, "sigmoid": torch.sigmoid, "silu": F.silu}
    axis = q.get("axis")

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in p.const.items():
                self.register_parameter(name, torch.nn.Parameter(tensor(value), requires_grad=False))

        def forward(self, x, *more):
            free, epilogue, bias = list(more), list(p.epilogue), None
            if epilogue[:1] == ["bias"] and "W" in p.const:
                bias = self.B
                epilogue.pop(0)
            if p.op == "conv2d_transpose":
                x = F.conv_transpose2d(x, self.W, bias, q["s"], q["p"], q["out_pad"])
            elif p.image and "W" in p.const:
                conv = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[len(p.out)]
                x = conv(x, self.W, bias, q["s"], q["p"], q["dilation"], p.groups)
            elif p.op == "maxpool2d":
                x = F.max_pool2d(x, q["k"], q["s"], q["p"], q["dilation"])
            elif p.op == "avgpool2d":
                x = F.avg_pool2d(x, q["k"], q["s"], q["p"], count_include_pad=bool(q["count_pad"]))
            elif p.op == "global_avgpool2d":
                x = F.adaptive_avg_pool2d(x, 1)
            elif p.op == "global_maxpool2d":
                x = F.adaptive_max_pool2d(x, 1)
            elif p.op == "dense":
                x = F.linear(x, self.W, bias)
            elif p.op in ("matmul", "batch_matmul"):
                y = free.pop(0)
                x = torch.matmul(x.transpose(-1, -2) if q["ta"] else x, y.transpose(-1, -2) if q["tb"] else y)
            elif p.op == "softmax":
                x = torch.softmax(x, -1)
            elif p.op == "layernorm":
                x = F.layer_norm(x, [q["n"]], self.gamma, self.beta, 1e-5)
            elif p.op == "variance":
                x = (x - free.pop(0)).square().mean(axis, keepdim=True)
            elif p.op == "mean":
                x = x.mean(axis, keepdim=True)
            elif p.op == "sum":
                x = x.sum(axis, keepdim=True)
            elif p.op == "argmax":
                x = x.argmax(axis, keepdim=True)
            elif p.op == "elementwise" and q["fn"] in FUNCTIONS:
                x = getattr(torch, {"max": "maximum", "min": "minimum"}.get(q["fn"], q["fn"]))(x, free.pop(0))
            elif p.op == "elementwise":
                x = activations[q["fn"]](x) if q["fn"] in activations else getattr(torch, q["fn"])(x)
            else:
                x = {"max": torch.amax, "min": torch.amin}[p.op](x, axis, keepdim=True)
            for e in epilogue:
                x = self.apply_epilogue(e, x, free)
            return x

        def apply_epilogue(self, e, x, free):
            def channel(v):
                return v.reshape([-1] + [1] * (len(p.out) - 2)) if p.image else v
            if e == "bias":
                return x + channel(self.B)
            if e == "bn":
                return x * channel(self.bn_scale) + channel(self.bn_offset)
            if e == "add":
                return x + free.pop(0)
            return activations[e](x)

    return Module()


peers.KINDS["workload"] = Problem

if __name__ == "__main__":
    peers.main()

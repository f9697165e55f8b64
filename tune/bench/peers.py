#!/usr/bin/env python3
"""Times what a user would pick instead of wmtune: ONNX Runtime, OpenVINO, torch (eager, oneDNN) and torch.compile.

    peers.py PEER CORES [free]   PEER is ort, openvino, torch or inductor; CORES such as 0,1
    with free, threads are not pinned, and CORES says only how many there are

One process serves one peer, until its standard input ends. It speaks the protocol of wmtune's workers (codegen/worker):
a line that greets, then a frame per request and answer: the length of a JSON text in 4 bytes, 4 zero bytes, and the
number of the request in 8, all little endian; then the text:

    {"do": "version"}
      -> {"version": ...} or {"missing": WHY}
    {"do": "prepare", "workload": "conv2d:h=56,w=56,ci=64,co=64,k=3,p=1,epilogue=bias+relu"}
      -> {"elements": 200704}                                 of the output
    {"do": "prepare", "model": {"path": "bert.onnx", "inputs": "bert.npz", "torch": "models.py"}}
      -> {"elements": 98304, "max_error": 1e-6}               of the first output, relative to its largest value
    {"do": "round", "samples": 5, "min_sample": 0.01, "max_total": 1}
      -> {"samples": [...]}                                   seconds per call, means of samples that long
    anything that goes wrong -> {"error": WHY}

A workload is written as wmtune writes it. The peers compute the same function of float32 tensors in the layout that
suits them: channels first for ONNX Runtime and OpenVINO, channels last for torch. What is a constant for wmtune (the
weights of dense and conv*, bias, bn, gamma, beta) is a constant for them, so that they may pack it ahead of time;
what is an input stays one. Each runs on one thread per core given.

A model is an ONNX file. The file of inputs has arrays in0, in1... in the order of the graph's inputs, and may have
out0 to compare with; without it the inputs are random, and open dimensions are those of "dims", or 1. torch cannot read
ONNX: "torch" names a Python file with a function load(name) that returns the module of NAME.onnx in eval mode.
"""
import gc, json, math, os, struct, sys, time

SPATIAL = {"conv1d": "w", "conv2d": "hw", "conv3d": "dhw", "depthwise": "hw", "maxpool2d": "hw", "avgpool2d": "hw",
           "global_avgpool2d": "hw", "global_maxpool2d": "hw"}
WINDOWED = {"k": None, "s": 1, "p": 0, "dilation": 1}  # keys with a value per dimension, and their defaults
KEYS = {  # of each operator, with defaults; None: must be given
    **{op: {**dict.fromkeys(SPATIAL[op]), "ci": None, "co": None, "groups": 1, **WINDOWED} for op in ("conv1d", "conv2d", "conv3d")},
    "depthwise": {"h": None, "w": None, "c": None, **WINDOWED},
    "maxpool2d": {"h": None, "w": None, "c": None, **WINDOWED},
    "avgpool2d": {"h": None, "w": None, "c": None, "count_pad": 1, **WINDOWED},
    "global_avgpool2d": {"h": None, "w": None, "c": None},
    "global_maxpool2d": {"h": None, "w": None, "c": None},
    "matmul": {"m": None, "n": None, "k": None, "ta": 0, "tb": 0},
    "batch_matmul": {"b": None, "m": None, "n": None, "k": None, "ta": 0, "tb": 0},
    "dense": {"m": None, "n": None, "k": None},
    "softmax": {"m": None, "n": None}, "layernorm": {"m": None, "n": None},
    **{op: {"m": None, "n": None, "axis": 1} for op in ("mean", "variance", "sum", "max", "min")},
}
EPILOGUES = ("bias", "bn", "relu", "relu6", "gelu", "sigmoid", "silu", "add")


class Problem:
    """A workload: the shapes of its inputs, its constants, and what is done with them. Images are channels first."""

    def __init__(self, spec):
        self.op, _, rest = spec.partition(":")
        if self.op not in KEYS:
            raise ValueError("the peers' script does not know the operator " + self.op)
        q, self.epilogue, self.batch = dict(KEYS[self.op]), [], 1
        for part in rest.split(","):
            key, _, text = part.partition("=")
            if key == "epilogue":
                self.epilogue = text.split("+")
            elif key == "batch" and self.op in SPATIAL:
                self.batch = int(text)
            elif key == "layout":
                pass  # each peer takes the layout that suits it
            elif key in q:
                q[key] = tuple(map(int, text.split("x"))) if "x" in text else int(text)
            else:
                raise ValueError("the peers' script does not know the key %s of %s" % (key, self.op))
        unknown = [e for e in self.epilogue if e not in EPILOGUES]
        missing = [k for k, v in q.items() if v is None]
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
        self.out = [self.batch, q.get("co", channels)] + [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in window]
        self.groups = channels if self.op == "depthwise" else q.get("groups", 1)
        if self.op.startswith("conv") or self.op == "depthwise":
            self.const["W"] = weights(self.out[1], channels // self.groups, *q["k"])

    def make_matrix(self):
        q = self.q
        if self.op in ("matmul", "batch_matmul"):
            lead = [q["b"]] if "b" in q else []
            self.ins = [lead + ([q["k"], q["m"]] if q["ta"] else [q["m"], q["k"]]), lead + ([q["n"], q["k"]] if q["tb"] else [q["k"], q["n"]])]
            self.out = lead + [q["m"], q["n"]]
        elif self.op == "dense":
            self.ins, self.out = [[q["m"], q["k"]]], [q["m"], q["n"]]
            self.const["W"] = weights(q["n"], q["k"])
        else:
            self.ins, self.out = [[q["m"], q["n"]]], [q["m"], q["n"]]
            if "axis" in q:
                self.out = [q["m"], 1] if q["axis"] else [1, q["n"]]
            if self.op == "variance":  # of each row, given its mean
                self.ins.append(self.out)
            if self.op == "layernorm":
                self.const["gamma"], self.const["beta"] = weights(q["n"]), weights(q["n"])

    def inputs(self):
        return [RNG.standard_normal(s, dtype=np.float32) for s in self.ins]

    def elements(self):
        return math.prod(self.out)


def weights(*shape):
    return (RNG.standard_normal(shape) / math.sqrt(max(1, math.prod(shape[1:])))).astype(np.float32)


def onnx_model(p):
    """-> the workload as an ONNX model with inputs in0, in1, ..."""
    from onnx import helper as H, numpy_helper as N, TensorProto as T
    q, nodes, init = p.q, [], {}
    free = ["in%d" % i for i in range(len(p.ins))]
    names = list(free)

    def const(value):
        name = "c%d" % len(init)
        init[name] = N.from_array(np.asarray(value, dtype=np.float32), name)
        return name

    def node(op, *ins, **attributes):
        nodes.append(H.make_node(op, list(ins), ["t%d" % len(nodes)], **attributes))
        return nodes[-1].output[0]

    epilogue = list(p.epilogue)
    x = free.pop(0)
    folded = epilogue[:1] == ["bias"] and "W" in p.const
    if folded:
        epilogue.pop(0)
    bias = [const(p.const["B"])] if folded else []
    window = dict(kernel_shape=q["k"], strides=q["s"], pads=q["p"] * 2) if p.image and "k" in q else {}
    if p.image and "W" in p.const:
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
            cur = node("MatMul", x, const(np.ascontiguousarray(p.const["W"].T)))
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
    elif p.op == "sum":
        init["axes"] = N.from_array(np.asarray([q["axis"]], dtype=np.int64), "axes")
        cur = node("ReduceSum", x, "axes", keepdims=1)
    else:
        cur = node({"mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin"}[p.op], x, axes=[q["axis"]], keepdims=1)

    def channel(value):
        return const(value.reshape([-1] + [1] * (len(p.out) - 2)) if p.image else value)

    for e in epilogue:
        if e == "bias":
            cur = node("Add", cur, channel(p.const["B"]))
        elif e == "bn":
            cur = node("Add", node("Mul", cur, channel(p.const["bn_scale"])), channel(p.const["bn_offset"]))
        elif e == "relu6":
            cur = node("Clip", cur, const(0), const(6))
        elif e == "gelu":
            erf = node("Erf", node("Mul", cur, const(1 / math.sqrt(2))))
            cur = node("Mul", node("Mul", node("Add", erf, const(1)), cur), const(.5))
        elif e == "silu":
            cur = node("Mul", cur, node("Sigmoid", cur))
        elif e == "add":
            cur = node("Add", cur, free.pop(0))
        else:
            cur = node({"relu": "Relu", "sigmoid": "Sigmoid"}[e], cur)
    g = H.make_graph(nodes, "g", [H.make_tensor_value_info(n, T.FLOAT, s) for n, s in zip(names, p.ins)],
                     [H.make_tensor_value_info(cur, T.FLOAT, None)], list(init.values()))
    m = H.make_model(g, opset_imports=[H.make_opsetid("", 17)])
    m.ir_version = 8
    return m.SerializeToString()


class Model:
    """An ONNX file with its inputs, and what its first output should be, if that is known."""

    def __init__(self, path, inputs="", torch="", dims={}):
        self.path, self.torch, self.want = path, torch, None
        self.name = os.path.splitext(os.path.basename(path))[0]
        if inputs:
            data = np.load(inputs)
            self.ins = [data["in%d" % i] for i in range(sum(k.startswith("in") for k in data))]
            self.want = data["out0"] if "out0" in data else None
        else:
            self.ins = random_inputs(path, dims)

    def error(self, got):
        """-> the largest difference from what is expected, as a share of its largest value; None if nothing is."""
        if self.want is None:
            return None
        if got.shape != self.want.shape:
            raise ValueError("its first output has the shape %s, not %s" % (list(got.shape), list(self.want.shape)))
        want = self.want.astype(np.float64)
        error = float(np.abs(got.astype(np.float64) - want).max() / max(np.abs(want).max(), 1e-30))
        if not math.isfinite(error):  # JSON has no such number
            raise ValueError("its first output is not finite where another is expected")
        return error

    def module(self):
        """-> the torch module."""
        if not self.torch:
            raise ValueError("torch reads no ONNX: name a Python file that makes the module")
        import importlib.util
        spec = importlib.util.spec_from_file_location("torch_models", self.torch)
        m = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(m)
        return m.load(self.name)


def random_inputs(path, dims):
    import onnx
    g = onnx.load(path, load_external_data=False).graph
    weights, ins = {i.name for i in g.initializer}, []
    for v in g.input:
        if v.name not in weights:
            t = v.type.tensor_type
            kind = onnx.helper.tensor_dtype_to_np_dtype(t.elem_type)
            shape = [d.dim_value or dims.get(d.dim_param, 1) for d in t.shape.dim]
            floats = np.issubdtype(kind, np.floating)
            ins.append((RNG.standard_normal(shape) if floats else RNG.integers(0, 2, shape)).astype(kind))
    return ins


# A peer is a class with a version, made once, and prepare(problem) -> (call, result): call runs the workload once, and
# result() returns what it computed, as an array. model(m) is the same for a model.

class Ort:
    def __init__(self, cores, free):
        import onnx, onnxruntime
        self.rt, self.threads = onnxruntime, len(cores)
        self.version = "onnxruntime " + onnxruntime.__version__
        # The calling thread stays on the first core, the others on theirs (numbers from 1).
        self.places = "" if free else ";".join(str(c + 1) for c in cores[1:])
        if not free:
            os.sched_setaffinity(0, cores[:1])

    def session(self, model):
        so = self.rt.SessionOptions()
        so.intra_op_num_threads, so.log_severity_level = self.threads, 3
        if self.places:
            so.add_session_config_entry("session.intra_op_thread_affinities", self.places)
        return self.rt.InferenceSession(model, so, providers=["CPUExecutionProvider"])

    def model(self, m):
        s = self.session(m.path)
        feeds = {i.name: x for i, x in zip(s.get_inputs(), m.ins)}
        return lambda: s.run(None, feeds), lambda: s.run(None, feeds)[0]

    def prepare(self, p):
        rt = self.rt
        s = self.session(onnx_model(p))
        feeds = {"in%d" % i: x for i, x in enumerate(p.inputs())}
        first = rt.OrtValue.ortvalue_from_numpy(s.run(None, feeds)[0])
        b = s.io_binding()
        for name, x in feeds.items():
            b.bind_ortvalue_input(name, rt.OrtValue.ortvalue_from_numpy(x))
        b.bind_ortvalue_output(s.get_outputs()[0].name, first)
        return lambda: s.run_with_iobinding(b), first.numpy


class OpenVINO:
    def __init__(self, cores, free):
        import onnx, openvino
        self.ov, self.threads, self.pinned = openvino, len(cores), not free
        self.version = "openvino " + openvino.__version__.split("-")[0]
        if not free:
            os.sched_setaffinity(0, cores)

    def request(self, model, inputs):
        core = self.ov.Core()
        model = core.read_model(model)
        if model.is_dynamic():
            model.reshape({i: list(x.shape) for i, x in enumerate(inputs)})
        c = core.compile_model(model, "CPU", {
            "INFERENCE_NUM_THREADS": self.threads, "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "f32", "ENABLE_CPU_PINNING": self.pinned})
        r = c.create_infer_request()
        for i, x in enumerate(inputs):
            r.set_input_tensor(i, self.ov.Tensor(x))
        return r.infer, lambda: r.get_output_tensor(0).data

    def model(self, m):
        return self.request(m.path, m.ins)

    def prepare(self, p):
        return self.request(onnx_model(p), p.inputs())


class Torch:
    compiled = False

    def __init__(self, cores, free):
        os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = str(len(cores))
        if not free:
            os.sched_setaffinity(0, cores)
            # One thread per core; read when OpenMP's run-time library is loaded.
            os.environ["OMP_PLACES"], os.environ["OMP_PROC_BIND"] = ",".join("{%d}" % c for c in cores), "true"
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"  # no pool of processes beside this one
        import torch
        self.torch = torch
        self.version = "torch " + torch.__version__
        self.layouts = {4: torch.channels_last, 5: torch.channels_last_3d}  # by the number of dimensions
        torch.set_num_threads(len(cores))
        torch.set_grad_enabled(False)

    def tensor(self, a):
        t = self.torch.from_numpy(a)
        return t.to(memory_format=self.layouts[t.dim()]) if t.dim() in self.layouts else t

    def calls(self, module, inputs):
        torch = self.torch
        xs = [self.tensor(a) for a in inputs]
        if self.compiled:
            import torch._inductor.config
            torch._inductor.config.freezing = True
            torch._dynamo.reset()
            module = torch.compile(module)

        def result():
            y = module(*xs)
            return (y[0] if isinstance(y, (tuple, list)) else y).numpy()
        return lambda: module(*xs), result

    def model(self, m):
        module = m.module()
        for x in m.ins:
            if x.ndim in self.layouts:
                module = module.to(memory_format=self.layouts[x.ndim])
        return self.calls(module, m.ins)

    def prepare(self, p):
        return self.calls(torch_module(self.torch, p, self.tensor).eval(), p.inputs())


class Inductor(Torch):
    compiled = True


def torch_module(torch, p, tensor):
    F, q = torch.nn.functional, p.q
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
            if p.image and "W" in p.const:
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
            return {"relu": F.relu, "relu6": F.relu6, "gelu": F.gelu, "sigmoid": torch.sigmoid, "silu": F.silu}[e](x)

    return Module()


PEERS = {"ort": Ort, "openvino": OpenVINO, "torch": Torch, "inductor": Inductor}


class Timer:
    """Times a call as wmtune times a kernel: one call untimed, one sample thrown away, then samples that last long enough."""

    def __init__(self, call):
        self.call, self.repeat = call, 0

    def sample(self):
        call = self.call
        begin = time.perf_counter()
        for _ in range(self.repeat):
            call()
        return time.perf_counter() - begin

    def round(self, samples, min_sample, max_total):
        self.call()
        if not self.repeat:
            self.repeat = 1
            spent = self.sample()
            while spent < min_sample and self.repeat < 1 << 20:
                self.repeat = max(self.repeat + 1, min(math.ceil(1.1 * min_sample / max(spent / self.repeat, 1e-9)), 1 << 20))
                spent = self.sample()
        total, taken = self.sample(), []
        while len(taken) < samples and (not taken or total < max_total):
            spent = self.sample()
            total += spent
            taken.append(spent / self.repeat)
        return taken


class Channel:
    """The requests of the program that started this process, and the answers to it."""

    def __init__(self, source, sink):
        self.source, self.sink, self.number = source, sink, 0
        self.write(b"wmtune worker 1 peer\n")
        self.source.readline()  # the program's greeting

    def write(self, data):
        self.sink.write(data)
        self.sink.flush()

    def __iter__(self):
        while len(head := self.source.read(16)) == 16:
            size, _, self.number = struct.unpack("<IIQ", head)
            yield json.loads(self.source.read(size))

    def answer(self, value):
        text = json.dumps(value).encode()
        self.write(struct.pack("<IIQ", len(text), 0, self.number) + text)


def serve(name, cores, free, channel):
    global np, RNG
    peer = timer = None
    for r in channel:
        try:
            if r["do"] == "version":
                import numpy as np
                RNG = np.random.default_rng(0)
                peer = PEERS[name](cores, free)
                gc.disable()
                channel.answer({"version": peer.version})
            elif r["do"] == "prepare":
                timer = None
                gc.collect()
                whole = "model" in r
                p = Model(**r["model"]) if whole else Problem(r["workload"])
                call, result = peer.model(p) if whole else peer.prepare(p)
                call(), call()
                got = result()
                error = p.error(got) if whole else None
                if not whole and (got.size != p.elements() or not np.isfinite(got).all()):
                    raise ValueError("it computes %s, not %d finite elements" % (list(got.shape), p.elements()))
                timer = Timer(call)
                channel.answer({"elements": int(got.size), "max_error": error})
            else:
                channel.answer({"samples": timer.round(r["samples"], r["min_sample"], r["max_total"])})
        except Exception as e:  # an import fails with more than ImportError where a library lacks another
            channel.answer({"error" if peer else "missing": "%s: %s" % (type(e).__name__, str(e).split("\n")[0][:300])})


def main():
    # What libraries print goes to the standard error and not among the answers.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.argv[1], [int(c) for c in sys.argv[2].split(",")], "free" in sys.argv[3:], Channel(sys.stdin.buffer, out))


if __name__ == "__main__":
    main()

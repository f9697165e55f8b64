#!/usr/bin/env python3
"""Times what a user would pick instead of wmtune: ONNX Runtime, OpenVINO, torch (eager, oneDNN) and torch.compile.

    peers.py PEER CORES [free]   PEER is ort, openvino, torch or inductor; CORES such as 0,1
    with free, threads are not pinned, and CORES says only how many there are

One process serves one peer, until its standard input ends. It speaks the protocol of wmtune's workers (codegen/worker):
a line that greets, then a frame per request and answer: the length of a JSON text in 4 bytes, 4 zero bytes, and the
number of the request in 8, all little endian; then the text:

    {"do": "version"}
      -> {"version": ...} or {"missing": WHY}
    {"do": "prepare", "model": {"path": "bert.onnx", "inputs": "bert.npz", "torch": "models.py"}}
      -> {"elements": 98304, "max_error": 1e-6}               of the first output, relative to its largest value
    {"do": "round", "samples": 5, "min_sample": 0.01, "max_total": 1}
      -> {"samples": [...]}                                   seconds per call, means of samples that long
    anything that goes wrong -> {"error": WHY}

A model is an ONNX file. The file of inputs has arrays in0, in1... in the order of the graph's inputs, and may have
out0 to compare with; without it the inputs are random, and open dimensions are those of "dims", or 1. torch cannot read
ONNX: "torch" names a Python file with a function load(name) that returns the module of NAME.onnx in eval mode. Each
peer takes the layout that suits it: channels first for ONNX Runtime and OpenVINO, channels last for torch. It runs
on one thread per core given.

A program that imports this one may add what is prepared besides models: KINDS.
"""
import gc, json, math, os, struct, sys, time


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

    def on(self, peer):
        return peer.model(self)

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


# A peer is a class with a version, made once, and model(m) -> (call, result): call runs the model once, and result()
# returns its first output, as an array.

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


class Inductor(Torch):
    compiled = True


# What a request to prepare may hold: a class or function that makes of it an object with on(peer) -> (call, result) and
# error(result), as Model has them.
KINDS = {"model": lambda files: Model(**files)}

PEERS = {"ort": Ort, "openvino": OpenVINO, "torch": Torch, "inductor": Inductor}


class Timer:
    """Times a call as wmtune times a kernel: one call untimed, one sample thrown away, then samples that last long
    enough."""

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
                wanted = math.ceil(1.1 * min_sample / max(spent / self.repeat, 1e-9))
                self.repeat = max(self.repeat + 1, min(wanted, 1 << 20))
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
                kind = next(k for k in KINDS if k in r)
                p = KINDS[kind](r[kind])
                call, result = p.on(peer)
                call(), call()
                got = result()
                error = p.error(got)
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

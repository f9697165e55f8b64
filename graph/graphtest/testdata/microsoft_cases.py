"""Writes random instances of ONNX Runtime's own operators to a folder, in the layout that graphtest.Cases reads:

    python microsoft_cases.py FOLDER COUNT [OPERATOR ...]

COUNT instances of each operator: what ONNX Runtime computes without graph optimizations, or, of operators that it has for
GPUs only, what NumPy does. The same COUNT gives the same cases. See node_cases.py for the layout. Outputs that are integers
may be one step off (atol 1), since both sides round.
"""

import pathlib
import sys
import zlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

F, I32, I64, U8, I8 = np.float32, np.int32, np.int64, np.uint8, np.int8


class Draw:
    """Draws shapes, numbers and choices of one instance."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)

    def int(self, low, high):
        return int(self.r.integers(low, high + 1))

    def maybe(self, x, share=0.5):
        return x if self.r.random() < share else None

    def of(self, *choices):
        return choices[self.r.integers(len(choices))]

    def x(self, *shape, type=F, scale=1.0):
        return (scale * self.r.standard_normal(shape)).astype(type)

    def ints(self, low, high, *shape, type=I32):
        return self.r.integers(low, high + 1, shape).astype(type)

    def bytes(self, type, *shape):
        return self.ints(np.iinfo(type).min, np.iinfo(type).max, *shape, type=type)

    def scale(self, *shape):
        return self.r.uniform(0.005, 0.05, shape).astype(F)

    def shape(self, low=1, high=3, most=7):
        return [self.int(1, most) for _ in range(self.int(low, high))]


class Case:
    """Inputs (None is one that is left out), attributes, the outputs that are asked for, the inputs that are constants."""

    def __init__(self, inputs, outputs=(1,), fixed=(), want=None, rtol=1e-4, atol=2e-5, domain="com.microsoft", opset=17,
                 **attrs):
        self.inputs = [None if x is None else np.asarray(x) for x in inputs]
        self.outputs, self.fixed, self.want, self.rtol, self.atol = outputs, fixed, want, rtol, atol
        self.domain, self.opset = domain, opset
        self.attrs = {k: v for k, v in attrs.items() if v is not None}


def gelu(d):
    return Case([d.x(*d.shape())])


def fast_gelu(d):
    s = d.shape()
    return Case([d.x(*s), d.maybe(d.x(s[-1]))])


def bias_gelu(d):
    s = d.shape()
    return Case([d.x(*s), d.x(s[-1])])


def quick_gelu(d):
    return Case([d.x(*d.shape())], alpha=d.maybe(float(d.r.uniform(0.5, 2))))


def bias_add(d):
    s = d.shape(3, 3)
    x, b, skip = d.x(*s), d.x(s[-1]), d.x(*s)
    return Case([x, b, skip], want=[x + b + skip])


def erf_gelu(x):
    from math import erf
    return 0.5 * x * (1 + np.vectorize(erf)(x.astype(np.float64) / np.sqrt(2)))


def bias_split_gelu(d):
    s = d.shape(3, 3)
    s[-1] *= 2
    x, b = d.x(*s), d.x(s[-1])
    left, right = np.split(x + b, 2, axis=-1)
    return Case([x, b], want=[(left * erf_gelu(right)).astype(F)])


def skip_norm(d):
    s = d.shape(3, 3)
    s[-1] = d.int(2, 9)
    skip = d.of(s, [1] + s[1:], s[1:])
    return Case([d.x(*s), d.x(*skip), d.x(s[-1]), d.maybe(d.x(s[-1])), d.maybe(d.x(s[-1]))], (1, 0, 0, d.int(0, 1)),
                epsilon=d.maybe(1e-5))


def skip_simplified_norm(d):
    s = d.shape(2, 3)
    s[-1] = d.int(2, 9)
    return Case([d.x(*s), d.x(*s), d.x(s[-1]), d.maybe(d.x(s[-1]))], (1, 0, 0, d.int(0, 1)), epsilon=d.maybe(1e-5))


def simplified_norm(d):
    s = d.shape(2, 3)
    s[-1] = d.int(2, 9)
    return Case([d.x(*s), d.x(s[-1])], domain="", axis=d.maybe(-1), epsilon=d.maybe(1e-6))


def embed_norm(d):
    b, s, h = d.int(1, 3), d.int(1, 6), d.int(2, 8)
    segments = d.of(True, False)
    mask = d.maybe(d.ints(0, 1, b, s))
    positions = d.of(None, d.ints(0, 8, b, s), d.ints(0, 8, 1, s))
    return Case([d.ints(0, 9, b, s), d.ints(0, 2, b, s) if segments else None, d.x(10, h), d.x(9, h),
                 d.x(3, h) if segments else None, d.x(h), d.x(h), mask, positions],
                (1, 1, d.int(0, 1)), epsilon=d.maybe(1e-5))


def numpy_group_norm(x, gamma, beta, groups, epsilon, activation, last):
    if last:
        x = x.transpose(0, 3, 1, 2)
    n, c, h, w = x.shape
    g = x.astype(np.float64).reshape(n, groups, -1)
    g = (g - g.mean(-1, keepdims=True)) / np.sqrt(g.var(-1, keepdims=True) + epsilon)
    y = g.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
    if activation:
        y = y / (1 + np.exp(-y))
    return (y.transpose(0, 2, 3, 1) if last else y).astype(F)


def group_norm(d, skip=False):
    groups, last = d.int(1, 3), d.int(0, 1)
    n, c, h, w = d.int(1, 2), groups * d.int(1, 4), d.int(1, 5), d.int(2, 5)
    s = (n, h, w, c) if last else (n, c, h, w)
    x, gamma, beta, activation, epsilon = d.x(*s), d.x(c), d.x(c), d.int(0, 1), 1e-5
    inputs, sum = [x, gamma, beta], x
    if skip:
        per = (n, 1, 1, c) if last else (n, c, 1, 1)
        extra = d.x(*d.of(s, (n, c), per))
        bias = d.maybe(d.x(c))
        inputs += [extra, bias]
        sum = x + (extra.reshape(per) if extra.ndim == 2 else extra)
        if bias is not None:
            sum = sum + (bias if last else bias[:, None, None])
    want = [numpy_group_norm(sum, gamma, beta, groups, epsilon, activation, last)]
    outputs = (1, d.int(0, 1)) if skip else (1,)
    return Case(inputs, outputs, want=want + [sum] * outputs[-1] if skip else want, channels_last=last, groups=groups,
                activation=activation, epsilon=epsilon)


def skip_group_norm(d):
    return group_norm(d, True)


def attention_mask(d, b, queries, keys, ends=True):
    """A mask of a form that exporters write. Every query sees a key: scores are rounded by the number that hides keys."""
    forms = [None, d.ints(0, 1, b, keys), d.ints(0, 1, b, queries, keys), d.ints(1, keys, b)]
    for form in forms[1:3]:
        form[..., 0] = 1
    if ends:
        begins = d.ints(0, keys - 1, b)
        forms.append(np.concatenate([np.maximum(d.ints(1, keys, b), begins + 1), begins]).astype(I32))
    return d.of(*forms)


def attention(d):
    b, s, n, h, w = d.int(1, 3), d.int(1, 6), d.int(1, 3), d.int(1, 4) * 2, d.int(1, 7)
    past = d.of(0, 0, d.int(1, 4))
    wide = h if past else d.of(h, d.int(1, 4) * 2)
    sizes = [n * h, n * h, n * wide]
    keys = s + past
    return Case([d.x(b, s, w), d.x(w, sum(sizes), scale=0.5), d.x(sum(sizes)), attention_mask(d, b, s, keys),
                 d.x(2, b, n, past, h) if past else None, None if past else d.maybe(d.x(d.of(1, b), d.of(1, n), s, keys), 0.3)],
                (1, int(past > 0 or wide == h and d.int(0, 1))), num_heads=n, unidirectional=d.int(0, 1),
                qkv_hidden_sizes=sizes if wide != h else None, scale=d.maybe(0.3, 0.2), mask_filter_value=d.maybe(-5.0, 0.2))


def multi_head(d):
    b, s, n, h = d.int(1, 3), d.int(1, 6), d.int(1, 3), d.int(1, 4) * 2
    form = d.of("plain", "plain", "past", "cross")
    keys, wide = s, h
    past = [None, None]
    bias = d.maybe(d.x(3 * n * h))
    if form == "cross":
        keys, bias = d.int(1, 6), None
        k, v = d.x(b, n, keys, h), d.x(b, n, keys, h)
    else:
        if form == "plain":
            keys, wide = d.int(1, 6), d.of(h, d.int(1, 4) * 2)
            bias = d.maybe(d.x(2 * n * h + n * wide))
        k, v = d.x(b, keys, n * h), d.x(b, keys, n * wide)
        if form == "past":
            p = d.int(1, 4)
            past = [d.x(b, n, p, h), d.x(b, n, p, h)]
            keys += p
    causal = d.int(0, 1) if form == "past" or form == "plain" and keys == s else 0
    return Case([d.x(b, s, n * h), k, v, bias, attention_mask(d, b, s, keys, False),
                 d.maybe(d.x(d.of(1, b), d.of(1, n), s, keys), 0.3)] + past,
                (1, 1, 1) if form == "past" else (1,), num_heads=n, unidirectional=causal, scale=d.maybe(0.3, 0.2))


def group_query(d):
    kv, size = d.int(1, 2), d.of(16, 32)
    n = kv * d.int(1, 3)
    form = d.of("prompt", "token", "token", "chunk")
    b, s = (1 if form == "chunk" else d.int(1, 3)), (1 if form == "token" else d.int(2, 5))
    past = 0 if form == "prompt" else d.int(1, 5)
    total = s + past
    lengths = np.full(b, total, I32)
    if form == "token":
        lengths[1:] = d.ints(1, total, b - 1)
    capacity = d.of(past, total, total + 2) if past else 0
    caches = []
    for _ in range(2 if past else 0):
        c = d.x(b, kv, capacity, size)
        for i in range(b):
            c[i, :, lengths[i] - s:] = 0
        caches.append(c)
    packed, rotary = d.int(0, 1), d.int(0, 1)
    qkv = [d.x(b, s, (n + 2 * kv) * size), None, None] if packed else \
        [d.x(b, s, n * size), d.x(b, s, kv * size), d.x(b, s, kv * size)]
    turned = d.of(size // 2, size // 4) if size == 32 else size // 2
    tables = [d.x(total + 3, turned), d.x(total + 3, turned)] if rotary else [None, None]
    bias = d.maybe(d.x(1, 1, s, total), 0.2)
    return Case(qkv + (caches or [None, None]) + [lengths - 1, np.array([total], I32)] + tables + [None, bias],
                (1, 1, 1), fixed=(6,), num_heads=n, kv_num_heads=kv, do_rotary=rotary, rotary_interleaved=d.int(0, 1),
                scale=d.maybe(0.3, 0.2), softcap=d.maybe(2.0, 0.2), local_window_size=d.maybe(d.int(1, 3), 0.3))


def rotary(d):
    b, s, n, h = d.int(1, 3), d.int(1, 5), d.int(1, 3), d.of(4, 8, 16)
    four = d.int(0, 1)
    part = d.of(0, h // 2)
    turned = part or h
    return Case([d.x(b, n, s, h) if four else d.x(b, s, n * h), d.of(d.ints(0, 4, 1, type=I64), d.ints(0, 9, b, s, type=I64)),
                 d.x(10, turned // 2), d.x(10, turned // 2)], interleaved=d.int(0, 1), num_heads=n if part else d.maybe(n),
                rotary_embedding_dim=part or None)


def fused_matmul(d):
    m, k, n, stack = d.int(1, 6), d.int(1, 6), d.int(1, 6), d.shape(1, 2, 3)
    batches = d.int(0, 2) == 0
    attrs = {name: d.int(0, 1) for name in ("transA", "transB")}
    if batches:
        attrs |= {name: d.int(0, 1) for name in ("transBatchA", "transBatchB")}
    a = stack + ([k, m] if attrs["transA"] else [m, k])
    b = d.of(stack, []) if not batches else stack
    b = b + ([n, k] if attrs["transB"] else [k, n])
    if attrs.get("transBatchA"):
        a = [a[-2]] + a[:-2] + [a[-1]]
    if attrs.get("transBatchB"):
        b = [b[-2]] + b[:-2] + [b[-1]]
    return Case([d.x(*a), d.x(*b)], alpha=d.maybe(0.7), **attrs)


def fused_gemm(d):
    m, k, n = d.int(1, 6), d.int(1, 6), d.int(1, 6)
    ta, tb = d.int(0, 1), d.int(0, 1)
    activation = d.of("Relu", "LeakyRelu", "Sigmoid", "Tanh", "HardSigmoid", "Elu", "Softplus", "Softsign", "ThresholdedRelu",
                      "Selu")
    alpha = beta = gamma = None
    if activation in ("LeakyRelu", "Elu", "ThresholdedRelu", "HardSigmoid", "Selu"):
        alpha = 0.3
    if activation == "HardSigmoid":
        beta = 0.4
    if activation == "Selu":
        gamma = 1.2
    c = d.of(None, d.x(n), d.x(m, n), d.x(m, 1), d.x(1))
    return Case([d.x(*([k, m] if ta else [m, k])), d.x(*([n, k] if tb else [k, n])), c], transA=ta, transB=tb,
                alpha=d.maybe(0.7), beta=d.maybe(0.6), activation=activation, activation_alpha=alpha, activation_beta=beta,
                activation_gamma=gamma)


def windows(d, rank, pool=False):
    kernel = [d.int(1, 3) for _ in range(rank)]
    attrs = {"kernel_shape": kernel, "strides": [d.int(1, 2) for _ in range(rank)]}
    if not pool:
        attrs["dilations"] = [d.int(1, 2) for _ in range(rank)]
    auto = d.of("NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
    if auto == "NOTSET":
        attrs["pads"] = [min(d.int(0, 1), k - 1) for k in kernel * 2] if pool else [d.int(0, 1) for _ in kernel * 2]
    else:
        attrs["auto_pad"] = auto
        attrs.pop("dilations", None)
    return attrs


def run(op, inputs, **attrs):
    """What ONNX Runtime computes of one of ONNX's operators."""
    return execute(op, Case(inputs, domain="", **attrs))[1][0]


def fused_conv(d, last=False):
    groups = d.of(1, 1, 2)
    ci, co = groups * d.int(1, 3), groups * d.int(1, 4)
    attrs = windows(d, 2)
    activation, params = d.of((None, None), ("Relu", None), ("Tanh", None), ("Sigmoid", None), ("LeakyRelu", [0.2]),
                              ("Clip", [-0.5, 0.8]), ("HardSigmoid", [0.3, 0.4]))
    x, w, bias = d.x(d.int(1, 2), ci, d.int(6, 9), d.int(6, 9)), d.x(co, ci // groups, *attrs["kernel_shape"], scale=0.5), \
        d.maybe(d.x(co))
    y = run("Conv", [x, w, bias], group=groups, **attrs)
    z = d.x(*y.shape) if bias is not None and d.int(0, 1) else None
    want = None
    if last:
        y = y if z is None else y + z
        if activation == "Clip":
            y = np.clip(y, *params)
        elif activation:
            y = run(activation, [y], **({"alpha": params[0]} if params else {}), **({"beta": params[1]} if params and
                                                                                     len(params) > 1 else {}))
        want, x = [y.transpose(0, 2, 3, 1)], x.transpose(0, 2, 3, 1)
        z = None if z is None else z.transpose(0, 2, 3, 1)
    return Case([x, w, bias, z], want=want, group=groups, activation=activation, activation_params=params, **attrs)


def nhwc_fused_conv(d):
    return fused_conv(d, True)


def nhwc_max_pool(d):
    attrs = windows(d, 2, True)
    return Case([d.bytes(d.of(U8, I8), d.int(1, 2), d.int(5, 8), d.int(5, 8), d.int(1, 4))], atol=0,
                ceil_mode=d.maybe(1, 0.2) if "pads" in attrs else None, **attrs)


def conv_transpose(d):
    ci, co = d.int(1, 3), d.int(1, 3)
    kernel = [d.int(2, 3), d.int(2, 3)]
    pads = np.array([d.int(0, 1) for _ in range(4)], I64)
    return Case([d.x(1, ci, 4, 5), d.x(ci, co, *kernel), pads, d.maybe(d.x(co))], fixed=(2,), kernel_shape=kernel,
                strides=[d.int(1, 2), d.int(1, 2)], dilations=d.maybe([d.int(1, 2), 1]))


def quantized_binary(d):
    s, type = d.shape(), d.of(U8, I8)
    other = [x if d.int(0, 2) else 1 for x in s]
    zero = lambda: d.bytes(type)
    if d.int(0, 1):
        s, other = other, s
    return Case([d.bytes(type, *s), d.scale(), zero(), d.bytes(type, *other), d.scale(), zero(), d.scale(), zero()], atol=1)


def quantized_where(d):
    s, type = d.shape(), d.of(U8, I8)
    return Case([d.ints(0, 1, *s, type=bool), d.bytes(type, *s), d.scale(), d.bytes(type), d.bytes(type, *s), d.scale(),
                 d.bytes(type), d.scale(), d.bytes(type)], fixed=(2, 3, 5, 6, 7, 8), atol=1)


def quantized_unary(d, **attrs):
    type = d.of(U8, I8)
    return Case([d.bytes(type, *d.shape()), d.scale(), d.bytes(type), d.scale(), d.bytes(type)], atol=1,
                **attrs)


def quantized_leaky_relu(d):
    return quantized_unary(d, alpha=d.maybe(0.2))


def quantized_softmax(d):
    s, type, opset = d.shape(2, 3), d.of(U8, I8), d.of(11, 13)
    return Case([d.bytes(type, *s), d.scale(), d.bytes(type), np.array(1 / 256, F),
                 np.array(-128 if type == I8 else 0, type)], fixed=(1, 2, 3, 4), atol=1, opset_=opset, axis=d.int(0, len(s) - 1))


def quantized_concat(d):
    s, type = d.shape(2, 3), d.of(U8, I8)
    axis = d.int(0, len(s) - 1)
    inputs = [d.scale(), d.bytes(type)]
    for _ in range(d.int(1, 3)):
        s[axis] = d.int(1, 4)
        inputs += [d.bytes(type, *s), d.scale(), d.bytes(type)]
    return Case(inputs, fixed=[i for i in range(len(inputs)) if i < 2 or i % 3 != 2], atol=1, axis=axis)


def quantized_pool(d):
    type, last = d.of(U8, I8), d.int(0, 1)
    s = [d.int(1, 2), d.int(1, 4), d.int(5, 8), d.int(5, 8)]
    if last:
        s = [s[0], s[2], s[3], s[1]]
    attrs = windows(d, 2, True)
    return Case([d.bytes(type, *s), d.scale(), d.bytes(type), d.scale(), d.bytes(type)], atol=1,
                channels_last=last, count_include_pad=d.maybe(1), **attrs)


def quantized_global_pool(d):
    type, last = d.of(U8, I8), d.int(0, 1)
    return Case([d.bytes(type, *d.shape(4, 4)), d.scale(), d.bytes(type), d.scale(), d.bytes(type)], atol=1, channels_last=last)


def quantized_conv(d):
    last, groups = d.int(0, 1), d.of(1, 1, 2)
    ci, co = groups * d.int(1, 3), groups * d.int(1, 4)
    attrs = windows(d, 2)
    s = [d.int(1, 2), ci, d.int(6, 9), d.int(6, 9)]
    if last:
        s = [s[0], s[2], s[3], ci]
    per = d.int(0, 1)
    return Case([d.bytes(U8, *s), d.scale(), d.bytes(U8), d.ints(-63, 63, co, ci // groups, *attrs["kernel_shape"], type=I8),
                 d.scale(co) if per else d.scale(), np.zeros(co if per else (), I8), d.scale(), d.bytes(U8),
                 d.maybe(d.ints(-999, 999, co))], fixed=range(1, 9), atol=1, channels_last=last, group=groups, **attrs)


def weights(d, k, n, signed=False):
    """Quantized weights with a scale and a zero point for all or for each column: products of them fit 16 bits."""
    type = I8 if signed else d.of(U8, I8)
    per = d.of((), (n,))
    w = d.ints(-63, 63, k, n, type=I8) if type == I8 else d.ints(0, 127, k, n, type=U8)
    return w, d.scale(*per), np.zeros(per, type) if type == I8 else d.ints(0, 127, *per, type=U8)


def qgemm(d):
    m, k, n = d.int(1, 6), d.int(1, 9), d.int(1, 6)
    type = d.of(U8, I8)
    w, scale, zero = weights(d, k, n, type == I8)
    ta, tb = d.int(0, 1), d.int(0, 1)
    a = d.bytes(type, *([k, m] if ta else [m, k]))
    real = d.int(0, 1)
    c = d.of(None, d.ints(-999, 999, n), d.ints(-999, 999, m, n), d.ints(-999, 999, 1, n))
    return Case([a, d.scale(), d.bytes(type), w.T.copy() if tb else w, scale, zero, c] +
                ([] if real else [d.scale(), d.bytes(type)]), atol=1e-4 if real else 1, transA=ta, transB=tb,
                alpha=d.maybe(0.5))


def packed(d, rows, n, bits):
    """Random rows of n numbers, which lie in bytes."""
    return d.bytes(U8, *rows, -(-n * bits // 8))


def matmul_bits(d):
    s, k, n, bits, block = d.shape(1, 3, 4), d.int(1, 80), d.int(1, 9), d.of(4, 4, 4, 2, 8), d.of(16, 32, 64)
    blocks = -(-k // block)
    zero = d.of(None, packed(d, (n,), blocks, bits).ravel(), d.x(n, blocks, scale=4) + F(7) if bits == 4 else None)
    level = d.of(None, 0, 4) if bits == 4 else None
    return Case([d.x(*s, k), packed(d, (n, blocks), block, bits), d.scale(n * blocks), zero, None, d.maybe(d.x(n))],
                fixed=(1, 2, 3), rtol=3e-2 if level == 4 else 1e-4, atol=0.05 if level == 4 else 2e-4, K=k, N=n, bits=bits,
                block_size=block, accuracy_level=level)


def gather_blocks(d):
    block, bits, kind = 16, d.of(4, 4, 8), d.of("uint8", "int4", "uint4")
    rows, k, index = d.int(2, 6), d.of(16, 32, 48), d.ints(0, 1, *d.shape(1, 2, 3), type=I64)
    if kind == "uint8":
        x, zero = packed(d, (rows,), k, bits), packed(d, (rows,), k // block, bits)
    else:
        import ml_dtypes
        bits = 4
        number = lambda *s: d.ints(0, 15, *s).astype(I8) - (8 if kind == "int4" else 0)
        x, zero = (number(rows, n).astype(getattr(ml_dtypes, kind)) for n in (k, k // block))
    return Case([x, index, d.scale(rows, k // block), d.maybe(zero)], fixed=(0, 2, 3), bits=bits, block_size=block,
                gather_axis=0, quantize_axis=1)


def dequantize_nibbles(d):
    import ml_dtypes
    k, n, block = d.int(1, 40), d.int(1, 9), d.of(0, 16)
    scales = (-(-k // block), n) if block else d.of((), (n,))
    number = lambda *s: d.ints(0, 7, *s).astype(I8).astype(ml_dtypes.int4)
    return Case([number(k, n), d.scale(*scales), d.maybe(number(*scales))], fixed=(0, 2), domain="", opset=21, axis=0 if block else 1,
                block_size=block or None)


def integer_to_float(d):
    s, k, n = d.shape(1, 3, 4), d.int(1, 9), d.int(1, 6)
    w, scale, zero = weights(d, k, n)
    return Case([d.bytes(U8, *s, k), w, d.scale(), scale, d.maybe(d.bytes(U8)), d.maybe(zero), d.maybe(d.x(n))], atol=1e-4)


def dynamic_matmul(d):
    s, k, n = d.shape(1, 3, 4), d.int(1, 9), d.int(1, 6)
    w, scale, zero = weights(d, k, n)
    return Case([d.x(*s, k), w, scale, d.maybe(zero), d.maybe(d.x(n))], rtol=1e-2, atol=2e-2 * k ** 0.5)


def dynamic_lstm(d):
    direction = d.of("forward", "reverse", "bidirectional")
    dirs, t, b, i, h = 1 + (direction == "bidirectional"), d.int(1, 6), d.of(1, 1, 2), d.int(1, 6), d.int(1, 6)
    type = d.of(U8, I8)
    per = d.of((dirs,), (dirs, 4 * h))

    def matrix(rows):
        w = d.ints(-63, 63, dirs, rows, 4 * h, type=I8) if type == I8 else d.ints(1, 127, dirs, rows, 4 * h, type=U8)
        return w, d.scale(*per) / 2, np.full(per, 0 if type == I8 else 64, type)

    w, r = matrix(i), matrix(h)
    state = d.of(False, True)
    return Case([d.x(t, b, i), w[0], r[0], d.maybe(d.x(dirs, 8 * h)), d.maybe(d.ints(1, t, b), 0.3) if t > 1 else None,
                 d.x(dirs, b, h) if state else None, d.x(dirs, b, h) if state else None, d.maybe(d.x(dirs, 3 * h), 0.3),
                 w[1], w[2], r[1], r[2]], (1, 1, 1), fixed=(1, 2, 8, 9, 10, 11), rtol=1e-2, atol=1e-2 if b == 1 else 5e-2,
                hidden_size=h, direction=direction, clip=d.maybe(3.0, 0.2),
                activations=d.maybe(["Sigmoid", "Tanh", "Relu"] * dirs, 0.2))


def pad(d):
    s = d.shape(1, 3, 5)
    mode = d.of("constant", "reflect", "edge")
    pads = np.array([d.int(0, min(2, x - 1) if mode == "reflect" else 2) for x in s * 2], I64)
    value = d.of(None, d.x(), d.x(1)) if mode == "constant" else None
    return Case([d.x(*s), pads.reshape(d.of((-1,), (1, -1))), value], fixed=(1,), mode=mode)


def unique(d):
    return Case([d.ints(0, 5, d.int(1, 12)).astype(F)], (1, 1, 1))


def trilu(d):
    k = d.maybe(np.array(d.int(-3, 3), I64))
    return Case([d.x(*d.shape(2, 3)), k], fixed=(1,), upper=d.maybe(d.int(0, 1)))


def inverse(d):
    n, s = d.int(1, 5), d.shape(0, 2, 3)
    return Case([d.x(*s, n, n) + 3 * np.eye(n, dtype=F)], atol=1e-4)


def cdist(d):
    n, type = d.int(1, 6), d.of(F, np.float64)
    return Case([d.x(d.int(1, 6), n, type=type), d.x(d.int(1, 6), n, type=type)], atol=2e-4,
                metric=d.of("euclidean", "sqeuclidean"))


OPERATORS = {
    "Gelu": gelu, "FastGelu": fast_gelu, "BiasGelu": bias_gelu, "QuickGelu": quick_gelu, "BiasAdd": bias_add,
    "BiasSplitGelu": bias_split_gelu, "SkipLayerNormalization": skip_norm,
    "SkipSimplifiedLayerNormalization": skip_simplified_norm, "SimplifiedLayerNormalization": simplified_norm,
    "EmbedLayerNormalization": embed_norm, "GroupNorm": group_norm, "SkipGroupNorm": skip_group_norm, "Attention": attention,
    "MultiHeadAttention": multi_head, "GroupQueryAttention": group_query, "RotaryEmbedding": rotary,
    "FusedMatMul": fused_matmul, "FusedGemm": fused_gemm, "FusedConv": fused_conv, "NhwcFusedConv": nhwc_fused_conv,
    "NhwcMaxPool": nhwc_max_pool, "ConvTransposeWithDynamicPads": conv_transpose, "QLinearAdd": quantized_binary,
    "QLinearMul": quantized_binary, "QLinearWhere": quantized_where, "QLinearSigmoid": quantized_unary,
    "QLinearLeakyRelu": quantized_leaky_relu, "QLinearSoftmax": quantized_softmax, "QLinearConcat": quantized_concat,
    "QLinearAveragePool": quantized_pool, "QLinearGlobalAveragePool": quantized_global_pool, "QLinearConv": quantized_conv,
    "MatMulNBits": matmul_bits, "GatherBlockQuantized": gather_blocks, "DequantizeLinear": dequantize_nibbles,
    "QGemm": qgemm, "MatMulIntegerToFloat": integer_to_float, "DynamicQuantizeMatMul": dynamic_matmul,
    "DynamicQuantizeLSTM": dynamic_lstm, "Pad": pad, "Unique": unique, "Trilu": trilu, "Inverse": inverse, "CDist": cdist,
}


def execute(op, case):
    """The model of a case and what ONNX Runtime computes of it, or what the case wants."""
    names = [None if x is None else f"x{i}" for i, x in enumerate(case.inputs)]
    while names and names[-1] is None:
        names.pop()
    arrays = dict(zip(names, case.inputs))
    outputs = [f"y{i}" if there else "" for i, there in enumerate(case.outputs)]
    while outputs[-1] == "":
        outputs.pop()
    attrs = {k.rstrip("_"): v for k, v in case.attrs.items()}
    node = helper.make_node(op, [n or "" for n in names], outputs, domain=case.domain, **attrs)
    fixed = [f"x{i}" for i in case.fixed if f"x{i}" in names]
    info = lambda name, array: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
    graph = helper.make_graph([node], op, [info(n, arrays[n]) for n in names if n and n not in fixed],
                              [onnx.ValueInfoProto(name=n) for n in outputs if n],
                              [numpy_helper.from_array(arrays[n], n) for n in fixed])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset),
                                                    helper.make_opsetid("com.microsoft", 1)], ir_version=10)
    want = case.want
    if want is None:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        want = session.run(None, {n: arrays[n] for n in names if n and n not in fixed})
    for value, array in zip(graph.output, want):
        value.CopyFrom(helper.make_tensor_value_info(value.name, helper.np_dtype_to_tensor_dtype(array.dtype), None))
    model.graph.CopyFrom(graph)
    return model, want


def main(folder, count, operators):
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["name\toperators\ttypes\trtol\tatol"]
    for op in operators or OPERATORS:
        for number in range(count):
            name = f"ms_{op}_{number}"
            case = OPERATORS[op](Draw(zlib.crc32(name.encode())))
            try:
                model, want = execute(op, case)
            except Exception as e:
                sys.exit(f"{name}: {[None if x is None else (x.dtype.name, x.shape) for x in case.inputs]} {case.attrs}: {e}")
            data = folder / name / "test_data_set_0"
            data.mkdir(parents=True, exist_ok=True)
            (folder / name / "model.onnx").write_bytes(model.SerializeToString())
            arrays = [case.inputs[int(v.name[1:])] for v in model.graph.input]
            for kind, values, list in (("input", model.graph.input, arrays), ("output", model.graph.output, want)):
                for i, (value, array) in enumerate(zip(values, list)):
                    (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(np.asarray(array), value.name)
                                                          .SerializeToString())
            lines.append(f"{name}\tcom.microsoft.{op}\t\t{case.rtol}\t{case.atol}")
    (folder / "cases.tsv").write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} cases of onnxruntime {onnxruntime.__version__} in {folder}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: microsoft_cases.py FOLDER COUNT [OPERATOR ...]")
    main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])

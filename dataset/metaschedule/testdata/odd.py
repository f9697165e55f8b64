"""Programs that the suite paper22 does not have, for sample.py: reductions with several spatial axes, two producers, diamonds."""


def rows(a, b, k):
    x = te.placeholder((a, b, k), name="x")
    r = te.reduce_axis((0, k), name="r")
    s = te.compute((a, b), lambda i, j: te.sum(x[i, j, r], axis=r), name="s")
    return [x, te.compute((a, b), lambda i, j: s[i, j] * 0.5, name="y")]


def columns(a, b, c, k):
    x = te.placeholder((k, a, b, c), name="x")
    r = te.reduce_axis((0, k), name="r")
    s = te.compute((a, b, c), lambda i, j, l: te.max(x[r, i, j, l], axis=r), name="s")
    return [x, te.compute((a, b, c), lambda i, j, l: te.exp(s[i, j, l]), name="y")]


def two(m, n, k):
    x = te.placeholder((m, k), name="x")
    w = te.placeholder((k, n), name="w")
    a = te.compute((m, k), lambda i, j: te.exp(x[i, j]), name="a")
    b = te.compute((k, n), lambda i, j: te.tanh(w[i, j]), name="b")
    r = te.reduce_axis((0, k), name="r")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="c")
    return [x, w, te.compute((m, n), lambda i, j: te.max(c[i, j], te.const(0, "float32")), name="y")]


def diamond(m, k):
    x = te.placeholder((m, k), name="x")
    r, q = te.reduce_axis((0, k), name="r"), te.reduce_axis((0, k), name="q")
    s = te.compute((m,), lambda i: te.sum(x[i, r], axis=r), name="s")
    v = te.compute((m,), lambda i: te.sum(x[i, q] * x[i, q], axis=q), name="v")
    return [x, te.compute((m, k), lambda i, j: (x[i, j] - s[i]) / te.sqrt(v[i] + 1), name="y")]


def twice(m, n, k):
    x, w = te.placeholder((m, k), name="x"), te.placeholder((k, n), name="w")
    r = te.reduce_axis((0, k), name="r")
    c = te.compute((m, n), lambda i, j: te.sum(x[i, r] * w[r, j], axis=r), name="c", attrs={"layout_free_placeholders": [w]})
    t = te.compute((m, n), lambda i, j: te.tanh(c[i, j]), name="t")
    s = te.compute((m, n), lambda i, j: te.sigmoid(c[i, j]), name="g")
    return [x, w, te.compute((m, n), lambda i, j: t[i, j] * s[i, j], name="y")]


SUITE = {"rows": (rows, (8, 16, 96)), "columns": (columns, (4, 8, 8, 120)), "two": (two, (64, 48, 80)),
         "diamond": (diamond, (32, 240)), "twice": (twice, (32, 64, 48))}

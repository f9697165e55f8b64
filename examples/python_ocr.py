"""Reads a line of text with the recognition model that the package rapidocr brings, and compares with onnxruntime.

    pip install rapidocr onnxruntime
    python examples/python_ocr.py

There is no download: the trained model lies in the wheel of rapidocr, and the picture is drawn here.
"""

from __future__ import annotations

import importlib.util
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

import wmtune

TEXT, WIDTH, HEIGHT = "wmtune 2026", 320, 48

picture = Image.new("RGB", (WIDTH, HEIGHT), "white")
ImageDraw.Draw(picture).text((10, 4), TEXT, "black", ImageFont.load_default(34))
x = (np.asarray(picture, dtype=np.float32).transpose(2, 0, 1)[None] / 255 - 0.5) / 0.5
x = np.ascontiguousarray(x)

package = importlib.util.find_spec("rapidocr")
if package is None or package.origin is None:
    raise SystemExit("rapidocr is missing: pip install rapidocr")
path = next(Path(package.origin).parent.glob("models/*_rec_*.onnx"))
network = onnx.load(path)
characters = ["", *next(p.value for p in network.metadata_props if p.key == "character").splitlines(), " "]


def decode(scores: np.ndarray) -> str:
    """Return the text of an output: the best character of each place, repeated ones and blanks left out."""
    best = scores[0].argmax(axis=1)
    return "".join(characters[c] for c, before in zip(best, [0, *best], strict=False) if c not in (0, before))


batch, width = (d.dim_param for d in network.graph.input[0].type.tensor_type.shape.dim if d.dim_param)
with wmtune.compile(path, dims={batch: 1, width: WIDTH}) as model:
    other = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    (expected,) = other.run(None, {"x": x})
    y = model(x)
    for name, run in [("wmtune", lambda: model(x)), ("onnxruntime", lambda: other.run(None, {"x": x}))]:
        times = []
        for _ in range(10):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(f"{name}: {1e3 * min(times):.1f} ms")

print(f"the picture says {decode(y)!r}")
print(f"the largest difference from onnxruntime: {abs(y - expected).max():.1e}")
assert decode(y) == decode(expected) == TEXT
assert np.allclose(y, expected, rtol=1e-3, atol=1e-5)

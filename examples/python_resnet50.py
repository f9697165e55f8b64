"""Compiles torchvision's resnet50 and compares it with torch.

    python examples/python_resnet50.py

It needs the packages wmtune[torch] and torchvision. There is no download: the weights are random.
"""

from __future__ import annotations

import time

import torch
import torchvision

import wmtune

torch.manual_seed(0)
module = torchvision.models.resnet50().eval()
x = torch.randn(1, 3, 224, 224)

with torch.inference_mode(), wmtune.compile(module, args=(x,), name="resnet50") as model:
    expected, y = module(x), model(x)
    for name, run in [("wmtune", lambda: model(x)), ("torch", lambda: module(x))]:
        times = []
        for _ in range(10):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(f"{name}: {1e3 * min(times):.1f} ms")
    difference = ((y - expected).abs().max() / expected.abs().max()).item()

print(f"the largest difference from torch, of the largest output: {difference:.1e}")
assert difference < 1e-5

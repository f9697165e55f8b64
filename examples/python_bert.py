"""Compiles an encoder of transformers through torch.compile, and compares it with torch.

    python examples/python_bert.py

It needs the packages wmtune[torch] and transformers. There is no download: the weights are random.
"""

from __future__ import annotations

import time

import torch
from transformers import BertConfig, BertModel

torch.manual_seed(0)
module = BertModel(BertConfig()).eval()
tokens = torch.randint(0, 30000, (1, 128))
compiled = torch.compile(module, backend="wmtune")

with torch.inference_mode():
    expected, y = module(tokens)[0], compiled(tokens)[0]
    for name, run in [("wmtune", lambda: compiled(tokens)), ("torch", lambda: module(tokens))]:
        times = []
        for _ in range(5):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(f"{name}: {1e3 * min(times):.1f} ms")
    difference = ((y - expected).abs().max() / expected.abs().max()).item()

print(f"the largest difference from torch, of the largest output: {difference:.1e}")
assert difference < 1e-5

"""What a call of a model takes beyond NAME_run: `python bench/overhead.py`.

A small model is called through the package and directly, in turns; each figure is the fastest of 300 rounds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import wmtune

sys.path.insert(0, str(Path(__file__).parents[2] / "python/tests"))

from models import dense, pair

ROUNDS, CALLS = 300, 100


def best(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Return the microseconds of each call: the fastest round, of rounds in turns."""
    found = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begin = time.perf_counter()
            for _ in range(CALLS):
                call()
            found[name] = min(found[name], (time.perf_counter() - begin) / CALLS * 1e6)
    return found


def main() -> None:
    """Print a table."""
    print("model  call                      us  beyond NAME_run")
    a = np.ones((2, 3), np.int32)
    for name, model, inputs in [
        ("dense", wmtune.compile(dense(), threads=1), [np.ones((4, 8), np.float32)]),
        ("pair", wmtune.compile(pair(), threads=1), [a, a]),
    ]:
        calls: dict[str, Callable[[], Any]] = {}
        context = model._library.acquire()
        kept = [p.find(x) for p, x in zip(model._inputs, inputs, strict=True)]
        for i, (where, _) in enumerate(kept):
            context.inputs[i] = where
        model._results(context.outputs, False, results := [p.new() for p in model._outputs])
        calls["NAME_run, by ctypes"] = lambda c=context: c.run(c.handle, c.inputs_address, c.outputs_address)
        calls["arrays"] = lambda m=model, x=inputs: m(*x)
        calls["arrays, out="] = lambda m=model, x=inputs, y=results: m(*x, out=y)
        calls["by name"] = lambda m=model, x=dict(zip([p.name for p in model.inputs], inputs, strict=True)): m.run(x)
        if "torch" in sys.modules:
            tensors = [sys.modules["torch"].from_numpy(x) for x in inputs]
            calls["tensors"] = lambda m=model, x=tensors: m(*x)
        found = best(calls)
        for call, us in found.items():
            print(f"{name:5}  {call:22}  {us:5.2f}  {us - found['NAME_run, by ctypes']:.2f}")


if __name__ == "__main__":
    if "--torch" in sys.argv:
        import torch  # noqa: F401
    main()

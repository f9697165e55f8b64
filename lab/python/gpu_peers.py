"""Times torch on a GPU, eager and compiled, on subgraphs of a suite: what `wmtune search --target cuda` competes with.

    wmtune workloads paper22 --json > rows.json
    python lab/python/gpu_peers.py rows.json --out peers.json

Float32 without tf32; weights are constants; images lie channels first and channels last, whichever is faster. A time is
the least of seven rounds of the mean of a call, in microseconds, of 100 calls in CUDA graphs, so that launches cost
nothing. While it times, wmtune's processes wait for their turn on the GPU. It needs torch with CUDA and numpy.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

CALLS = 20  # in a graph
REPLAYS = 5  # of it in a round
ROUNDS = 7

sys.path += [str(Path(__file__).parents[2] / "graph/rivals"), str(Path(__file__).parents[1] / "bench")]


def main() -> None:
    """Time every row, and print a line of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", help="what `wmtune workloads SUITE --json` prints")
    parser.add_argument("--modes", default="eager,compile")
    parser.add_argument("--out", default="", help="JSON of all times")
    args = parser.parse_args()

    import numpy as np
    import kernels
    import peers
    import torch

    peers.np, peers.RNG = np, np.random.default_rng(0)
    torch.set_grad_enabled(False)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    times: dict[str, dict[str, float]] = {}
    for line in Path(args.rows).read_text().splitlines():
        row = json.loads(line)
        if "spec" not in row:
            continue
        times[row["name"]] = row_times(torch, row["spec"], args.modes.split(","))
        print(row["name"], {mode: round(us, 2) for mode, us in times[row["name"]].items()}, flush=True)
    if args.out:
        Path(args.out).write_text(json.dumps(times, indent=1))


def row_times(torch: Any, spec: str, modes: list[str]) -> dict[str, float]:
    """Time a workload in every mode and layout that it has."""
    import kernels

    problem, found = kernels.Problem(spec), {}
    layouts = {4: torch.channels_last, 5: torch.channels_last_3d}
    for last in (False, True) if problem.image else (False,):

        def tensor(value: Any, last: bool = last) -> Any:
            t = torch.from_numpy(value).cuda()
            return t.to(memory_format=layouts[t.dim()]) if last and t.dim() in layouts else t

        module = kernels.torch_module(torch, problem, tensor).eval()
        inputs = [tensor(value) for value in problem.inputs()]
        for mode in modes:
            call = compiled(torch, module) if mode == "compile" else module
            found[mode + (", channels last" if last else "")] = turn(torch, call, inputs)
    return found


def compiled(torch: Any, module: Any) -> Any:
    """Compile a module with its weights as constants."""
    import torch._inductor.config

    torch._inductor.config.freezing = True
    torch._dynamo.reset()
    return torch.compile(module)


def turn(torch: Any, call: Any, inputs: list[Any]) -> float:
    """Choose algorithms, compile and time while no process of wmtune times (codegen/machine/turn.go)."""
    gpu = torch.cuda.get_device_properties(0)
    bus = f"{gpu.pci_domain_id:04x}:{gpu.pci_bus_id:02x}:{gpu.pci_device_id:02x}.0"
    with open(Path(tempfile.gettempdir()) / f"wmtune-{os.getuid()}-gpu-{bus}.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        call(*inputs)
        torch.cuda.synchronize()
        return microseconds(torch, call, inputs)


def microseconds(torch: Any, call: Any, inputs: list[Any]) -> float:
    """Return the mean of a call in the fastest round."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call(*inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            call(*inputs)
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    best = math.inf
    for _ in range(ROUNDS):
        graph.replay()
        start.record()
        for _ in range(REPLAYS):
            graph.replay()
        stop.record()
        stop.synchronize()
        best = min(best, start.elapsed_time(stop) / (CALLS * REPLAYS))
    return best * 1e3


if __name__ == "__main__":
    main()

"""The package beside onnxruntime, torch and torch.compile on ten models.

`python lab/python/models.py [--only gpt2,...]` times them. It needs wmtune[torch], torchvision, transformers,
onnxscript and onnxruntime. There is no download: weights are random. All run in turns in one process, with the same
threads. What wmtune returns is compared with eager torch. --json FILE keeps each row when it is done, and a model
that is in the file is not run again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torchvision
import transformers

import wmtune

Maker = Callable[[], torch.nn.Module]
TOKENS = 128


def text(model: str, config: str, **options: Any) -> Maker:
    """Return what makes a model of transformers without its cache."""
    return lambda: getattr(transformers, model)(getattr(transformers, config)(use_cache=False, **options))


NARROW = {"hidden_size": 768}
MODELS: dict[str, tuple[Maker, tuple[int, ...]]] = {
    "resnet18": (torchvision.models.resnet18, (1, 3, 224, 224)),
    "resnet50": (torchvision.models.resnet50, (1, 3, 224, 224)),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, (1, 3, 224, 224)),
    "efficientnet_b0": (torchvision.models.efficientnet_b0, (1, 3, 224, 224)),
    "vit_b16": (torchvision.models.vit_b_16, (1, 3, 224, 224)),
    "r3d_18": (torchvision.models.video.r3d_18, (1, 3, 16, 112, 112)),
    "bert_base": (text("BertModel", "BertConfig"), ()),
    "gpt2": (text("GPT2Model", "GPT2Config"), ()),
    "gpt_neo_125m": (
        text("GPTNeoModel", "GPTNeoConfig", num_layers=12, num_heads=12, attention_types=[[["global", "local"], 6]],
             **NARROW), (),
    ),
    "opt_125m": (
        text("OPTModel", "OPTConfig", num_hidden_layers=12, ffn_dim=3072, num_attention_heads=12,
             word_embed_proj_dim=768, **NARROW), (),
    ),
}  # fmt: skip


def first(y: Any) -> torch.Tensor:
    """Return the first tensor of what a model returns."""
    while not isinstance(y, torch.Tensor):
        y = next(iter(y.values())) if hasattr(y, "values") else y[0]
    return y


def prepared(name: str) -> tuple[torch.nn.Module, torch.Tensor]:
    """Return a model whose normalisations and whose head do something, and an input."""
    torch.manual_seed(0)
    make, shape = MODELS[name]
    module = make().eval()
    for part in module.modules():
        if isinstance(part, torch.nn.modules.batchnorm._BatchNorm):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    with torch.no_grad():
        for weights in module.parameters():
            if weights.ndim > 1 and not weights.any():  # such as the head of a new vit_b_16
                weights.normal_(0, 0.02)
    return module, torch.randn(shape) if shape else torch.randint(0, 30000, (1, TOKENS))


def exported(module: torch.nn.Module, x: torch.Tensor, path: str) -> None:
    """Write the model for onnxruntime."""
    with torch.inference_mode():
        torch.onnx.export(module, (x,), path, dynamo=True, verbose=False)


def session(path: str, threads: int) -> Callable[[Any], Any]:
    """Return a call of onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    opened = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feed = opened.get_inputs()[0].name
    return lambda x: opened.run(None, {feed: x})


def timed(calls: dict[str, Callable[[], Any]], rounds: int, seconds: float) -> dict[str, float]:
    """Return the milliseconds of each call: the median over rounds, in turns, of the fastest of a round."""
    fastest: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            call()  # wakes the threads
            end = time.perf_counter() + seconds
            times: list[float] = []
            while not times or time.perf_counter() < end:
                begin = time.perf_counter()
                call()
                times.append(time.perf_counter() - begin)
            fastest[name].append(min(times) * 1e3)
    return {name: statistics.median(times) for name, times in fastest.items()}


def row(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Compile a model twice, compare the results with torch's, and time all."""
    module, x = prepared(name)
    with torch.inference_mode():
        expected = first(module(x))
        begin = time.perf_counter()
        model = wmtune.compile(module, args=(x,), threads=options.threads, trials=options.trials, progress=False)
        seconds = time.perf_counter() - begin
        compiled = torch.compile(module, backend="wmtune", fullgraph=True)
        inductor = torch.compile(module)
        calls: dict[str, Callable[[], Any]] = {
            "wmtune": lambda: model(x), "torch.compile wmtune": lambda: compiled(x), "torch": lambda: module(x),
        }  # fmt: skip
        if options.inductor:
            calls["torch.compile"] = lambda: inductor(x)
        with tempfile.TemporaryDirectory() as folder:
            exported(module, x, folder + "/model.onnx")
            run = session(folder + "/model.onnx", options.threads)
            calls["onnxruntime"] = lambda: run(x.numpy())
            found: dict[str, Any] = {"model": name, "compile_s": seconds}
            for way in ("wmtune", "torch.compile wmtune"):
                error = (first(calls[way]()) - expected).abs().max() / expected.abs().max()
                found["error " + way] = error.item()
            found["ms"] = timed(calls, options.rounds, options.seconds)
    return found


def main() -> None:
    """Print a table."""
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--only", help="names of models, with commas", default=",".join(MODELS))
    flags.add_argument("--rounds", type=int, default=5)
    flags.add_argument("--seconds", type=float, default=1.0, help="of each in a round")
    flags.add_argument("--threads", type=int, default=torch.get_num_threads())
    flags.add_argument("--trials", type=int, default=0)
    flags.add_argument("--inductor", action="store_true", help="torch.compile with its own backend, too; needs g++")
    flags.add_argument("--json", type=Path, help="a file that keeps the rows")
    options = flags.parse_args()
    torch.set_num_threads(options.threads)
    rows: list[dict[str, Any]] = []
    if options.json and options.json.exists():
        rows = json.loads(options.json.read_text())
    for name in options.only.split(","):
        if name not in MODELS:
            sys.exit(f"there is no model {name}: known are {', '.join(MODELS)}")
        if any(r["model"] == name for r in rows):
            continue
        rows.append(row(name, options))
        print(rows[-1], file=sys.stderr)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))
    ways = list(rows[0]["ms"])
    print("| model | " + " | ".join(ways) + " | onnxruntime / wmtune | largest difference | compiled in |")
    print("| --- |" + " --- |" * (len(ways) + 3))
    for r in rows:
        ms, worst = r["ms"], max(r["error wmtune"], r["error torch.compile wmtune"])
        cells = [f"{ms[w]:.2f} ms" for w in ways] + [f"{ms['onnxruntime'] / ms['wmtune']:.2f}", f"{worst:.1e}"]
        print(f"| {r['model']} | " + " | ".join(cells) + f" | {r['compile_s']:.0f} s |")
    ratios = [r["ms"]["onnxruntime"] / r["ms"]["wmtune"] for r in rows]
    print(f"\ngeometric mean of onnxruntime / wmtune: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()

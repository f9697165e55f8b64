"""Tunes subgraphs in TVM's MetaSchedule with several cost models, and prints which finds the faster programs.

    python lab/python/metaschedule.py --trials 16,64 --seeds 1,2,3 --out metaschedule.jsonl

Rows are subgraphs of the suite paper22, as TVM wrote them (lab/testdata/metaschedule/sampled). It needs the
packages wmtune, apache-tvm==0.27.0.post1, apache-tvm-ffi==0.1.14.post1, xgboost or xgboost-cpu, cloudpickle and
zstandard. Every tuning runs in a process of its own; the cost models of a row follow each other. The model "search"
stands for wmtune.tvm.tune. The program that was found is timed again at the end: 20 samples of 50 ms, of which the
fastest counts. What is in the file is not done again.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import NormalDist, mean, stdev
from typing import Any

ROWS = "bert-t6,opt-t1,r50-t0,r50-t6,mbv2-t22,opt-t3,r50-t21,mbv2-t1"
MODULES = Path(__file__).parents[1] / "testdata/metaschedule/sampled/database_workload.json.zst"


def main() -> None:
    """Tune what is not in the file, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=ROWS)
    parser.add_argument("--trials", default="16")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--models", default="world,xgb,random")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--out", default="metaschedule.jsonl", help="results, a line for each tuning")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        row, trials, model, seed = args.one.split(",")
        print(json.dumps(tune(row, int(trials), model, int(seed), args.cores)))
        sys.stdout.flush()
        import os

        os._exit(0)  # TVM's pools of processes may hang at the end
    out = Path(args.out)
    done = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    models = args.models.split(",")
    with out.open("a") as file:
        for trials in map(int, args.trials.split(",")):
            for seed in map(int, args.seeds.split(",")):
                for row in args.rows.split(","):
                    for model in random.Random(f"{seed} {row}").sample(models, len(models)):
                        key = {"row": row, "trials": trials, "model": model, "seed": seed}
                        if any(key.items() <= d.items() for d in done):
                            continue
                        one = f"{row},{trials},{model},{seed}"
                        command = [sys.executable, __file__, "--cores", str(args.cores), "--one", one]
                        ran = subprocess.run(command, capture_output=True, text=True)
                        if ran.returncode:
                            sys.exit(f"{one}: {ran.stderr.strip().splitlines()[-1]}")
                        line = json.loads(ran.stdout.splitlines()[-1])
                        done.append({**key, **line})
                        file.write(json.dumps(done[-1]) + "\n")
                        file.flush()
                        print(done[-1], file=sys.stderr)
    for trials in map(int, args.trials.split(",")):
        table(done, trials, args.rows.split(","), [m for m in models if m != "world"])


def table(done: list[dict[str, Any]], trials: int, rows: list[str], others: list[str]) -> None:
    """Print how much faster the world model's programs are than those of other cost models."""
    best = {(d["row"], d["seed"], d["model"]): d["best_us"] for d in done if d["trials"] == trials}
    of = [d for d in done if d["trials"] == trials]
    seconds = {m: [d["predict_s"] for d in of if d["model"] == m] for m in ["world", *others]}
    for other in others:
        logs = []
        for row in rows:
            pairs = [math.log(best[r, s, other] / t) for (r, s, m), t in best.items()
                     if r == row and m == "world" and (r, s, other) in best]
            if pairs:
                logs += pairs
                print(f"{trials} trials, {row:10} world against {other}: {math.exp(mean(pairs)):.2f} of {len(pairs)}")
        if len(logs) > 1:
            half = NormalDist().inv_cdf(0.975) * stdev(logs) / math.sqrt(len(logs))
            low, high = math.exp(mean(logs) - half), math.exp(mean(logs) + half)
            print(f"{trials} trials, all: {math.exp(mean(logs)):.3f} ({low:.3f} to {high:.3f}), scoring "
                  f"{mean(seconds['world']):.1f} s against {mean(seconds[other]):.1f} s")


def without_intrinsics() -> None:
    """Stand in for the intrinsics of all machines, whose import takes half a minute; these programs use none."""
    import types

    import tvm.s_tir

    stand_in = types.ModuleType("tvm.s_tir.tensor_intrin")
    stand_in.__path__ = [tvm.s_tir.__path__[0] + "/tensor_intrin"]
    sys.modules.setdefault(stand_in.__name__, stand_in)
    import tvm.s_tir.tensor_intrin.x86  # noqa: F401


def tune(row: str, trials: int, model: str, seed: int, cores: int) -> dict[str, Any]:
    """Tune a row, and time the best program again."""
    import tvm
    import zstandard

    without_intrinsics()
    from tvm.s_tir import meta_schedule as ms

    import wmtune.tvm

    with zstandard.open(MODULES, "rt") as lines:
        text = next(packed for name, packed in map(json.loads, lines) if name == row)
    mod = tvm.ir.load_json(base64.b64decode(text)[8:].decode())
    target = tvm.target.Target(
        {"kind": "llvm", "mcpu": tvm.get_global_func("target.llvm_get_system_cpu")(), "num-cores": cores})
    if model == "search":  # wmtune's, in the place of MetaSchedule
        started = time.perf_counter()
        database = wmtune.tvm.tune(mod, target, tempfile.mkdtemp(), trials, seed=seed, progress=False)
        seconds = time.perf_counter() - started
        return {"best_us": again(database, mod, target), "seconds": seconds, "predict_s": 0.0, "predicted": 0}
    if model == "world":
        cost_model = wmtune.tvm.WorldModel()
    elif model == "xgb":
        cost_model = ms.cost_model.XGBModel(num_tuning_cores=cores)
    else:
        cost_model = ms.cost_model.RandomModel(seed=seed)
    inner = cost_model._inst
    predict, spent = inner.predict, [0.0, 0]

    def timed(context: Any, candidates: Any) -> Any:
        started = time.perf_counter()
        scores = predict(context, candidates)
        spent[0] += time.perf_counter() - started
        spent[1] += len(candidates)
        return scores

    inner.predict = timed
    started = time.perf_counter()
    database = ms.tir_integration.tune_tir(
        mod, target, tempfile.mkdtemp(), trials, num_trials_per_iter=16, seed=seed, cost_model=cost_model,
        num_tuning_cores=cores,
        builder=ms.builder.LocalBuilder(max_workers=cores, initializer=without_intrinsics),
        runner=ms.runner.LocalRunner(evaluator_config=ms.runner.EvaluatorConfig(number=1, repeat=5, min_repeat_ms=50)))
    seconds = time.perf_counter() - started
    return {"best_us": again(database, mod, target), "seconds": seconds, "predict_s": spent[0], "predicted": spent[1]}


def again(database: Any, mod: Any, target: Any) -> float:
    """Time the best program of a database, in microseconds."""
    import tvm
    from tvm.s_tir import meta_schedule as ms

    found = ms.tir_integration.compile_tir(database, mod, target)
    best = tvm.s_tir.transform.RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(found.mod)
    library = tvm.tirx.build(best, target=target)
    fill = tvm.get_global_func("tvm.contrib.random.random_fill_for_measure")
    tensors = []
    for p in best["main"].params:
        tensors.append(tvm.runtime.empty([int(n) for n in p.shape], str(p.dtype), tvm.cpu()))
        fill(tensors[-1])
    samples = library.time_evaluator("main", tvm.cpu(), number=1, repeat=20, min_repeat_ms=50)(*tensors).results
    return float(min(samples)) * 1e6


if __name__ == "__main__":
    main()

"""wmtune's search for programs of TVM: what it finds becomes a schedule of TVM, timed by TVM, in a database."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm.s_tir import meta_schedule as ms
from tvm.s_tir.schedule import Schedule, Trace

from . import _command
from ._errors import Error, UsageError
from ._plain import plain
from ._search import search
from ._service import Service

_TOLERANCE = 1e-4  # of the largest output, between a schedule and the plain loops
_REPEATS, _MILLISECONDS = 3, 50  # samples of a schedule's time, and how long each takes at least


def tune(
    mod: Any,
    target: Any,
    work_dir: str | PathLike[str],
    trials: int = 64,
    *,
    time: float | str | timedelta | None = None,
    keep: int = 8,
    database: Any = None,
    **options: Any,
) -> Any:
    """Search for schedules of a module with one function, as ms.tir_integration.tune_tir does, and return the database.

    wmtune searches and measures with its own compiler, in work_dir/wmtune; the keep fastest candidates become schedules
    of TVM, which are checked, timed and put into database, by default ms.database.JSONDatabase(work_dir=work_dir).
    options are those of wmtune.search. The target is this machine's processor. Raises UsageError if the
    module has no counterpart in wmtune, Error if none of its candidates has one in TVM.
    """
    work = Path(work_dir)
    work.mkdir(parents=True, exist_ok=True)
    target = tvm.target.Target(target)
    with _opened(mod, target) as (_, task):
        text = task["dag"]
    dag, out = work / "workload.txt", work / "wmtune"
    dag.write_text(text)
    search(trials=trials, time=time, out=out, workload_file=dag, **options)
    if database is None:
        database = ms.database.JSONDatabase(work_dir=str(work))
    export(out / "tuning.arrow", mod, target, database, keep=keep)
    return database


def export(log: str | PathLike[str], mod: Any, target: Any, database: Any, *, keep: int = 8) -> int:
    """Put the keep fastest candidates of a tuning log of wmtune into a database of MetaSchedule. Return how many.

    The log is that of a search for the module's compute DAG, as tune makes it. Each schedule's result is compared with
    that of the plain loops, and its times are TVM's, taken in this process. A candidate that TVM has no schedule for is
    left out, with a warning that says why. Raises Error if none is left.
    """
    target = tvm.target.Target(target)
    records = [json.loads(line) for line in _command.run(["show", "--json", str(log)]).splitlines()]
    with _opened(mod, target) as (service, task):
        mine = [r for r in records if r["workload_key"] == task["workload_key"] and r["status"] == "ok"]
        mine.sort(key=lambda r: r["cost_us"])
        if not mine:
            raise UsageError(f"{log} has no measured candidate of this module: wmtune.tvm.tune searches for some")
        traces, why = service.traces(0, [json.loads(r["steps"]) for r in mine])
    known, check, put = set(), _Check(mod, target), 0
    for trace in traces:
        text = json.dumps(trace)
        if trace is None or text in known:
            continue
        known.add(text)
        try:
            schedule = _schedule(mod, trace)
            seconds = check.seconds(schedule.mod)
        except (Error, RuntimeError, ValueError) as failed:
            why.append(str(failed).strip().splitlines()[-1])
            continue
        record = ms.database.TuningRecord(
            schedule.trace,
            database.commit_workload(mod),
            seconds,
            target,
            ms.arg_info.ArgInfo.from_entry_func(mod),
        )
        database.commit_tuning_record(record)
        put += 1
        if put == keep:
            break
    if not put:
        raise Error(f"no candidate of {log} has a schedule in TVM: {why[0]}")
    if why:
        warnings.warn(f"{len(why)} candidates have no schedule in TVM, the first because of {why[0]}", stacklevel=2)
    return put


@contextmanager
def _opened(mod: Any, target: Any) -> Iterator[tuple[Service, dict[str, Any]]]:
    """Start a service with a module as its task; yield it, and what it says of the task."""
    service = Service("--scorer", "random")
    try:
        service.open(module=tvm.ir.save_json(mod), tvm_target=plain(target.export()))
        yield service, service.opened[0]
    finally:
        service.close()


def _schedule(mod: Any, trace: Any) -> Any:
    """Carry out a trace. Where the module leaves the layout of weights open, they get that of the loops."""
    schedule = Schedule(mod)
    Trace.apply_json_to_schedule(trace, schedule)
    if not ms.postproc.RewriteLayout().apply(schedule):
        raise Error("TVM finds no layout of the weights")
    return schedule


class _Check:
    """Runs schedules of a module beside its plain loops."""

    def __init__(self, mod: Any, target: Any) -> None:
        self._target, self._device = target, tvm.cpu()
        self._inputs, self._plain = self._tensors(mod), mod
        self._wanted: np.ndarray[Any, Any] | None = None

    def seconds(self, mod: Any) -> list[float]:
        """Return the times of a scheduled module. Raises Error if its results are others than those of plain loops."""
        if self._wanted is None:
            self._wanted = self._result(self._plain)
        error = float(np.max(np.abs(self._result(mod) - self._wanted))) / max(float(np.max(np.abs(self._wanted))), 1e-30)
        if not error <= _TOLERANCE:
            raise Error(f"TVM's program computes something else (a difference of {error:.1g})")
        # Weights are laid out ahead of time, so their rewriting has no part in the time.
        ready = tvm.s_tir.transform.RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod)
        time = tvm.tirx.build(ready, target=self._target).time_evaluator(
            "main", self._device, number=1, repeat=_REPEATS, min_repeat_ms=_MILLISECONDS
        )
        return [float(t) for t in time(*self._tensors(ready)).results]

    def _result(self, mod: Any) -> np.ndarray[Any, Any]:
        out = self._inputs[-1]
        out.copyfrom(np.full(out.shape, math.nan, dtype=str(out.dtype)))  # what is not written shows
        tvm.tirx.build(mod, target=self._target)(*self._inputs)
        result: np.ndarray[Any, Any] = out.numpy()
        return result

    def _tensors(self, mod: Any) -> list[Any]:
        fill = tvm.get_global_func("tvm.contrib.random.random_fill_for_measure")
        made = []
        for p in mod["main"].params:
            made.append(tvm.runtime.empty([int(n) for n in p.shape], str(p.dtype), self._device))
            fill(made[-1])
        return made

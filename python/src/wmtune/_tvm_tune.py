"""wmtune's search for programs of TVM: what it finds becomes a schedule of TVM, timed by TVM, in a database."""

from __future__ import annotations

import json
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

Array = np.ndarray[Any, Any]


def tune(
    mod: Any,
    target: Any,
    work_dir: str | PathLike[str],
    trials: int | None = None,
    *,
    time: float | str | timedelta | None = None,
    keep: int = 8,
    database: Any = None,
    **options: Any,
) -> Any:
    """Search for schedules of a function of TVM, as ms.tir_integration.tune_tir does, and return the database.

    mod is a PrimFunc, or a module with one. wmtune searches and measures with its own compiler, in work_dir/wmtune; the
    keep fastest candidates become schedules of TVM, which are checked, timed and put into database, by default
    ms.database.JSONDatabase(work_dir=work_dir). options are those of wmtune.search; the search space is the one without
    Winograd's algorithm, which no schedule of TVM is. The target is this machine's processor. Raises UsageError if the
    function has no counterpart in wmtune, Error if no candidate has one in TVM.
    """
    mod, target = _module(mod), tvm.target.Target(target)
    work = Path(work_dir)
    work.mkdir(parents=True, exist_ok=True)
    with _opened(mod, target) as (_, task):
        text = task["dag"]
    dag, out = work / "workload.txt", work / "wmtune"
    dag.write_text(text)
    options.setdefault("space", "direct")
    search(trials=trials, time=time, out=out, workload_file=dag, **options)
    if database is None:
        database = ms.database.JSONDatabase(work_dir=str(work))
    export(out / "tuning.arrow", mod, target, database, keep=keep)
    return database


def export(log: str | PathLike[str], mod: Any, target: Any, database: Any, *, keep: int = 8) -> int:
    """Put the keep fastest candidates of a tuning log of wmtune into a database of MetaSchedule. Return how many.

    mod is a PrimFunc, or a module with one. The log is that of a search for its compute DAG, as tune makes it. Each
    schedule's results are compared with those of the plain loops, and its times are TVM's, taken in this process. A
    candidate that has no schedule in TVM is left out, with a warning that says why. So is one that failed after it was
    timed, without one. Raises Error if none is left.
    """
    mod, target = _module(mod), tvm.target.Target(target)
    records = [json.loads(line) for line in _command.run(["show", "--json", "--", str(log)]).splitlines()]
    with _opened(mod, target) as (service, task):
        mine = [r for r in _settled(records) if r["workload_key"] == task["workload_key"] and r["status"] == "ok"]
        mine.sort(key=lambda r: r["cost_us"])
        if not mine:
            raise UsageError(f"{log} has no measured candidate of this module: wmtune.tvm.tune searches for some")
        check = _Check(mod, target, task)
        known: set[str] = set()
        failed: list[str] = []
        put = 0
        for record in mine:
            (trace,), why = service.traces(0, [json.loads(record["steps"])])
            text = json.dumps(trace)
            if trace is None:
                failed += why
            elif text not in known:
                known.add(text)
                try:
                    _put(mod, target, database, trace, check)
                    put += 1
                except (Error, RuntimeError, ValueError) as error:
                    failed.append(str(error).strip().splitlines()[-1])
            if put == keep:
                break
    if not put:
        raise Error(f"no candidate of {log} is a schedule in TVM: {failed[0]}")
    if failed:
        warnings.warn(f"{len(failed)} candidates are no schedules in TVM, the first: {failed[0]}", stacklevel=2)
    return put


def _settled(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out the times of programs that failed later, as dataset.Settled does: what is wrong now and then is wrong.

    Records are those of one log, as `show --json` prints them. Those of one second are in the log's order.
    """

    def program(r: dict[str, Any]) -> tuple[Any, ...]:
        return r["trajectory"], r["layout"], r["target"]

    failed: dict[tuple[Any, ...], tuple[int, int]] = {}
    for r in records:
        if r["status"] not in ("ok", "unmeasured"):
            failed[program(r)] = max(failed.get(program(r), (0, 0)), (r["unix"], r["record"]))
    return [
        r
        for r in records
        if r["status"] != "ok" or program(r) not in failed or (r["unix"], r["record"]) > failed[program(r)]
    ]


def _module(mod: Any) -> Any:
    """Return a module whose one function is called main, by the rules of TVM's tuner: its databases look for that."""
    if isinstance(mod, tvm.tirx.PrimFunc):
        if "global_symbol" not in (mod.attrs or {}):
            mod = mod.with_attr("global_symbol", "main")
        return tvm.IRModule({"main": mod.with_attr("tirx.noalias", True)})
    functions = list(mod.functions.items())
    if len(functions) != 1 or not isinstance(functions[0][1], tvm.tirx.PrimFunc):
        raise UsageError(f"a module with one function of tensor programs is needed; this one has {len(functions)}")
    return mod if functions[0][0].name_hint == "main" else tvm.IRModule({"main": functions[0][1]})


@contextmanager
def _opened(mod: Any, target: Any) -> Iterator[tuple[Service, dict[str, Any]]]:
    """Start a service with a module as its task; yield it, and what it says of the task."""
    service = Service("--scorer", "random")
    try:
        service.open(module=tvm.ir.save_json(mod), tvm_target=plain(target.export()))
        yield service, service.opened[0]
    finally:
        service.close()


def _put(mod: Any, target: Any, database: Any, trace: Any, check: _Check) -> None:
    """Check and time the schedule of a trace, and put it into a database."""
    schedule = _schedule(mod, trace)
    seconds = check.seconds(schedule.mod)
    workload, shapes = database.commit_workload(mod), ms.arg_info.ArgInfo.from_entry_func(mod)
    database.commit_tuning_record(ms.database.TuningRecord(schedule.trace, workload, seconds, target, shapes))


def _schedule(mod: Any, trace: Any) -> Any:
    """Carry out a trace. Where the module leaves the layout of weights open, they get that of the loops."""
    schedule = Schedule(mod)
    Trace.apply_json_to_schedule(trace, schedule)
    if not ms.postproc.RewriteLayout().apply(schedule):
        raise Error("TVM finds no layout of the weights")
    return schedule


class _Check:
    """Runs schedules of a module beside its plain loops. What a service says of it as a task names the results."""

    def __init__(self, mod: Any, target: Any, task: dict[str, Any]) -> None:
        self._target, self._device, self._plain = target, tvm.cpu(), mod
        self._indices = task.get("indices", {})
        names = task["dag"].splitlines()[-1].removeprefix("output ").split(", ")
        self._names = [p.name for p in mod["main"].params]
        self._arguments = self._tensors(mod)
        self._results = [i for i, name in enumerate(self._names) if name in names]
        if len(self._results) != len(names):
            raise UsageError(f"the module's parameters are not those of its compute DAG, whose results are {names}")
        self._wanted: list[Array] = []

    def seconds(self, mod: Any) -> list[float]:
        """Return the times of a scheduled module. Raises Error if its results are others than those of plain loops."""
        self._wanted = self._wanted or self._run(self._plain)
        for got, want in zip(self._run(mod), self._wanted, strict=True):
            _compare(got, want)
        # Weights are laid out ahead of time, so their rewriting has no part in the time.
        ready = tvm.s_tir.transform.RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(mod)
        time = self._build(ready).time_evaluator(
            "main", self._device, number=1, repeat=_REPEATS, min_repeat_ms=_MILLISECONDS
        )
        return [float(t) for t in time(*self._tensors(ready)).results]

    def _run(self, mod: Any) -> list[Array]:
        """Return the results of a module. They were filled with something before, so what is not written shows."""
        results = [self._arguments[i] for i in self._results]
        for r in results:
            r.copyfrom(np.frombuffer(b"\x7f" * r.numpy().nbytes, str(r.dtype)).reshape(r.shape))
        self._build(mod)["main"](*self._arguments)
        return [r.numpy() for r in results]

    def _build(self, mod: Any) -> Any:
        function = mod["main"].with_attr("global_symbol", "main")  # the symbol's name may be another
        return tvm.tirx.build(tvm.IRModule({"main": function}), target=self._target)

    def _tensors(self, mod: Any) -> list[Any]:
        """Make arguments for a module, with random numbers in them; indices stay inside of what they are for."""
        random = np.random.default_rng(0)
        made = []
        for name, p in zip(self._names, mod["main"].params, strict=True):
            shape, kind = [int(n) for n in p.shape], np.dtype(str(p.dtype))
            low, high = self._indices.get(name, (0, 1) if kind.kind == "b" else (1, 9))
            whole = kind.kind in "biu"
            values = random.integers(low, high, shape, endpoint=True) if whole else random.uniform(1, 10, shape)
            made.append(tvm.runtime.empty(shape, str(p.dtype), self._device))
            made[-1].copyfrom(values.astype(kind))
        return made


def _compare(got: Array, want: Array) -> None:
    """Raise Error if results are others than those of the plain loops: floats by more than rounding."""
    if got.dtype.kind in "biu":
        if not np.array_equal(got, want):
            raise Error(f"TVM's program computes something else ({np.sum(got != want)} elements are others)")
        return
    x, y = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(y)
    if not np.array_equal(x[~finite], y[~finite], equal_nan=True) or not np.isfinite(x[finite]).all():
        raise Error("TVM's program computes something else (infinities or NaNs are elsewhere)")
    error = np.abs(x - y)[finite].max(initial=0) / max(np.abs(y[finite]).max(initial=0), 1e-30)
    if error > _TOLERANCE:
        raise Error(f"TVM's program computes something else (a difference of {error:.1g})")

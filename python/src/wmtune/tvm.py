"""wmtune and MetaSchedule, the tuner of apache-tvm: the world model as its cost model, wmtune's search in its place.

    import wmtune.tvm
    from tvm.s_tir import meta_schedule as ms

    database = ms.tir_integration.tune_tir(mod, target, work_dir, 64, cost_model=wmtune.tvm.WorldModel())
    database = wmtune.tvm.tune(mod, target, work_dir, 64)

docs/manual/tvm.md says what the model sees of a candidate, and how it compares with TVM's own cost models.
"""

import json
import warnings
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir import meta_schedule as ms

from ._errors import UsageError
from ._plain import plain
from ._service import Scores, Service
from ._tvm_tune import export, tune

__all__ = ["WorldModel", "export", "tune"]

_AT_ONCE = 1000  # candidates in a message


@derived_object
class WorldModel(ms.cost_model.PyCostModel):  # type: ignore[misc]
    """Ranks candidates with a scorer of wmtune, by the steps that their traces amount to.

    A program that has no counterpart in wmtune is ranked by fallback, a cost model of TVM, with a warning that names
    the reason. A single trace without one gets the score of an average candidate; unmapped counts them.
    """

    def __init__(
        self,
        scorer: str = "world",
        *,
        online: bool = False,
        fallback: Any = None,
        path: str | PathLike[str] | None = None,
    ) -> None:
        """Take a scorer's name as `wmtune serve-scorer` does, and a file that save has written.

        online: True is an error; former versions learned a correction of the world model from what was measured.
        """
        if online:
            raise ValueError("online=True is gone: the correction made no search faster; leave online out")
        super().__init__()
        self.unmapped = 0
        self._service = Service("--scorer", scorer)
        self._fallback = fallback
        self._tasks: dict[tuple[str, str], _Task | None] = {}  # by program and target; None: no counterpart
        self._records: list[dict[str, Any]] = []
        if path is not None:
            self.load(str(path))

    def load(self, path: str) -> None:
        """Learn from the records of a file that save has written."""
        with open(path) as file:
            for line in file:
                record = json.loads(line)
                task = self._open(record["module"], record["target"])
                if task is not None:
                    self._learn(task, record["records"])

    def save(self, path: str) -> None:
        """Write down what was learned from: programs, traces and times."""
        with open(path, "w") as file:
            for record in self._records:
                file.write(json.dumps(record) + "\n")

    def update(self, context: Any, candidates: Sequence[Any], results: Sequence[Any]) -> None:
        """Learn from measured candidates."""
        task = self._task(context)
        if task is None:
            self._other().update(context, candidates, results)
            return
        records = []
        for candidate, result in zip(candidates, results, strict=True):
            costs = [float(s) * 1e6 for s in result.run_secs or ()]
            status = {"status": "ok", "costs_us": costs} if costs else {"status": "unmeasured"}
            records.append({"steps": plain(candidate.sch.trace.as_json()), **status})
        self._learn(task, records)

    def predict(self, context: Any, candidates: Sequence[Any]) -> Scores:
        """Return a number between 0 and 1 for each candidate; higher is faster."""
        task = self._task(context)
        if task is None:
            return np.asarray(self._other().predict(context, candidates), dtype=np.float64)
        parts = []
        for at in range(0, len(candidates), _AT_ONCE):
            traces = [plain(c.sch.trace.as_json()) for c in candidates[at : at + _AT_ONCE]]
            scores, why = self._service.score(task.number, traces)
            parts.append(scores)
            if why and not self.unmapped:
                warnings.warn(f"wmtune ranks a trace as an average one: {why[0]}", stacklevel=2)
            self.unmapped += int(np.count_nonzero(~np.isfinite(scores)))
        self._warn()
        return task.weights(np.concatenate(parts) if parts else np.zeros(0))

    def _task(self, context: Any) -> "_Task | None":
        return self._open(tvm.ir.save_json(context.mod), plain(context.target.export()))

    def _open(self, module: str, target: Any) -> "_Task | None":
        key = module, json.dumps(target, sort_keys=True)
        if key not in self._tasks:
            self._tasks[key] = None
            try:
                number = self._service.open(module=module, tvm_target=target)
                self._tasks[key] = _Task(number, module, target)
            except UsageError as why:
                warnings.warn(f"wmtune leaves this program to TVM's own cost model: {why}", stacklevel=2)
        return self._tasks[key]

    def _warn(self) -> None:
        """Pass on what the scorer has to say of a task, once."""
        for note in self._service.notes:
            warnings.warn(f"wmtune: {note}", stacklevel=2)
        self._service.notes.clear()

    def _learn(self, task: "_Task", records: list[dict[str, Any]]) -> None:
        self._service.update(task.number, records)
        self._records.append({"module": task.module, "target": task.target, "records": records})
        task.scale = None

    def _other(self) -> Any:
        """Return the cost model for programs that have no counterpart."""
        if self._fallback is None:
            self._fallback = ms.cost_model.XGBModel()
        return self._fallback


class _Task:
    """A program that is tuned."""

    def __init__(self, number: int, module: str, target: Any) -> None:
        self.number, self.module, self.target = number, module, target
        self.scale: tuple[float, float] | None = None  # middle and spread of scores since the last update

    def weights(self, scores: Scores) -> Scores:
        """Map scores to 0..1. MetaSchedule draws parents by them, and keeps the best of several calls."""
        known = np.isfinite(scores)
        if self.scale is None and known.any():
            low, middle, high = np.quantile(scores[known], [0.25, 0.5, 0.75])
            self.scale = float(middle), max(float(high - low), 1e-9)
        if self.scale is None:
            return np.full(len(scores), 0.5)
        at = np.clip((np.where(known, scores, self.scale[0]) - self.scale[0]) / self.scale[1], -30, 30)
        return np.asarray(1 / (1 + np.exp(-at)), dtype=np.float64)

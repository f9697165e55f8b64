"""The scorer in a process of its own, as wmtune.tvm asks it."""

from __future__ import annotations

from typing import Any

import pytest

import wmtune
from wmtune import _service

TARGET = {"kind": "llvm", "cpu": "znver3", "features": ["avx2", "fma"], "cores": 2, "vector_bytes": 32}
SPLIT = ["SP", 2, 0, 64, [8], 1]


def test_start() -> None:
    """A scorer that does not start says why, the second time, too."""
    with pytest.raises(wmtune.Error, match="wrold"):
        _service.Service("--scorer", "wrold")
    service = _service.Service("--scorer", "random")
    task = service.open(workload="matmul:m=64,n=64,k=64", target=TARGET)
    service._command[-1] = "wrold"
    service._process.kill()
    for _ in range(2):
        with pytest.raises(wmtune.Error, match="wrold"):
            service.score(task, [[SPLIT]])
    service = _service.Service("--scorer", "random")
    task = service.open(workload="matmul:m=64,n=64,k=64", target=TARGET)
    service._process.kill()
    assert len(service.score(task, [[SPLIT]])[0]) == 1
    service._process.kill()
    for _ in range(2):
        with pytest.raises(wmtune.Error, match="for the second time"):
            service.score(task, [[SPLIT]])


def test_tasks() -> None:
    """There may be more tasks than the scorer has open at once: those used least recently are closed, and opened again.
    A new process learns all records, of those that are closed, too."""
    service = _service.Service("--scorer", "random")
    most = service.hello["limits"]["tasks"]
    record: dict[str, Any] = {"steps": [SPLIT], "status": "ok", "costs_us": [35.9]}
    tasks = []
    for i in range(most + 2):
        tasks.append(service.open(workload=f"matmul:m=64,n=64,k={64 + i}", target=TARGET))
        assert service.update(tasks[i], [record]) == 1
        service.score(tasks[0], [[SPLIT]])  # stays open, since it is used
    asked: list[str] = []
    ask = service._ask

    def noted(request: Any) -> Any:
        asked.append(request["type"])
        return ask(request)

    service._ask = noted  # type: ignore[method-assign]
    for task in (tasks[0], tasks[1], tasks[-1]):
        scores, failed = service.score(task, [[SPLIT]])
        assert len(scores) == 1
        assert not failed
    assert asked == ["score", "close", "open", "update", "score", "score"]
    service._process.kill()
    asked.clear()
    service.score(tasks[1], [[SPLIT]])
    assert asked.count("update") == len(tasks) + 1  # that of tasks[1], which was closed meanwhile, twice
    assert asked.count("open") == len(tasks) + 1
    service.close()


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C in the midst of an answer a new process learns what the old one knew. That is not held against it:
    it may end once, still."""
    service = _service.Service("--scorer", "random")
    task = service.open(workload="matmul:m=64,n=64,k=64", target=TARGET)
    scores, _ = service.score(task, [[SPLIT]])

    def interrupted(source: Any) -> Any:
        raise KeyboardInterrupt

    for _ in range(2):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(_service, "_read", interrupted)
            service.score(task, [[SPLIT]])
        assert (service.score(task, [[SPLIT]])[0] == scores).all()
    service._process.kill()
    assert (service.score(task, [[SPLIT]])[0] == scores).all()
    service.close()


def test_many_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new process learns comes in messages of a bounded size."""
    service = _service.Service("--scorer", "random")
    task = service.open(workload="matmul:m=64,n=64,k=64", target=TARGET)
    for _ in range(5):
        service.update(task, [{"steps": [SPLIT], "status": "ok", "costs_us": [35.9]}])
    sizes: list[int] = []
    ask = service._ask

    def noted(request: Any) -> Any:
        sizes.extend([len(request["records"])] if request["type"] == "update" else [])
        return ask(request)

    service._ask = noted  # type: ignore[method-assign]
    monkeypatch.setattr(_service, "_AT_ONCE", 2, raising=False)
    service._process.kill()
    service.score(task, [[SPLIT]])
    assert sizes == [2, 2, 1]
    service.close()

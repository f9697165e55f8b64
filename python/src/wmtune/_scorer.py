"""Scorers in Python: the other end of `wmtune search --scorer exec:COMMAND` (docs/manual/scorer-protocol.md)."""

import json
import os
import struct
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO

import numpy as np

from ._errors import Error

Features = np.ndarray[Any, np.dtype[np.float32]]
_HEAD, _LENGTH = struct.Struct("<IIQ"), struct.Struct("<Q")


class CutOffError(Error, EOFError):
    """A message ended too early."""


class _RefusedError(Exception):
    """A request that is answered with an error of the protocol."""

    def __init__(self, code: str, message: str) -> None:
        """Take a code of docs/manual/scorer-protocol.md."""
        super().__init__(message)
        self.code = code


@dataclass
class Task:
    """A workload whose candidates are scored. Candidates of different tasks do not compare."""

    data: Mapping[str, Any]
    """What `open` says: workload, dag, flops, target, features."""
    state: Any = None
    """The scorer's own."""
    columns: Sequence[str] = field(default=())
    """Names of the columns of features."""


class Scorer:
    """A scorer of candidates. A subclass has score, and update if it learns; serve is its main program.

        class Mine(wmtune.Scorer):
            def score(self, task, candidates, features):
                return [-len(steps) for steps in candidates]

        if __name__ == "__main__":
            Mine().serve()

    `wmtune search --scorer "exec:python3 mine.py"` asks it.
    """

    wants_features = False
    """Whether wmtune sends features, a row of float32 for each candidate."""
    frozen = False
    """Whether no measurement changes the scores."""

    def open(self, task: Task) -> None:
        """Begin with a task. task.state is free for what the scorer learns of it."""

    def score(
        self, task: Task, candidates: Sequence[Any], features: Features | None
    ) -> Sequence[float] | np.ndarray[Any, Any]:
        """Return a number for each candidate, which is a list of steps; higher is faster, -inf is impossible."""
        raise NotImplementedError

    def update(self, task: Task, records: Sequence[Mapping[str, Any]], features: Features | None) -> None:
        """Learn from measured candidates: their steps, status, and costs_us if that is ok."""

    def serve(self, source: BinaryIO | None = None, sink: BinaryIO | None = None) -> None:
        """Answer requests until the input ends. What the scorer prints goes to standard error."""
        if sink is None:
            sink = os.fdopen(os.dup(1), "wb")
            os.dup2(2, 1)
        source = source or sys.stdin.buffer
        tasks: dict[int, Task] = {}
        greeted = False
        while (frame := _read(source)) is not None:
            number, header, blobs = frame
            try:
                if not header:
                    raise _RefusedError("bad_message", "the header is no JSON object")
                if not greeted and header.get("type") != "hello":
                    raise _RefusedError("no_hello", "the first request is hello")
                answer, result = self._answer(tasks, header, blobs)
                greeted = True
            except _RefusedError as e:
                answer, result = {"error": {"code": e.code, "message": str(e)}}, None
            except Exception as e:
                traceback.print_exc()
                answer, result = {"error": {"code": "failed", "message": f"{type(e).__name__}: {e}"}}, None
            _write(sink, number, answer, result)

    def _answer(
        self, tasks: dict[int, Task], header: Mapping[str, Any], blobs: list[bytes]
    ) -> tuple[dict[str, Any], bytes | None]:
        """Return the header and the blob of an answer."""
        kind = header.get("type")
        if kind == "hello":
            if 1 not in _list(header, "versions"):
                raise _RefusedError("no_version", "this scorer speaks version 1 of the protocol")
            wants = ["features"] if self.wants_features else []
            name = type(self).__name__
            return {
                "version": 1,
                "server": "wmtune for Python",
                "scorer": name,
                "frozen": self.frozen,
                "wants": wants,
            }, None
        if kind == "cancel":
            return {"cancelled": False}, None
        if kind == "open":
            number = max(tasks, default=0) + 1
            tasks[number] = Task(header, columns=header.get("features", ()))
            self.open(tasks[number])
            return {"task": number}, None
        if kind in ("explain", "traces"):
            raise _RefusedError("unsupported", f"the scorer does not answer {kind}")
        if kind not in ("score", "update", "close"):
            raise _RefusedError("unknown_type", f"there is no message {kind!r}")
        named = header.get("task")
        if type(named) is not int:
            raise _RefusedError("bad_message", "the task is no number")
        task = tasks.get(named)
        if task is None:
            raise _RefusedError("no_task", f"no task {named} is open")
        if kind == "close":
            del tasks[named]
            return {}, None
        items = _list(header, "candidates" if kind == "score" else "records")
        columns = -1 if items else len(task.columns)
        features = np.frombuffer(blobs[0], "<f4").reshape(len(items), columns) if blobs else None
        if kind == "update":
            self.update(task, items, features)
            return {"learned": len(items)}, None
        scores = np.asarray(self.score(task, items, features), "<f8")
        if scores.shape != (len(items),):
            raise ValueError(f"score returned the shape {scores.shape} for {len(items)} candidates")
        return {}, scores.tobytes()


def _list(header: Mapping[str, Any], name: str) -> list[Any]:
    """Return a field that must be a list."""
    value = header.get(name)
    if not isinstance(value, list):
        raise _RefusedError("bad_message", f"{name} is no list")
    return value


def _read(source: IO[bytes]) -> tuple[int, dict[str, Any], list[bytes]] | None:
    """Read a frame: its number, header and blobs; None at the end. A header that is no JSON object is empty."""
    head = source.read(_HEAD.size)
    if not head:
        return None
    length, count, number = _HEAD.unpack(head)
    sizes = [_LENGTH.unpack(_exactly(source, _LENGTH.size))[0] for _ in range(count)]
    text = _exactly(source, length)
    try:
        header = json.loads(text)
    except ValueError:
        header = None
    return number, header if isinstance(header, dict) else {}, [_exactly(source, size) for size in sizes]


def _exactly(source: IO[bytes], size: int) -> bytes:
    data = source.read(size)
    if len(data) != size:
        raise CutOffError("the input ended inside a message")
    return data


def _write(sink: IO[bytes], number: int, header: Mapping[str, Any], blob: bytes | None) -> None:
    text = json.dumps(header).encode()
    sink.write(_HEAD.pack(len(text), blob is not None, number))
    if blob is not None:
        sink.write(_LENGTH.pack(len(blob)))
    sink.write(text + (blob or b""))
    sink.flush()

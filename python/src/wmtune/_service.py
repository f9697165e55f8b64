"""Asks `wmtune serve-scorer`, a scorer in a process of its own (docs/manual/scorer-protocol.md)."""

from __future__ import annotations

import contextlib
import json
import struct
import subprocess
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import Error, UsageError
from ._native import environment, program
from ._scorer import _read, _write

_AT_ONCE = 256
"""Records in a message, whose size has a limit."""

Scores = np.ndarray[Any, np.dtype[np.float64]]


class Service:
    """A scorer. One that ends is started again once, with all tasks and records; then it is an Error."""

    def __init__(self, *flags: str) -> None:
        """Start it with the flags of `wmtune serve-scorer`."""
        self._command = [program(), "serve-scorer", *flags]
        self._again = True
        self._ended = ""  # what to say of the scorer once it has ended for good
        self._tasks: list[dict[str, Any]] = []  # the requests that opened them; their place is their number here
        self._learned: list[list[dict[str, Any]]] = []
        self.opened: list[dict[str, Any]] = []  # the answers: what the tasks are
        self.notes: list[str] = []
        self._start()

    def _start(self) -> None:
        """Start the process. Raises Error with its last words if it ends instead of greeting."""
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=environment(),
            start_new_session=True,  # Ctrl-C is for the tuner, which ends the scorer
        )
        self._end = weakref.finalize(self, _kill, self._process)
        self._number = 0
        self._stale = False  # whether a request was broken off, so that the next one needs a new process
        self._names: dict[int, int] = {}  # of tasks that are open, as this process gave them; the last used one is last
        # Tasks with records that this process does not know; and those of them that it learns before it is asked, since
        # a scorer may learn of one task for all.
        self._untaught = {task for task, records in enumerate(self._learned) if records}
        self._before = sorted(self._untaught)
        try:
            self.hello, _ = self._ask({"type": "hello", "versions": [1], "client": "wmtune for Python"})
        except (EOFError, OSError, struct.error) as failed:
            words = self._last_words()
            self.close()
            self._ended = f"the scorer does not start: {words or failed}"
            raise Error(self._ended) from None

    def open(self, **fields: Any) -> int:
        """Open a task and return its number. Raises UsageError if the scorer does not understand it."""
        task = len(self._tasks)
        self._tasks.append({"type": "open", **fields})
        self._learned.append([])
        self.opened.append({})
        try:
            self._patiently(lambda: self._name(task))
        except UsageError:
            self._tasks.pop()
            self._learned.pop()
            self.opened.pop()
            raise
        return task

    def score(self, task: int, candidates: Sequence[Any]) -> tuple[Scores, list[str]]:
        """Return a number for each candidate, higher is faster, and why the first of those with -inf have none."""

        def ask() -> tuple[Scores, list[str]]:
            request = {"type": "score", "task": self._name(task), "candidates": candidates}
            answer, blobs = self._ask(request)
            scores = np.frombuffer(blobs[0], dtype="<f8").astype(np.float64)
            return scores, [e["message"] for e in answer.get("errors", [])]

        result: tuple[Scores, list[str]] = self._patiently(ask)
        return result

    def traces(self, task: int, candidates: Sequence[Any]) -> tuple[list[Any], list[str]]:
        """Return a trace of TVM for each candidate, None where there is none, and why the first of those have none."""

        def ask() -> tuple[list[Any], list[str]]:
            request = {"type": "traces", "task": self._name(task), "candidates": candidates}
            answer, _ = self._ask(request)
            return answer["traces"], [e["message"] for e in answer.get("errors", [])]

        result: tuple[list[Any], list[str]] = self._patiently(ask)
        return result

    def update(self, task: int, records: Sequence[dict[str, Any]]) -> int:
        """Let the scorer learn from measured candidates. Return how many it took."""

        def ask() -> int:
            answer, _ = self._ask({"type": "update", "task": self._name(task), "records": records})
            return int(answer["learned"])

        learned: int = self._patiently(ask)
        self._learned[task] += records
        return learned

    def close(self) -> None:
        """End the scorer."""
        self._end()
        self._said.close()

    def _patiently(self, ask: Any) -> Any:
        """Ask. Do it again, once, with a new process, which learns first what the one before did."""
        if self._ended:
            raise Error(self._ended)
        if self._stale:
            self._start()
        while True:
            try:
                while self._before:
                    self._name(self._before[0])
                    self._before.pop(0)
                return ask()
            except (EOFError, OSError, struct.error) as failed:
                words = self._last_words()
                self.close()
                if not self._again:
                    self._ended = f"the scorer ended for the second time: {words or failed}"
                    raise Error(self._ended) from None
                self._again = False
                self._start()

    def _name(self, task: int) -> int:
        """Return the name of a task, and open it if it is not open, in place of the one that was used least recently
        where the scorer takes no more. The scorer may forget what it learned of a task that is closed: it learns its
        records again when the task is opened again."""
        if task in self._names:
            self._names[task] = self._names.pop(task)
        else:
            most = self.hello.get("limits", {}).get("tasks", 0)
            if most and len(self._names) >= most:
                self._close_task(next(iter(self._names)))
            answer, _ = self._ask(self._tasks[task])
            self.opened[task] = answer
            self._names[task] = int(answer["task"])
        if task in self._untaught:
            records = self._learned[task]
            for at in range(0, len(records), _AT_ONCE):
                self._ask({"type": "update", "task": self._names[task], "records": records[at : at + _AT_ONCE]})
            self._untaught.discard(task)
        return self._names[task]

    def _close_task(self, task: int) -> None:
        if self._learned[task]:
            self._untaught.add(task)
        self._ask({"type": "close", "task": self._names.pop(task)})

    def _ask(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._number += 1
        try:
            _write(self._process.stdin, self._number, request, None)
            frame = _read(self._process.stdout)
        except (EOFError, OSError, struct.error):
            raise
        except BaseException:  # such as Ctrl-C: the rest of the answer would be that of the next request
            self.close()
            self._stale = True
            raise
        if frame is None or frame[0] != self._number:
            raise EOFError("it does not answer")
        answer, blobs = frame[1], frame[2]
        self.notes += answer.get("notes", [])
        if "error" in answer:
            kind = UsageError if answer["error"]["code"] in ("bad_task", "bad_message", "too_large") else Error
            raise kind(answer["error"]["message"])
        return answer, blobs

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return next((line for line in reversed(lines) if not line.startswith("usage: ")), "")


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()

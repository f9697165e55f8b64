"""Scorers in Python, in a search and on their own."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import wmtune
from wmtune._scorer import _read, _write

MINE = """
import wmtune
class Mine(wmtune.Scorer):
    wants_features = True
    def open(self, task):
        task.state = 0
    def score(self, task, candidates, features):
        print("this is not an answer")
        assert features.shape == (len(candidates), len(task.columns))
        return features.sum(axis=1)
    def update(self, task, records, features):
        assert records[0]["steps"] and len(features) == len(records)
        task.state += len(records)
Mine().serve()
"""


def test_search(tmp_path: Path) -> None:
    """A search asks a scorer and has no failures to report."""
    (tmp_path / "mine.py").write_text(MINE)
    found = wmtune.search(
        "matmul:m=32,n=32,k=32",
        trials=8,
        per_round=4,
        out=tmp_path / "out",
        scorer=f"exec:{sys.executable} {tmp_path / 'mine.py'}",
    )
    assert found.scorer.startswith("exec:")
    report = next(v for v in found.data.values() if isinstance(v, dict) and "batches" in v)
    assert report["batches"] > 0
    assert not report.get("failures")


def exchange(scorer: wmtune.Scorer, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the headers of the answers to requests."""
    source, sink = io.BytesIO(), io.BytesIO()
    for number, request in enumerate(requests):
        _write(source, number, request, None)
    source.seek(0)
    scorer.serve(source, sink)
    sink.seek(0)
    answers = [_read(sink) for _ in requests]
    assert [a[0] for a in answers if a] == list(range(len(requests)))
    return [a[1] for a in answers if a]


def test_errors(capsys: pytest.CaptureFixture[str]) -> None:
    """What a scorer does wrong, and what it does not know, are errors in answers."""

    class Bad(wmtune.Scorer):
        def score(self, task: wmtune.Task, candidates: Any, features: Any) -> Any:
            return [0.0]

    hello, opened, score, explain, gone = exchange(
        Bad(),
        {"type": "hello", "versions": [1]},
        {"type": "open", "workload": "w"},
        {"type": "score", "task": 1, "candidates": [[], []]},
        {"type": "explain", "task": 1, "candidate": []},
        {"type": "score", "task": 7, "candidates": []},
    )
    assert (hello["version"], hello["scorer"], opened["task"]) == (1, "Bad", 1)
    assert "for 2 candidates" in score["error"]["message"]
    assert "_scorer.py" in capsys.readouterr().err  # where it went wrong
    assert (explain["error"]["code"], gone["error"]["code"]) == ("unsupported", "no_task")
    (early,) = exchange(Bad(), {"type": "open", "workload": "w"})
    assert early["error"]["code"] == "no_hello"


def test_conformance(tmp_path: Path) -> None:
    """A scorer of this class passes the test that the protocol's page names."""
    (tmp_path / "mine.py").write_text(MINE)
    client = Path(__file__).parents[2] / "docs" / "examples" / "scorer_client.py"
    done = subprocess.run(
        [sys.executable, client, f"{sys.executable} {tmp_path / 'mine.py'}"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "an unknown version is refused" in done.stdout

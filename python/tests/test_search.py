"""What a search returns."""

from __future__ import annotations

import copy
import json
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import wmtune
from wmtune import _table
from wmtune._options import duration


def test_copies() -> None:
    """A result can be copied and pickled, and says what it has not got."""
    found = wmtune.SearchResult({"best_us": 3.5})
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again.data == found.data
        assert again.best_us == 3.5
    with pytest.raises(AttributeError, match="no worst_us: it has best_us"):
        _ = found.worst_us


LOG = [("ok", 4.0), ("wrong answer", None), ("ok", 6.0), ("ok", 1.5)]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> wmtune.SearchResult:
    """A result whose log has four trials; the command is not asked."""
    lines = [json.dumps({"trial": i, "status": status, "cost_us": us}) for i, (status, us) in enumerate(LOG)]
    monkeypatch.setattr("wmtune._command.run", lambda args, cwd: "\n".join(lines))
    data = {"workload": "w<1>", "best_us": 1.5, "best_gflops": 7.25, "untuned_us": 6.0, "trials": 4, "log": "x"}
    data["out"] = "o"
    return wmtune.SearchResult(data)


def test_curve(found: wmtune.SearchResult) -> None:
    """The curve is the best so far."""
    assert found.curve == [4.0, 4.0, 4.0, 1.5]
    assert [r["trial"] for r in found.records] == [0, 1, 2, 3]
    found.records.insert(0, {"status": "timeout", "cost_us": None})
    assert math.isnan(found.curve[0])
    assert found.curve[1:] == [4.0, 4.0, 4.0, 1.5]


def test_pandas(found: wmtune.SearchResult) -> None:
    """The trials are a table of pandas."""
    pandas = pytest.importorskip("pandas", reason="SKIPPED: nobody tests to_pandas")
    table = found.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table["best_us"]) == [4.0, 4.0, 4.0, 1.5]
    assert list(table["status"]) == [status for status, _ in LOG]


def test_display(found: wmtune.SearchResult) -> None:
    """A result prints as a sentence, and as a table with a chart."""
    assert repr(found) == (
        "<wmtune.SearchResult workload: w<1>; best: 1.5 us, 7.25 GFLOP/s; untuned: 6 us, 4.00 times as long; "
        "trials: 4; kernel: o>"
    )
    page = found._repr_html_()
    assert "w&lt;1&gt;" in page
    assert 'points="0.0,0.0 120.0,0.0 120.0,0.0 240.0,0.0 240.0,0.0 360.0,0.0 360.0,75.0 480.0,75.0"' in page
    assert repr(wmtune.SearchResult({})) == "<wmtune.SearchResult >"
    assert "<svg" not in wmtune.SearchResult({"workload": "w"})._repr_html_()
    assert _table.steps([math.nan, math.nan], "x") == ""


def test_duration() -> None:
    """Numbers of numpy are seconds, too."""
    assert duration(np.int64(90)) == duration(90) == "90.000000s"

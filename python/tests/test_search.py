"""What a search returns."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import wmtune
from wmtune._options import duration


def test_copies() -> None:
    """A result can be copied and pickled, and says what it has not got."""
    found = wmtune.SearchResult({"best_us": 3.5})
    for again in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert again.data == found.data
        assert again.best_us == 3.5
    with pytest.raises(AttributeError, match="no worst_us: it has best_us"):
        _ = found.worst_us


def test_duration() -> None:
    """Numbers of numpy are seconds, too."""
    assert duration(np.int64(90)) == duration(90) == "90.000000s"

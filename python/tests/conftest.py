"""Small models, compiled once for all tests, and where tests keep what they measure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from models import MODELS

import wmtune

Open = Callable[..., wmtune.Model]


@pytest.fixture(scope="session", autouse=True)
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record database of the tests' own: XDG_CACHE_HOME is where the command keeps it."""
    folder = tmp_path_factory.mktemp("cache")
    patch = pytest.MonkeyPatch()
    patch.setenv("XDG_CACHE_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder with the bundle of a model of models.py, by its name."""
    folder = tmp_path_factory.mktemp("bundles")

    def find(name: str) -> Path:
        if not (folder / name).exists():
            wmtune.compile(MODELS[name](), name=name, out=folder / name, threads=2).close()
        return folder / name

    return find


@pytest.fixture
def opened(bundle: Callable[[str], Path]) -> Open:
    """Opens a model of models.py, by its name."""
    return lambda name, **options: wmtune.load(bundle(name), **options)

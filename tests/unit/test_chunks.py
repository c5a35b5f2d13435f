"""Chunks: what a stream takes is checked when it is made."""

from __future__ import annotations

from typing import Any

import pytest

from pratique import Chunk, Misuse


@pytest.mark.parametrize("wrong", [{"text": b"x"}, {"arguments": 5}, {"name": None}, {"usage": 5}])
def test_a_chunk_of_something_else_is_a_mistake_with_a_remedy(wrong: dict[str, Any]) -> None:
    with pytest.raises(Misuse, match="must"):
        Chunk(**wrong)

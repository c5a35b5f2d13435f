"""A contract for every target: what each would enforce, and which of them refuse it."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pratique import Compiled, Fate, targets
from pratique.cli.compiled.residue import contract_line
from pratique.cli.terminal import Terminal
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.show import escape

__all__ = ["Row", "overview", "overview_of"]

_FATES = (Fate.ENFORCED, Fate.HINTED, Fate.DROPPED)
"""What a constraint of a compiled contract can come to: with an impossible one, nothing is compiled."""

_NUMBER_CELLS = 9
"""Width of a column of numbers."""


@dataclass(frozen=True, slots=True)
class Row:
    """What compiling for one target came to."""

    target: str
    compiled: Compiled | None = None
    refused: Misuse | None = None

    @property
    def schema_bytes(self) -> int | None:
        """Bytes of the schema as compact JSON in UTF-8; of words, bytes of the text."""
        if self.compiled is None:
            return None
        if self.compiled.form == "words":
            return len(str(self.compiled.request["text"]).encode("utf-8"))
        return len(json.dumps(self.compiled.schema, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))

    @property
    def many(self) -> Counter[Fate]:
        """How many constraints have which fate."""
        return Counter(constraint.fate for constraint in (self.compiled.constraints if self.compiled else ()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        many = self.many
        refused = None if self.refused is None else {"message": self.refused.message, "remedy": self.refused.remedy}
        return {
            "target": self.target,
            "form": None if self.compiled is None else self.compiled.form,
            **{fate.value: None if self.compiled is None else many[fate] for fate in _FATES},
            "schema_bytes": self.schema_bytes,
            "refused": refused,
        }


def overview_of(contract: Contract[Any], options: Mapping[str, Any]) -> Iterator[Row]:
    """Compile a contract for each target in turn.

    Errors: raises nothing on account of a target that refuses; its row says why.
    """
    for target in targets():
        try:
            yield Row(target, compiled=contract.compile(target, **options))
        except Misuse as error:
            yield Row(target, refused=error)


def overview(contract: Contract[Any], rows: Iterable[Row], terminal: Terminal) -> Iterator[str]:
    """Yield the lines of the table."""
    column = max(map(len, targets()))
    heads = "".join(f"{head:>{_NUMBER_CELLS + 1}}" for head in (*_FATES, "bytes"))
    yield f"{terminal.paint(contract_line(contract), 'strong')} {contract.fingerprint}"
    yield ""
    yield f"{'target':<{column}}  {'form':<6}{heads}"
    for row in rows:
        if row.compiled is None:
            yield from _refusal(row, column, terminal)
            continue
        figures = (*(row.many[fate] for fate in _FATES), row.schema_bytes)
        numbers = "".join(f"{figure:>{_NUMBER_CELLS + 1},}" for figure in figures)
        yield f"{row.target:<{column}}  {row.compiled.form:<6}{numbers}"
    yield ""
    yield "bytes: of the schema, or of the text in words; --target TARGET shows the rest"


def _refusal(row: Row, column: int, terminal: Terminal) -> Iterator[str]:
    """Yield why a target takes the contract not at all, wrapped beside its name."""
    assert row.refused is not None
    told = textwrap.wrap(escape(row.refused.message), max(terminal.max_cells - column - 11, 20))
    for index, line in enumerate(told):
        name = row.target if index == 0 else ""
        mark = terminal.paint("refused:", "refuse") if index == 0 else " " * 8
        yield f"{name:<{column}}  {mark} {line}"

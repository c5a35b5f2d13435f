"""By which contract, and with which allow-lists, a command judges: as written, then loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pratique.cli.files import STDIO
from pratique.cli.load import load_contract, load_references, load_schema
from pratique.contract import Contract
from pratique.errors import Misuse
from pratique.show import show

__all__ = ["Judging"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Name a contract, or a schema in place of one, and allow-lists."""

    contract: str | None = None
    schema: str | None = None
    at: str = ""
    references: tuple[str, ...] = ()
    target: str | None = None
    """The target that the producer was asked through; the answer is in its shape."""

    def require_sound(self, *also: str) -> None:
        """Refuse what cannot be meant, before anything is read; ``also`` names files that the call reads, too.

        Errors: Misuse when no contract was named, or two, or standard input is to be read twice.
        """
        if (self.contract is None) == (self.schema is None):
            raise Misuse(
                "no contract was given" if self.contract is None else "both a contract and a schema were given",
                remedy="write --contract MODULE:NAME, or --schema FILE --at NAME",
            )
        if self.at and self.schema is None:
            raise Misuse("--at belongs to --schema; a contract knows where its list stands", remedy="leave --at out")
        if [*also, *self.inputs].count(STDIO) > 1:
            raise Misuse("standard input can be read only once", remedy="name - once")

    def load(self) -> Contract[Any]:
        """Return the contract, in the shape of the target that was asked through.

        Errors: Misuse when it is not there, or the target would refuse it.
        """
        self.require_sound()
        if self.contract is not None:
            contract = load_contract(self.contract)
        else:
            assert self.schema is not None
            contract = load_schema(self.schema, at=self.at)
        return contract if self.target is None else contract.via(contract.compile(self.target))

    def lists(self) -> dict[str, set[str]]:
        """Return the allow-lists.

        Errors: Misuse when one cannot be read.
        """
        return load_references(self.references)

    def lists_for(self, contract: Contract[Any]) -> dict[str, set[str]]:
        """Return the allow-lists, and every one that the contract declares.

        Errors: Misuse when one is missing, as well: what was refused for it would pass unchecked.
        """
        lists = self.lists()
        for name in sorted(contract.terms.declared_references - lists.keys()):
            raise Misuse(
                f"the contract {show(contract.name)} declares a reference {show(name)}, and no allow-list came",
                remedy=f"write --references {name}=FILE, with the names that exist today",
            )
        return lists

    @property
    def inputs(self) -> list[str]:
        """The files that are read for it, but for the contract's module."""
        lists = [entry.partition("=")[2] for entry in self.references]
        return [*lists, *([self.schema] if self.schema else [])]

    @property
    def words(self) -> tuple[str, ...]:
        """The options that say so on a command line."""
        named = ("--contract", self.contract) if self.contract is not None else ("--schema", self.schema or "")
        where = (*(("--at", self.at) if self.at else ()), *(("--target", self.target) if self.target else ()))
        return (*named, *where, *(word for entry in self.references for word in ("--references", entry)))

"""``pratique compile``: what to ask a provider with, and what that leaves to check.

Only the signature stands here: what the command needs is imported when it runs, so that its help is quick.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

__all__ = ["FormName", "OpenObjects", "compile_"]

FormName: TypeAlias = Literal["schema", "tools", "words"]
OpenObjects: TypeAlias = Literal["keep", "close"]


def compile_(
    contract: Annotated[
        str | None,
        Parameter(
            name="--contract",
            help="The contract, as MODULE:NAME. The current directory is searched after the installed modules.",
        ),
    ] = None,
    *,
    schema: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            allow_leading_hyphen=True,
            help="A JSON Schema (draft 04 to 2020-12) in place of a contract; - is standard input.",
        ),
    ] = None,
    at: Annotated[
        str,
        Parameter(
            metavar="NAME",
            help="With --schema: key or JSON Pointer of the list of units. Default: the delivery is the list.",
        ),
    ] = "",
    target: Annotated[
        str | None,
        Parameter(
            metavar="TARGET", help="The endpoint, as openai/chat. Without it: an overview, which names all of them."
        ),
    ] = None,
    form: Annotated[
        FormName | None,
        Parameter(
            metavar="FORM",
            help="schema (the answer follows a schema), tools (the answer is a tool call), or words (it is told what "
            "to write, and nothing is enforced). Default: as the target is asked best.",
        ),
    ] = None,
    docstrings: Annotated[
        bool, Parameter(negative="", help="Tell the docstrings of classes, too. They go to the provider.")
    ] = False,
    open_objects: Annotated[
        OpenObjects | None,
        Parameter(
            metavar="HOW",
            help="What becomes of keys that an open object does not name, where the endpoint wants it closed: keep "
            "(the default: they are asked for as a list of pairs), or close (there is no place for them).",
        ),
    ] = None,
    max_recursion: Annotated[
        int | None,
        Parameter(
            metavar="N",
            help="Levels of a recursive type that are written out where the endpoint keeps no recursion; deeper "
            "values are asked for as text. Default: 4.",
        ),
    ] = None,
    request_only: Annotated[
        bool, Parameter(negative="", help="Print only the part of the request, to be piped into a file.")
    ] = False,
    residue_only: Annotated[
        bool, Parameter(negative="", help="Print only what became of the constraints, and the warnings.")
    ] = False,
    out: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            allow_leading_hyphen=True,
            help="Write the part of the request there (with --json: everything), all at once or not at all; the rest "
            "is printed. - is standard output; the rest then goes to standard error.",
        ),
    ] = None,
    overwrite: Annotated[bool, Parameter(negative="", help="With --out: replace a file that exists.")] = False,
    json_: Annotated[
        bool,
        Parameter(
            name="--json",
            negative="",
            help="Print one JSON object, for machines: with every constraint, the enforced ones too.",
        ),
    ] = False,
    no_color: Annotated[
        bool,
        Parameter(
            negative="",
            help="Print without colour. NO_COLOR and FORCE_COLOR are respected; what is not a terminal gets none.",
        ),
    ] = False,
) -> int:
    """Compile a contract for a provider, and show what is left to check."""
    from pratique.cli.compiled.compiling import Compiling, run_compile
    from pratique.cli.judging import Judging

    return run_compile(
        Compiling(
            judging=Judging(contract=contract, schema=schema, at=at),
            target=target,
            form=form,
            docstrings=docstrings,
            open_objects=open_objects,
            max_recursion=max_recursion,
            request_only=request_only,
            residue_only=residue_only,
            out=out,
            overwrite=overwrite,
            json=json_,
            no_color=no_color,
        )
    )

"""Ourselves: ``contract.admit`` on what came, bytes or text."""

from __future__ import annotations

from bench.peers.peer import HERE, Answer, Document, Peer, Read


def _open() -> Read:
    from damage.report import Envelope, Unit  # the worker has tests/ on its path
    from pratique import Contract, Limits, Status

    # 10,000 is the default; the suite's own contract says 100, too few for the large report.
    limits = Limits(max_items=10_000)
    with_envelope = Contract.items(Unit, at="recommendations", envelope=Envelope, name="triage", limits=limits)
    bare = Contract.items(Unit, name="triage", limits=limits)

    def read(document: Document) -> Answer:
        admission = (bare if document.bare else with_envelope).admit(document.raw)
        told = admission.status is not Status.CLEAN and bool(admission.refusing_findings)
        return Answer(list(admission.values), told)

    return read


PEERS = (
    Peer(
        name="pratique",
        package="pratique",
        environment=HERE,
        call="Contract.items(Unit, at=…, envelope=…).admit(text)",
        needs=("pratique",),
        open=_open,
    ),
)

"""The terms of a contract: unit, locality, limits, references, checks; compiled once, frozen, shared."""

from pratique.terms.fingerprint import fingerprint_of, name_of
from pratique.terms.lens import Change, Fault, Lens
from pratique.terms.markers import REFERENCES, UNKNOWN_REFERENCE, AuditOnly, Reference
from pratique.terms.shape import KeyCounter, Shape, Validator
from pratique.terms.strict import arms_of, compile_type, strict_validator
from pratique.terms.terms import Check, Frames, Keep, Locality, Terms, note, refuse

__all__ = [
    "REFERENCES",
    "UNKNOWN_REFERENCE",
    "AuditOnly",
    "Change",
    "Check",
    "Fault",
    "Frames",
    "Keep",
    "KeyCounter",
    "Lens",
    "Locality",
    "Reference",
    "Shape",
    "Terms",
    "Validator",
    "arms_of",
    "compile_type",
    "fingerprint_of",
    "name_of",
    "note",
    "refuse",
    "strict_validator",
]

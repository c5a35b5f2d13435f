"""One chained log of what happened: appended, never changed, and verified up to a head that is held elsewhere."""

from pratique.audit.acting import acting
from pratique.audit.carry import carry
from pratique.audit.chain import Broken, Head, Record
from pratique.audit.checkpoint import Checkpoint, SignedHeads, read_checkpoints, sign_head
from pratique.audit.checkpoints import CheckpointOutage, Checkpoints
from pratique.audit.key import SigningKey, VerifierKey
from pratique.audit.log import AuditLog
from pratique.audit.reading import read_log
from pratique.audit.verify import Verification, verify

__all__ = [
    "AuditLog",
    "Broken",
    "Checkpoint",
    "CheckpointOutage",
    "Checkpoints",
    "Head",
    "Record",
    "SignedHeads",
    "SigningKey",
    "Verification",
    "VerifierKey",
    "acting",
    "carry",
    "read_checkpoints",
    "read_log",
    "sign_head",
    "verify",
]

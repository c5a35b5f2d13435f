"""One chained log of what happened: appended, never changed, and verified up to a head that is held elsewhere."""

from pratique.audit.chain import Broken, Head, Record
from pratique.audit.log import AuditLog
from pratique.audit.verify import Verification, verify

__all__ = ["AuditLog", "Broken", "Head", "Record", "Verification", "verify"]

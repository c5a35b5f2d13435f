"""What only the boundary makes cannot be made by a subclass."""

from __future__ import annotations

from typing import Any

from pratique import Admission, Admitted, Quarantined


class MyAdmission(Admission[Any]):  # expect: misc
    pass


class MyAdmitted(Admitted[Any]):  # expect: misc
    pass


class MyQuarantined(Quarantined):  # expect: misc
    pass

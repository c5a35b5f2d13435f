"""No test asserts a time: a machine that is busy with something else is no defect."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

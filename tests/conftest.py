"""No test asserts a time: a machine that is busy with something else is no defect.

In CI Hypothesis draws the same examples each time (its own profile for CI); on a developer's machine it draws others.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", settings.default, deadline=None)
settings.load_profile("untimed")

"""The peers of ``bench/survival.py``: one adapter file a family, each run in an environment of its own.

An adapter imports its peer only when it is opened, so that the judge can list all of them without having
any. ``peer`` says what an adapter is; ``worker`` is the process it runs in; ``process`` is the judge's end
of that process; ``environments`` makes the virtual environments; ``page`` writes what came of it.
"""

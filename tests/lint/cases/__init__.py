"""For each rule, targets on which it must fire and targets on which it must not: one file a rule, named as the rule's.

Each file defines ``FIRES`` and ``QUIET``: a claim in one sentence -> a target, or a ``Case`` of a target with settings.
"""

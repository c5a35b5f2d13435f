"""The linter: what in a contract, a type, a schema or a tool list makes wrong output likely, before any call.

``lint`` takes what people have and returns a ``Report``; ``pratique lint`` does the same from a shell. Refused here:
guessing. A rule that cannot tell is quiet, and what is somebody's judgement says so.
"""

from pratique.lint.book import rule_of, rules
from pratique.lint.configuration import Configuration
from pratique.lint.face import lint
from pratique.lint.finding import Ignore, LintFinding, Report
from pratique.lint.rule import Fix, Level, Rule, Settings
from pratique.lint.thresholds import Thresholds

__all__ = [
    "Configuration",
    "Fix",
    "Ignore",
    "Level",
    "LintFinding",
    "Report",
    "Rule",
    "Settings",
    "Thresholds",
    "lint",
    "rule_of",
    "rules",
]

"""Have schemafit judge schemas for all its providers: JSON in, JSON out.

It runs in schemafit's environment (``requirements/schemafit.txt``), so it uses the standard library and schemafit
alone. It calls the Python entry, because the command reads one schema a file and ends at the first it cannot read.

Run: ``PYTHON schemafit_runner.py SCHEMAS.json``, where the file holds ``{name: schema}``. Printed is
``{name: [{code, level, path, provider, message}]}``: schemafit's words, in its order, provider by provider.
``level`` is its "error" or "warning"; "crash" is ours, with code ``schemafit-raised``, where it raised instead.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from schemafit import PROVIDERS, lint

__all__ = ["main"]

RAISED = "schemafit-raised"


def main() -> None:
    """Read the file that is named, and print what schemafit finds."""
    schemas = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    print(json.dumps({name: _findings(schema) for name, schema in schemas.items()}, indent=1))


def _findings(schema: object) -> list[dict[str, str]]:
    return [finding for provider in PROVIDERS for finding in _judged(schema, provider)]


def _judged(schema: object, provider: str) -> list[dict[str, str]]:
    try:
        found = lint(schema, provider)
    except Exception as error:  # noqa: BLE001 (any: what it raises for odd input is a result, not a rule of ours)
        message = f"{type(error).__name__}: {error}"
        return [{"code": RAISED, "level": "crash", "path": "#", "provider": provider, "message": message}]
    return [
        {
            "code": finding.rule_id,
            "level": finding.severity,
            "path": finding.json_pointer,
            "provider": finding.provider,
            "message": finding.reason,
        }
        for finding in found
    ]


if __name__ == "__main__":
    main()

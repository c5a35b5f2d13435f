"""The end of the wire: a server on the loopback device that takes requests down and declines each with a 400."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Wire"]

_DECLINED = json.dumps({
    "error": {"message": "taken down", "type": "invalid_request_error", "code": 400, "status": "INVALID_ARGUMENT"}
}).encode()  # fmt: skip
"""An error in a form that every client reads as a bad request, and so does not repeat."""


class Wire:
    """Take down what is sent to ``url``.

    Shape: ``taken(call)`` runs a call and returns the first body that it sent, and what it raised.
    """

    def __init__(self) -> None:
        self._bodies: list[Any] = []
        bodies = self._bodies

        class Handler(BaseHTTPRequestHandler):
            """Read one body, decline."""

            def do_POST(self) -> None:
                """Take a request down."""
                bodies.append(json.loads(self.rfile.read(int(self.headers.get("content-length", 0)))))
                self.send_response(400)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(_DECLINED)))
                self.end_headers()
                self.wfile.write(_DECLINED)

            def log_message(self, format: str, *_: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"

    def taken(self, call: Callable[[], object]) -> tuple[Any, Exception | None]:
        """Run a call; return the body it sent, or None, and the exception that it raised, or None."""
        self._bodies.clear()
        raised = None
        try:
            call()
        except Exception as error:  # noqa: BLE001  # a peer may raise anything; it is told
            raised = error
        return (self._bodies[0] if self._bodies else None), raised

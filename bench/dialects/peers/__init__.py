"""The peers of ``bench/dialects``: what each puts on the wire for a contract, called as its users call it.

Each runs in an environment of its own, against a server on the loopback device that takes the request down and
declines it: no provider is called, and the schema is the one that would have been sent. ``peer`` says what an
adapter is, ``wire`` is that server, ``worker`` the process. An adapter imports its peer only when opened.
"""

"""Material for the field report of ``pratique lint``: the tool lists of real servers, and what a peer says of them.

``servers`` names the servers, each with its exact version; ``environments`` installs one from its registry into a
folder of its own; ``process`` starts one without a network and reads its tools; ``collect`` does so for all and
saves the lists. ``schemafit_runner`` is the peer's end: it runs in the peer's environment.

The lists are other people's text: they are made again on each machine, and not kept here.
"""

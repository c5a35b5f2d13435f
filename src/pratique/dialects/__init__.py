"""Terms compiled for a provider's schema dialect: schema, lens and residue; and the contract told in words.

``profile`` says what an endpoint keeps (``tables`` and ``targets`` hold what is known of each), ``nodes`` reads the
contract's schema, ``lens`` leads values out and texts back, ``writing`` writes the schema, ``compiling`` joins them.
Nothing here sends anything, and no provider's package is imported.
"""

"""The comparison of schema compilers: a family of contracts, an oracle, and the peers beside us.

``family`` makes contracts and sound instances at random, ``oracle`` says what a decoder that is held to a
schema could write, ``peers`` turn the same contracts into schemas their own way, ``run`` counts.
"""

"""Damaged reports with a known truth: generators, and the oracle that judges what a reader made of them.

Neighbours: ``tests/property`` sweeps over the same reports, ``bench/damage.py`` prints peers side by side.
"""

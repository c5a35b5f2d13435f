"""Fixed deliveries with a verdict judged by hand: what must be admitted, and what must be refused.

One directory a case, grouped by what is wrong: ``input.txt`` is the delivery, byte for byte; ``case.json``
names the contract, the verdict, where the case comes from, and why the verdict is right.
"""

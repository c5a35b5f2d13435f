"""The boundary inside the frameworks that people already use: one small file a framework, each imports its own.

Every hook does the same three things. It asks with what the contract was compiled to, it turns what came into a
``Delivery`` with the finish reason and the raw text, and it hands that to a ``Port``, which judges and keeps.
"""

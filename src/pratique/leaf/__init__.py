"""The leaf: the one place where a model is called."""

from pratique.leaf.leaf import LeafLlm

__all__ = ["LeafLlm"]

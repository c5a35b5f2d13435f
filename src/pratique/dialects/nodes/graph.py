"""Which nodes of a graph lie on a cycle, how often each is referred to, and from which a kind of node is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pratique.dialects.nodes.node import Listing, Node, Record

__all__ = ["Graph", "children"]


def children(node: Node) -> list[Node]:
    """Return the nodes directly below a node, in order."""
    found = list(node.arms)
    form = node.form
    if isinstance(form, Listing):
        found += form.prefix
        if form.items is not None:
            found.append(form.items)
    elif isinstance(form, Record):
        found += (entry.node for entry in form.fields.values())
        if form.rest is not None:
            found.append(form.rest)
    return found


class Graph:
    """Hold all nodes below some roots.

    Limits: linear in nodes and references; no recursion.
    """

    __slots__ = ("_above", "_component", "_cyclic", "nodes")

    def __init__(self, roots: Iterable[Node]) -> None:
        self.nodes: dict[int, Node] = {}
        self._above: dict[int, list[Node]] = {}
        ahead = list(roots)
        while ahead:
            node = ahead.pop()
            if id(node) in self.nodes:
                continue
            self.nodes[id(node)] = node
            for child in children(node):
                self._above.setdefault(id(child), []).append(node)
                ahead.append(child)
        self._component: dict[int, int] = {}
        self._cyclic: set[int] = set()
        self._find_components()

    def references(self, node: Node) -> int:
        """Return how many nodes refer to a node."""
        return len(self._above.get(id(node), ()))

    def is_cyclic(self, node: Node) -> bool:
        """Say whether a node is part of itself."""
        return id(node) in self._cyclic

    def component(self, node: Node) -> int:
        """Return the number of the cycle group that a node belongs to."""
        return self._component[id(node)]

    def reaching(self, is_wanted: Callable[[Node], bool]) -> set[int]:
        """Return the ids of all nodes from which a wanted node is reached, wanted ones included."""
        found: set[int] = set()
        ahead = [node for node in self.nodes.values() if is_wanted(node)]
        while ahead:
            node = ahead.pop()
            if id(node) not in found:
                found.add(id(node))
                ahead += self._above.get(id(node), ())
        return found

    def _find_components(self) -> None:
        """Find strongly connected components. Source: Kosaraju's two walks."""
        done: list[Node] = []
        seen: set[int] = set()
        for start in self.nodes.values():
            stack = [(start, False)]
            while stack:
                node, is_left = stack.pop()
                if is_left:
                    done.append(node)
                elif id(node) not in seen:
                    seen.add(id(node))
                    stack.append((node, True))
                    stack.extend((child, False) for child in children(node))
        number = 0
        for start in reversed(done):
            if id(start) in self._component:
                continue
            members = []
            ahead = [start]
            while ahead:
                node = ahead.pop()
                if id(node) in self._component:
                    continue
                self._component[id(node)] = number
                members.append(node)
                ahead += self._above.get(id(node), ())
            if len(members) > 1 or start in children(start):
                self._cyclic.update(map(id, members))
            number += 1

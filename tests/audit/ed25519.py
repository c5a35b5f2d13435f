"""Ed25519 by its definition, in whole numbers: slow, and independent of what the library signs with.

Source: RFC 8032 section 5.1.
"""

from __future__ import annotations

import hashlib

P = 2**255 - 19
"""The field's prime."""
ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the base point."""
D = -121665 * pow(121666, -1, P) % P

Point = tuple[int, int]


def added(one: Point, other: Point) -> Point:
    """Add two points of the curve."""
    (x1, y1), (x2, y2) = one, other
    both = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + both, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - both, -1, P)
    return x % P, y % P


def times(many: int, point: Point) -> Point:
    """Add a point to itself so many times."""
    total = (0, 1)
    while many:
        if many & 1:
            total = added(total, point)
        point = added(point, point)
        many >>= 1
    return total


def base_point() -> Point:
    """Return the point with y = 4/5 and an even x."""
    y = 4 * pow(5, -1, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (P - x if x % 2 else x), y


BASE = base_point()


def encoded(point: Point) -> bytes:
    """Write a point as 32 bytes."""
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def number(*parts: bytes) -> int:
    """Hash bytes to a whole number."""
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def public_of(seed: bytes) -> bytes:
    """Return the public key of a seed."""
    return encoded(times(secret_of(seed), BASE))


def secret_of(seed: bytes) -> int:
    """Return the number that multiplies the base point."""
    low = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    return (low & (2**254 - 8)) | 2**254


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the one signature that a seed makes of a message."""
    nonce = number(hashlib.sha512(seed).digest()[32:], message) % ORDER
    point = encoded(times(nonce, BASE))
    challenge = number(point, public_of(seed), message) % ORDER
    return point + ((nonce + challenge * secret_of(seed)) % ORDER).to_bytes(32, "little")

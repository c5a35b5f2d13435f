"""The token: the right to make one call, once. It goes through two frames, from who asks to the leaf.

A token is no proof by itself: whatever is constructed, copied, pickled or forged, the ledger's row decides when the
leaf redeems it, right before the first byte leaves. The type keeps a forgotten token from running, and from passing a
type checker.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn, final

from pratique.errors import Misuse

if TYPE_CHECKING:
    from pratique.budget.ledger import Ledger
    from pratique.budget.request import Request

__all__ = ["BudgetToken", "minted"]

_KEY = object()


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BudgetToken:
    """Stand for one reservation. Only ``LlmInvocationGuard.precharge`` makes one.

    Shape: what it shows is for logs; nothing is believed of it when it is redeemed but its id.
    Errors: TypeError for making, copying, pickling or subclassing one; AttributeError for changing one.
    """

    id: str
    workflow: str
    issued_at: str
    """UTC, ISO 8601."""
    request: Request
    """What it was minted for."""
    _ledger: Ledger
    key: InitVar[object]

    def __post_init__(self, key: object) -> None:
        if key is not _KEY:
            raise TypeError("a BudgetToken is minted by LlmInvocationGuard.precharge, and nowhere else")

    @property
    def precharged_tokens(self) -> int:
        """The ceiling in tokens."""
        return self.request.ceiling.tokens

    @property
    def precharged_dollars(self) -> Decimal:
        """The ceiling in dollars, exactly."""
        return self.request.ceiling.dollars

    def redeem(self, request: Request) -> None:
        """Use the token for the request that is about to be sent: the last thing before the first byte.

        Errors: TokenRefused when it was used or given back, or is for another request; Outage when the ledger fails:
            then nothing may be sent.
        """
        self._ledger.dispatch(self.id, request.ceiling, request.digest)

    def __repr__(self) -> str:
        return f"<BudgetToken {self.id} of {self.workflow}: at most {self.request.ceiling}>"

    def __copy__(self) -> NoReturn:
        raise TypeError("a BudgetToken cannot be copied: one token is one attempt")

    def __deepcopy__(self, _: dict[int, Any]) -> NoReturn:
        raise TypeError("a BudgetToken cannot be copied: one token is one attempt")

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError("a BudgetToken cannot be pickled: precharge where the call is made")

    def __init_subclass__(cls, **more: Any) -> NoReturn:
        raise TypeError("BudgetToken is final")


def minted(ledger: Ledger, request: Request, *, id: str, workflow: str, issued_at: str) -> BudgetToken:
    """Make the token of a hold that the ledger has just made."""
    if not id:
        raise Misuse("a token needs an id", remedy="leave ids out, and they are random")
    return BudgetToken(id, workflow, issued_at, request, ledger, _KEY)

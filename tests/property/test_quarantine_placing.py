"""Law: whatever is edited and blanked in a delivery, what was not touched is found where it went."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pratique import Delivery, Span, ToolCall
from pratique.quarantine.placing import Blank, Laid, placed

PARTS = st.lists(st.sampled_from(["{a}", "{bb}", "{ccc}"]), max_size=6)
TEXTS = st.sampled_from(["{x}", " {longer than before}\n", "", "{}"])
FATES = st.one_of(st.just(None), st.just("blank"), TEXTS)


@st.composite
def deliveries(draw: st.DrawFn) -> tuple[Delivery, list[tuple[Span, str | None]]]:
    """Return a delivery, and the place and the fate of each of its units."""
    segments = draw(st.lists(PARTS, min_size=1, max_size=4))
    texts = ["[" + ", ".join(parts) + "]" if number == 0 else ", ".join(parts) for number, parts in enumerate(segments)]
    delivery = Delivery(text=texts[0], tool_calls=tuple(ToolCall("t", text) for text in texts[1:]))
    fates: list[tuple[Span, str | None]] = []
    at = 0
    for text in texts:
        for start, char in enumerate(text):
            if char == "{":
                fates.append((Span(at + start, at + text.index("}", start) + 1), draw(FATES)))
        at += len(text) + 1
    return delivery, fates


@given(deliveries())
def test_every_unit_is_found_where_it_went(drawn: tuple[Delivery, list[tuple[Span, str | None]]]) -> None:
    """Untouched ones by their span, edits by theirs; a blanked one is gone."""
    delivery, fates = drawn
    blanks = [Blank(span, False) for span, fate in fates if fate == "blank"]
    edits = [Laid(span, fate) for span, fate in fates if fate not in (None, "blank")]
    today = placed(delivery, blanks, edits)
    body = today.delivery.body
    for span, fate in fates:
        if fate is None:
            now = today.span(span)
            assert body[now.start : now.end] == delivery.body[span.start : span.end]
    for edit in edits:
        now = today.laid_span(edit)
        assert body[now.start : now.end] == edit.text.strip()
    left = [fate for _, fate in fates if fate != "blank"]
    assert body.count("{") == sum(fate is None or "{" in fate for fate in left)

"""Times as people write and read them."""

from __future__ import annotations

import pytest

from pratique.cli.moments import age, moment_of, stamp, when
from pratique.errors import Misuse

NOW = 1_700_000_000.0
"""2023-11-14 22:13:20 UTC."""


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("90s", 90), ("30m", 1_800), ("12h", 43_200), ("7d", 604_800), ("2w", 1_209_600), (" 7d ", 604_800)],
)
def test_a_length_of_time_leads_ahead_or_back(said: str, seconds: float) -> None:
    assert moment_of(said, now=NOW, ahead=True, option="--until") == NOW + seconds
    assert moment_of(said, now=NOW, ahead=False, option="--since") == NOW - seconds


@pytest.mark.parametrize(
    ("said", "moment"),
    [
        ("2023-11-15", 1_700_006_400.0),
        ("2023-11-15T01:00", 1_700_010_000.0),
        ("2023-11-15 01:00:00Z", 1_700_010_000.0),
        ("2023-11-15T02:00+01:00", 1_700_010_000.0),
    ],
)
def test_a_date_or_time_is_utc_unless_it_says_otherwise(said: str, moment: float) -> None:
    assert moment_of(said, now=NOW, ahead=True, option="--until") == moment


@pytest.mark.parametrize(
    "said", ["", "7", "d", "-7d", "7 days", "1.5d", "7D", "٧d", "9999999999d", "999999999w", "yesterday", "2023-13-01"]
)
def test_what_is_no_time_is_misuse_with_an_example(said: str) -> None:
    with pytest.raises(Misuse, match="--until") as raised:
        moment_of(said, now=NOW, ahead=True, option="--until")
    assert "2026-01-31" in raised.value.remedy


def test_ahead_means_later_than_now() -> None:
    with pytest.raises(Misuse, match="lies in the past: it is 2023-11-14 22:13:20 UTC"):
        moment_of("2023-11-14", now=NOW, ahead=True, option="--until")
    assert moment_of("2023-11-14", now=NOW, ahead=False, option="--since") < NOW


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(-5, "0s"), (0, "0s"), (59.9, "59s"), (60, "1m"), (3_599, "59m"), (3_600, "1h"), (86_399, "23h"), (86_400, "1d"),
     (4e8, "4,629d")],
)  # fmt: skip
def test_an_age_is_told_in_its_largest_whole_unit(seconds: float, said: str) -> None:
    assert age(seconds) == said


def test_a_moment_is_told_with_how_long_ago_it_was() -> None:
    assert when(NOW - 3_600, NOW) == "2023-11-14 21:13:20 UTC (1h ago)"
    assert when(NOW + 3_600, NOW) == "2023-11-14 23:13:20 UTC"


def test_a_moment_that_no_calendar_holds_is_told_all_the_same() -> None:
    assert stamp(1e18) == "1000000000000000000 seconds after 1970"

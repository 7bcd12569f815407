"""A process that runs without heartbeats is recognised; one that nobody could hear is not."""

from headwater.runtime.silence_watch import CHECK_EVERY, SILENT_SECONDS, SilenceWatch

PIDS = {"network": 7, "local-1": 8}


def silent_after(
    seconds: float, *, first: set[int], then: set[int] | None, step: float = CHECK_EVERY
) -> list[str]:
    watch, now, names = SilenceWatch(), 0.0, list[str]()
    while now <= seconds:
        assert watch.is_due(now)
        names = watch.silent_names(PIDS, then if now else first, now)
        now += step
    return names


def test_a_process_that_is_not_heard_for_long_hangs():
    assert silent_after(SILENT_SECONDS, first={7, 8}, then={8}) == []
    assert silent_after(SILENT_SECONDS + CHECK_EVERY, first={7, 8}, then={8}) == ["network"]
    assert silent_after(10 * SILENT_SECONDS, first={7, 8}, then={7, 8}) == []


def test_a_process_is_not_blamed_when_nobody_could_be_heard():
    assert silent_after(10 * SILENT_SECONDS, first={7, 8}, then=None) == []
    assert silent_after(10 * SILENT_SECONDS, first={7, 8}, then=set()) == []  # the database takes no writes
    assert silent_after(10 * SILENT_SECONDS, first={7, 8}, then={9}) == []
    assert silent_after(10 * SILENT_SECONDS, first={7, 8}, then={8}, step=SILENT_SECONDS) == []
    assert silent_after(10 * SILENT_SECONDS, first={8}, then={8}) == []

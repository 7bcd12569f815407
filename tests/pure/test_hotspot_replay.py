"""A month of the demo, day by day: the day of an alert and the day a story grew."""

from collections import Counter

from benchmarks.hotspots import demo_documents, growth_day, replay

DOCUMENTS = demo_documents()
LARGE = 20
SMALL = 10
# It has most of its articles at its end, an agreement, and they neither double it nor bring it to the limit of the score.
AGREEMENT = "orsa-delta/dam"


def test_g16_g17_large_stories_alert_on_the_day_they_grow_and_small_ones_do_not():
    alerts = replay(DOCUMENTS)
    for name, documents in DOCUMENTS.items():
        days = [alert.day for alert in alerts.get(name, [])]
        if len(documents) >= LARGE and name != AGREEMENT:
            assert growth_day(documents) in days, name
        if len(documents) < SMALL:
            assert days == [], name
        assert len(days) <= 4, name


def test_g17_the_story_that_grows_slowly_alerts_before_its_climax_and_one_that_flares_up_alerts_again():
    alerts = replay(DOCUMENTS)
    flood = [alert.day for alert in alerts["orsa-delta/flood"]]
    assert min(flood) < growth_day(DOCUMENTS["orsa-delta/flood"]) in flood
    assert len(alerts["valdora-vote/recount"]) == 2
    assert len(alerts["kelmar-strait/tanker"]) == 2
    assert all(alert.reasons for items in alerts.values() for alert in items)


def test_g17_a_backlog_of_two_weeks_alerts_only_for_what_is_recent():
    first = 13
    days = Counter(alert.day for items in replay(DOCUMENTS, first=first).values() for alert in items)
    live = [name for name, documents in DOCUMENTS.items() if growth_day(documents) >= first - 1]
    assert days[first] <= len(live) + 1
    assert sum(days.values()) <= 10

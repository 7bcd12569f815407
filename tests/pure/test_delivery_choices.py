"""Where and when matches are sent is one choice: nothing that the engine would refuse can be chosen."""

from headwater.web.pages.operator.delivery_choices import chosen_delivery, delivery_choices


def test_a_queue_takes_no_digests_and_other_channels_do():
    values = [item["value"] for item in delivery_choices(["ops/mail"])]
    rhythms = ["immediately", "hourly", "daily"]
    assert values == [*(f"ops/mail/{rhythm}" for rhythm in rhythms), "queue/immediately"]
    assert [chosen_delivery(value) for value in values[1::2]] == [
        ("ops/mail", "hourly"),
        ("queue", "immediately"),
    ]
    assert chosen_delivery("") == ("", None)


def test_the_choice_of_a_channel_that_is_gone_stays():
    chosen = [item["value"] for item in delivery_choices([], ("gone", "daily")) if item["is_chosen"]]
    assert chosen == ["gone/daily"]
    assert not any(item["is_chosen"] for item in delivery_choices(["ops"], ("", "none")))

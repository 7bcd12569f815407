"""Webhook, Slack and mail, against real servers on the loopback."""

import hmac
import json
import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from tests.servers.receivers import HttpReceiver, MailReceiver, http_receiver, mail_receiver

from headwater.model.alarm import Alarm
from headwater.model.document import Document
from headwater.model.errors import HeadwaterError, Permanent, Refused, Temporary
from headwater.model.outcomes import PartlySent, Sent
from headwater.model.recipe import Envelope, Sink
from headwater.model.story import Story
from headwater.sinks.http_endpoint import HttpEndpoint
from headwater.sinks.mail import MailSink
from headwater.sinks.slack import SlackSink
from headwater.sinks.webhook import WebhookSink

NOW = datetime(2026, 11, 13, 9, tzinfo=UTC)
ALARM = Alarm(
    id="a1",
    recipe="crypto",
    kind="silent",
    subject="s1",
    title="Ledger Lane is silent",
    detail="Nothing new for 30 hours.",
    raised_at=NOW,
)
DOCUMENT = Document(
    id="d1",
    recipe="geo",
    source="s",
    lead="l",
    url="https://wire.example/1",
    title="Strait closed",
    description="All.",
)
STORY = Story(id="t1", recipe="geo", group="g", title="A story", members=(), summary="In short.")


def envelope(record: Any = ALARM, key: str = "k1-1") -> Envelope:
    return Envelope(key=key, route="ops", record=record, revision=1)


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as running_receiver:
        yield running_receiver


@pytest.fixture
def post_office() -> Iterator[MailReceiver]:
    with mail_receiver() as running_receiver:
        yield running_receiver


def webhook(receiver: HttpReceiver, secret: str = "") -> WebhookSink:
    return WebhookSink(HttpEndpoint(f"{receiver.url}/in?token=t0p"), lambda: NOW, secret)


def mail(office: MailReceiver, **content: Any) -> MailSink:
    settings = {
        "security": "none",
        "sender": "headwater@office.example",
        "recipients": ("ops@office.example",),
    } | content
    return MailSink(host="127.0.0.1", port=office.port, clock=lambda: NOW, **settings)


def test_c37_a_webhook_gets_the_record_with_its_key(receiver: HttpReceiver):
    (answer,) = webhook(receiver).send([envelope()])
    assert answer.receipt == "200 taken"
    (posted,) = receiver.posted
    content = json.loads(posted.body)
    assert posted.path == "/in?token=t0p"
    assert posted.headers["Idempotency-Key"] == content["key"] == "k1-1"
    assert (content["kind"], content["record"]["title"]) == ("alarm", "Ledger Lane is silent")


@pytest.mark.parametrize(("record", "kind"), [(DOCUMENT, "document"), (STORY, "story")])
def test_g17_documents_and_stories_go_the_same_way(receiver: HttpReceiver, record: Any, kind: str):
    webhook(receiver).send([envelope(record)])
    content = json.loads(receiver.posted[0].body)
    assert (content["kind"], content["record"]["id"]) == (kind, record.id)


def test_c38_a_webhook_is_signed_over_time_and_body(receiver: HttpReceiver):
    webhook(receiver, secret="shared").send([envelope()])
    (posted,) = receiver.posted
    stamp = posted.headers["X-Headwater-Timestamp"]
    expected = hmac.new(b"shared", stamp.encode() + b"." + posted.body, sha256).hexdigest()
    assert posted.headers["X-Headwater-Signature"] == f"sha256={expected}"
    assert stamp == str(int(NOW.timestamp()))


def test_the_same_envelope_sent_twice_has_the_same_key(receiver: HttpReceiver):
    sink = webhook(receiver)
    sink.send([envelope()])
    sink.send([envelope()])
    assert {posted.headers["Idempotency-Key"] for posted in receiver.posted} == {"k1-1"}


MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("answer", "kind", "wait"),
    [
        ((500, {}), Temporary, (MINUTE, True)),
        ((503, {}), Temporary, (MINUTE, False)),
        ((429, {"Retry-After": "30"}), Temporary, (MINUTE / 2, False)),
        ((429, {"Retry-After": "999999999"}), Temporary, (60 * MINUTE, False)),
        ((429, {"Retry-After": "86400"}), Temporary, (60 * MINUTE, False)),
        ((400, {}), Permanent, (None, None)),
        ((302, {"Location": "http://169.254.169.254/"}), Permanent, (None, None)),
    ],
)
def test_c37_what_a_receiver_answers_decides_whether_it_is_tried_again(
    receiver: HttpReceiver, answer: tuple[int, dict[str, str]], kind: type, wait: tuple[Any, Any]
):
    receiver.answers = [answer]
    with pytest.raises(kind) as raised:
        webhook(receiver).send([envelope()])
    assert (getattr(raised.value, "delay", None), getattr(raised.value, "counts", None)) == wait
    assert len(receiver.posted) == 1  # a redirect is not followed


def _closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    "make",
    [
        lambda port: WebhookSink(HttpEndpoint(f"http://127.0.0.1:{port}/T0K3N"), lambda: NOW, "s3cr3t"),
        lambda port: SlackSink(HttpEndpoint(f"http://127.0.0.1:{port}/T0K3N")),
        lambda port: MailSink(
            host="127.0.0.1",
            port=port,
            clock=lambda: NOW,
            security="none",
            sender="a@office.example",
            recipients=("b@office.example",),
            user="u",
            password="s3cr3t",
        ),
    ],
    ids=["webhook", "slack", "mail"],
)
def test_c38_an_unreachable_receiver_is_retried_and_no_secret_is_shown(make: Callable[[int], Sink]):
    sink = make(_closed_port())
    with pytest.raises(Temporary) as raised:
        sink.send([envelope()])
    assert raised.value.counts is False
    for content in (str(raised.value), repr(sink)):
        assert "T0K3N" not in content
        assert "s3cr3t" not in content


@pytest.mark.parametrize(
    "url", ["ftp://a.example/", "file:///etc/passwd", "http://", "http://a b/", "http://a/\r\nX: y"]
)
def test_an_invalid_address_is_refused(url: str):
    with pytest.raises(Refused):
        HttpEndpoint(url)


def test_c37_slack_gets_one_message_for_all_and_a_headline_mentions_no_one(receiver: HttpReceiver):
    hostile = replace(ALARM, title="<!channel> & <@U1>\nfree", detail="")
    envelopes = [envelope(), envelope(hostile), *(envelope() for _ in range(30))]
    answers = SlackSink(HttpEndpoint(receiver.url)).send(envelopes)
    assert len(answers) == len(envelopes)
    (posted,) = receiver.posted
    text = json.loads(posted.body)["text"]
    assert text.startswith("*[crypto] Ledger Lane is silent*\nNothing new for 30 hours.")
    assert "&lt;!channel&gt; &amp; &lt;@U1&gt; free" in text
    assert "<" not in text
    assert text.endswith("and 12 more")


def test_c37_a_letter_goes_out_with_its_key_as_message_id(post_office: MailReceiver):
    mail(post_office).send([envelope()])
    (letter,) = post_office.letters
    assert letter["Subject"] == "[crypto] Ledger Lane is silent"
    assert letter["Message-ID"] == "<k1-1@headwater.invalid>"
    assert letter["To"] == "ops@office.example"
    assert "Nothing new for 30 hours." in letter.get_payload()


def test_a_cleared_alarm_is_reported_as_over(post_office: MailReceiver):
    mail(post_office).send([envelope(replace(ALARM, cleared_at=NOW, revision=2))])
    assert post_office.letters[0]["Subject"] == "[crypto] cleared: Ledger Lane is silent"


def test_c37_several_at_once_are_one_letter(post_office: MailReceiver):
    sink = mail(post_office)
    sink.send([envelope(key="k1"), envelope(DOCUMENT, key="k2")])
    sink.send([envelope(key="k1"), envelope(DOCUMENT, key="k2")])
    first, second = post_office.letters
    assert first["Message-ID"] == second["Message-ID"]
    assert first["Subject"].endswith("(and 1 more)")
    assert "https://wire.example/1" in first.get_payload()


def test_c38_a_headline_cannot_add_headers(post_office: MailReceiver):
    mail(post_office).send([envelope(replace(ALARM, title="x\r\nBcc: all@office.example\r\n\r\nbody"))])
    (letter,) = post_office.letters
    assert letter["Bcc"] is None
    assert letter["Subject"] == "[crypto] x Bcc: all@office.example body"


def test_a_server_without_starttls_is_not_sent_the_letter_and_the_setting_is_named(post_office: MailReceiver):
    with pytest.raises(Temporary, match=r"does not offer STARTTLS.*`security: tls` or `none`"):
        mail(post_office, security="starttls").send([envelope()])
    assert post_office.letters == []


def test_a_letter_is_sent_after_logging_in(post_office: MailReceiver):
    mail(post_office, user="operator", password="s3cr3t").send([envelope()])
    assert len(post_office.logins) == 1
    assert len(post_office.letters) == 1


@pytest.mark.parametrize(
    ("refused", "kind", "reason"),
    [
        ({"RCPT": "550 no such s3cr3t"}, Permanent, "mail_refused"),
        ({"MAIL": "451 later"}, Temporary, "mail_postponed"),
        ({"AUTH": "535 wrong s3cr3t"}, Permanent, "mail_refused"),
    ],
)
def test_c37_what_a_mail_server_answers_decides(
    post_office: MailReceiver, refused: dict[str, str], kind: type[HeadwaterError], reason: str
):
    post_office.refuse = refused
    with pytest.raises(kind) as raised:
        mail(post_office, user="operator", password="s3cr3t").send([envelope()])
    assert raised.value.reason == reason
    assert "s3cr3t" not in str(raised.value)
    assert post_office.letters == []


def test_a_server_that_never_answers_is_abandoned(post_office: MailReceiver):
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        sink = replace(mail(post_office), port=mute.getsockname()[1], seconds=0.2, longest=0.1)
        with pytest.raises(Temporary, match="receiver_unreachable"):
            sink.send([envelope()])


OFFICE = ("ada@office.example", "ben@office.example", "cleo@office.example")


def test_a_greylisted_recipient_gets_the_message_later_and_the_others_do_not_get_it_again(
    post_office: MailReceiver,
):
    sink = mail(post_office, recipients=OFFICE)
    post_office.refuse = {"ben@office.example": "451 greylisted"}
    (first,) = sink.send([envelope()])
    assert isinstance(first, PartlySent)
    assert first.detail == "postponed: ben@office.example (451)"
    assert (first.reason, first.delay) == ("mail_postponed", timedelta(minutes=1))
    (again,) = sink.send([replace(envelope(), progress=first.progress)])
    assert isinstance(again, PartlySent)
    post_office.refuse = {}
    (last,) = sink.send([replace(envelope(), progress=again.progress)])
    assert last == Sent("<k1-1@headwater.invalid>")
    assert post_office.received == [["ada@office.example", "cleo@office.example"], ["ben@office.example"]]


def test_a_refused_recipient_does_not_fail_the_others(post_office: MailReceiver):
    post_office.refuse = {"ben@office.example": "550 no such user"}
    sent = mail(post_office, recipients=OFFICE).send([envelope(key="k1"), envelope(DOCUMENT, key="k2")])
    assert [isinstance(answer, Sent) for answer in sent] == [True, True]
    assert "refused: ben@office.example (550)" in sent[0].receipt
    assert post_office.received == [["ada@office.example", "cleo@office.example"]]


def test_all_recipients_refused_is_a_failure(post_office: MailReceiver):
    post_office.refuse = dict.fromkeys(OFFICE, "550 no such user")
    with pytest.raises(Permanent, match="mail_refused"):
        mail(post_office, recipients=OFFICE).send([envelope()])


def test_an_envelope_with_progress_does_not_reach_those_who_lack_another(post_office: MailReceiver):
    sink = mail(post_office, recipients=OFFICE)
    post_office.refuse = {"ben@office.example": "451 greylisted"}
    (first,) = sink.send([envelope(key="k1")])
    post_office.refuse = {}
    answers = sink.send([replace(envelope(key="k1"), progress=first.progress), envelope(DOCUMENT, key="k2")])
    assert [type(answer) for answer in answers] == [Sent, PartlySent]
    sink.send([envelope(DOCUMENT, key="k2")])
    assert [len(recipients) for recipients in post_office.received] == [2, 1, 3]

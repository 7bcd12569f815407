"""Newsletters from mail folders: messages become leads with their text, and the folder is only read."""

import os
from email.message import EmailMessage
from email.utils import format_datetime

import pytest
from tests.support.poll_sessions import NOW, make_source, run_session, table

from headwater.model.errors import Permanent, Temporary
from headwater.sources import newsletters
from headwater.sources.newsletters import check_newsletters, discover_newsletters


def message(number: int, *, sender: str = "Tide Weekly <news@tide.example>", html: bool = True) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = sender, f"Número {number}: más energía"
    mail["Message-ID"], mail["Date"] = f"<{number}@tide.example>", format_datetime(NOW)
    mail["List-Id"] = "<weekly.tide.example>"
    mail.set_content(f"Plain text of issue {number}.")
    if html:
        mail.add_alternative(f"<p>Issue {number} about wind.</p>", subtype="html")
    return mail.as_bytes()


def poll(folder, watermark=None, **options):
    source = make_source("mail", "", options={"folder": str(folder), **options}, watermark=watermark or {})
    return run_session(discover_newsletters(source, NOW), table({}))


@pytest.fixture
def eml_folder(tmp_path):
    for number in (1, 2):
        (tmp_path / f"{number}.eml").write_bytes(message(number))
    (tmp_path / "notes.txt").write_text("not a message")
    return tmp_path


def test_every_message_of_a_folder_becomes_a_lead_with_its_text(eml_folder):
    leads = poll(eml_folder).leads
    assert sorted(lead.identity for lead in leads) == ["<1@tide.example>", "<2@tide.example>"]
    lead = min(leads, key=lambda lead: lead.identity)
    assert (lead.title, lead.published, lead.body_type) == ("Número 1: más energía", NOW, "text/html")
    assert lead.body is not None
    assert "Issue 1 about wind." in lead.body
    assert (lead.hints["publisher"], lead.hints["attributes"]["sender"]) == (
        "Tide Weekly",
        "news@tide.example",
    )


def test_a_maildir_is_read_and_never_changed(tmp_path):
    for name in ("new", "cur", "tmp"):
        (tmp_path / name).mkdir()
    (tmp_path / "new" / "1700000000.a.host").write_bytes(message(1))
    (tmp_path / "cur" / "1700000001.b.host:2,S").write_bytes(message(2, html=False))
    (tmp_path / "tmp" / "half").write_bytes(b"Fro")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    leads = poll(tmp_path).leads
    assert {lead.body_type for lead in leads} == {"text/html", "text/plain"}
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_only_messages_of_the_named_senders_are_taken(eml_folder):
    (eml_folder / "3.eml").write_bytes(message(3, sender="Spam <x@spam.example>"))
    assert len(poll(eml_folder).leads) == 3
    assert len(poll(eml_folder, senders="@TIDE.example").leads) == 2


def test_a_poll_that_was_cut_short_continues_where_it_ended(eml_folder, monkeypatch):
    for number in range(3, 8):
        (eml_folder / f"{number}.eml").write_bytes(message(number))
    for path in eml_folder.iterdir():
        os.utime(path, (1_000_000, 1_000_000))  # a folder that was copied: all have the same time
    monkeypatch.setattr(newsletters, "MOST_MESSAGES", 3)
    identities, watermark, polls = [], {}, 0
    while polls == 0 or "resume" in watermark:
        result = poll(eml_folder, watermark)
        identities += [lead.identity for lead in result.leads]
        watermark, polls = result.discovery.watermark, polls + 1
    assert sorted(identities) == [f"<{number}@tide.example>" for number in range(1, 8)]
    assert polls == 3


def test_damaged_and_huge_messages_are_reported_and_stop_no_other(eml_folder, monkeypatch):
    (eml_folder / "damaged.eml").write_bytes(
        b"Subject: =?utf-8?b?\xff\xfe?=\r\nContent-Type: multipart/mixed; boundary=\xff\r\n\r\n--\xff\r\n"
    )
    (eml_folder / "empty.eml").write_bytes(b"")
    (eml_folder / "charset.eml").write_bytes(
        b"From: a@b.example\r\nSubject: x\r\nContent-Type: text/plain; charset=klingon\r\n\r\nCaf\xe9 abierto\r\n"
    )
    monkeypatch.setattr(newsletters, "LARGEST_MESSAGE", 5_000)
    (eml_folder / "huge.eml").write_bytes(message(9) + b"x" * 5_000)
    result = poll(eml_folder)
    assert {"<1@tide.example>", "<2@tide.example>"} < {lead.identity for lead in result.leads}
    assert "message_too_large" in result.codes
    assert any(lead.body and "Café" in lead.body for lead in result.leads)


def test_a_folder_that_is_missing_may_appear_and_an_unnamed_one_is_a_mistake(tmp_path):
    with pytest.raises(Temporary, match="no folder"):
        poll(tmp_path / "later")
    with pytest.raises(Permanent, match="folder: "):
        check_newsletters(make_source("mail", "", options={}))

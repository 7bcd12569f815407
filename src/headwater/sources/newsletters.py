"""Newsletters: the messages of a mail folder (Maildir, or a folder of .eml files) as leads that carry their text."""

import email
import email.policy
import os
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import parseaddr
from hashlib import sha256
from pathlib import Path
from typing import Any

from headwater.model.errors import Permanent, Temporary
from headwater.model.outcomes import ExtractHints
from headwater.model.recipe import Discovery, LeadBatch, Parse, PollSession
from headwater.model.source import Lead, Source
from headwater.model.warning_log import WarningLog
from headwater.sources.options import bad_option, list_option
from headwater.text.charset import decode_plain_text
from headwater.text.dates import parse_mail_date
from headwater.text.letters import to_one_line
from headwater.text.written_dates import plausible_date

LARGEST_MESSAGE = 16 * 1024 * 1024
MOST_MESSAGES = 10_000
BATCH = 200
LONGEST_HEADER = 2_000
# Files can be copied into a folder with an older time than the newest one there.
LEEWAY = timedelta(days=2)
MAILDIR_FOLDERS = ("new", "cur")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsletterMessage:
    """A message as it comes out of the sandbox; headers are decoded."""

    identity: str
    sender: str
    subject: str
    list_id: str
    archived_at: str
    sent_at: datetime | None
    body: str
    body_type: str


def discover_newsletters(source: Source, now: datetime) -> PollSession:
    """A lead for every message in the folder, with its text; no requests, and the folder is never changed."""
    folder, senders = _folder(source), tuple(map(str.casefold, list_option(source.options, "senders")))
    warnings = WarningLog()
    files = _unread_messages(folder, source.watermark)
    newest, batch = float(source.watermark.get("modified", 0)), list[Lead]()
    for path, modified in files[:MOST_MESSAGES]:
        lead = yield from _read_message(path, senders, source, now, warnings)
        newest = max(newest, modified)
        if lead is not None:
            batch.append(lead)
        if len(batch) >= BATCH:
            yield LeadBatch(tuple(batch))
            batch = []
    watermark: dict[str, Any] = {"modified": newest}
    if len(files) > MOST_MESSAGES:
        last_path, last_modified = files[MOST_MESSAGES - 1]
        watermark["resume"] = [last_modified, last_path.name]
    return Discovery(
        leads=tuple(batch),
        watermark=watermark,
        again=timedelta(0) if "resume" in watermark else None,
        warnings=warnings.lines(),
    )


def check_newsletters(source: Source) -> None:
    """Raises Permanent if the options are wrong. A folder that does not exist yet is no mistake."""
    if not isinstance(source.options.get("folder"), str) or not source.options["folder"]:
        raise bad_option("folder", "name a Maildir, or a folder with .eml files")
    list_option(source.options, "senders")


def _folder(source: Source) -> Path:
    check_newsletters(source)
    folder = Path(str(source.options["folder"])).expanduser()
    if not folder.is_dir():
        raise Temporary("missing_folder", f"there is no folder {folder}")
    return folder


def _unread_messages(folder: Path, watermark: Mapping[str, Any]) -> list[tuple[Path, float]]:
    """The messages to read, the oldest first: those after the last one of a poll that was cut short, else those that
    changed since the last poll."""
    files = sorted(_all_messages(folder), key=_position)
    if resume := watermark.get("resume"):
        return [file for file in files if _position(file) > tuple(resume)]
    since = float(watermark.get("modified", 0)) - LEEWAY.total_seconds()
    return [file for file in files if file[1] >= since]


def _position(file: tuple[Path, float]) -> tuple[float, str]:
    path, modified = file
    return modified, path.name


def _all_messages(folder: Path) -> Iterator[tuple[Path, float]]:
    is_maildir = all((folder / name).is_dir() for name in MAILDIR_FOLDERS)
    folders = [folder / name for name in MAILDIR_FOLDERS] if is_maildir else [folder]
    for place in folders:
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False) and (
                    is_maildir or entry.name.lower().endswith(".eml")
                ):
                    yield Path(entry.path), entry.stat(follow_symlinks=False).st_mtime


def _read_message(
    path: Path, senders: tuple[str, ...], source: Source, now: datetime, warnings: WarningLog
) -> Generator[Parse, NewsletterMessage, Lead | None]:
    try:
        if path.stat().st_size > LARGEST_MESSAGE:
            warnings("message_too_large", path.name)
            return None
        data = path.read_bytes()
    except OSError as error:  # another program moved it; the next poll sees it under its new name
        warnings("message_unreadable", f"{path.name}: {error.strerror}")
        return None
    try:
        message = yield Parse(parse_untrusted_message, data)
    except Permanent as error:
        warnings("message_malformed", f"{path.name}: {error.reason}")
        return None
    return lead_from_message(message, senders, source, now, warnings)


def lead_from_message(
    message: NewsletterMessage, senders: tuple[str, ...], source: Source, now: datetime, warnings: WarningLog
) -> Lead | None:
    """Returns None for a message of another sender, and warns of one without text."""
    sender_name, sender = parseaddr(message.sender)
    if senders and not any(part in sender.casefold() for part in senders):
        return None
    if not message.body.strip():
        warnings("message_without_text", message.subject)
        return None
    hints: dict[str, Any] = {
        "guid": message.identity,
        "authors": [sender_name] if sender_name else [],
        "publisher": sender_name or sender,
        "attributes": {"sender": sender, **({"list": message.list_id} if message.list_id else {})},
    }
    return Lead(
        identity=message.identity,
        url=message.archived_at,
        title=message.subject or None,
        published=plausible_date(message.sent_at, now, warnings),
        body=message.body,
        body_type=message.body_type,
        hints={name: value for name, value in hints.items() if value},
        subject=source.subject,
    )


def parse_untrusted_message(data: bytes, hints: ExtractHints) -> NewsletterMessage:
    """For the sandbox. A message that cannot be parsed raises what the library raises."""
    del hints
    message = email.message_from_bytes(data, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    body, body_type = _body(message)
    return NewsletterMessage(
        identity=_header(message, "Message-ID") or sha256(data).hexdigest(),
        sender=_header(message, "From"),
        subject=_header(message, "Subject"),
        list_id=_header(message, "List-Id"),
        archived_at=_archived_at(message),
        sent_at=_sent_at(message),
        body=body,
        body_type=body_type,
    )


def _header(message: EmailMessage, name: str) -> str:
    """A decoded header in one line. A damaged one is decoded as far as it goes."""
    try:
        return to_one_line(str(message.get(name, "")))[:LONGEST_HEADER]
    except (ValueError, LookupError, AttributeError, TypeError):
        return ""


def _sent_at(message: EmailMessage) -> datetime | None:
    moment = parse_mail_date(_header(message, "Date"))
    return None if moment is None else moment.astimezone(UTC)


def _archived_at(message: EmailMessage) -> str:
    """The address of the message on the web, which some lists name."""
    address = _header(message, "Archived-At").strip("<> ")
    return address if address.startswith(("http://", "https://")) else ""


def _body(message: EmailMessage) -> tuple[str, str]:
    part = message.get_body(("html", "plain"))
    if part is None:
        return "", "text/plain"
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    text = _decode(data, part.get_content_charset())
    return text, "text/html" if part.get_content_subtype() == "html" else "text/plain"


def _decode(data: bytes, charset: str | None) -> str:
    try:
        return data.decode(charset or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return decode_plain_text(data, None)

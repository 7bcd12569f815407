"""E-mail: the headers as metadata, the readable body, the attachments by name."""

import binascii
import email
import email.policy
import email.utils
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from typing import Any

from headwater.extract.html.reader import read_html
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.text.charset import decode_plain_text
from headwater.text.dates import parse_mail_date
from headwater.text.letters import to_one_line
from headwater.text.sniffing import MAIL

LARGEST = 64_000_000
MOST_PARTS = 500
_LONGEST_HEADER = 20_000


def read_mail(data: bytes, hints: ExtractHints) -> Reading | Unreadable:
    if len(data) > LARGEST:
        return Unreadable("too_large", f"{len(data)} bytes; at most {LARGEST} are read")
    try:
        message = email.message_from_bytes(data, policy=email.policy.compat32)
        parts = _leaves(message)
    except (RecursionError, ValueError, IndexError, LookupError) as error:
        return Unreadable("malformed", f"{type(error).__name__}: {error}"[:200])
    text, plain, links = _body(parts, hints)
    attachments = [_attachment(part) for part in parts if _is_attachment(part)]
    if not text:
        kind = f"{len(attachments)} attachments, no text" if attachments else ""
        return Unreadable("no_text", kind)
    about = {name: value for name, value in _about(message).items() if value}
    return Reading(
        text=text,
        plain=plain,
        links=links,
        media_type=MAIL,
        method="mail",
        confidence=1.0,
        attributes={"mail": _headers(message), **({"attachments": attachments} if attachments else {})},
        origins={"text": "mail body", **dict.fromkeys(about, "mail header")},
        **about,
    )


def _leaves(message: Message) -> list[Message]:
    """The parts that contain no parts; an attached message counts as one and is not opened."""
    leaves: list[Message] = []
    pending = [message]
    while pending and len(leaves) < MOST_PARTS:
        part = pending.pop(0)
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            pending[:0] = [inner for inner in payload if isinstance(inner, Message)]
        else:
            leaves.append(part)
    return leaves


def _is_attachment(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text"


def _attachment(part: Message) -> dict[str, Any]:
    payload = part.get_payload()
    size = len(payload) if isinstance(payload, str) else 0
    return {"name": _filename(part), "media_type": part.get_content_type(), "encoded_size": size}


def _filename(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except (LookupError, UnicodeError, ValueError, TypeError):
        return ""
    return to_one_line(_decode_words(name))[:255].replace("/", "_").replace("\\", "_")


def _body(parts: list[Message], hints: ExtractHints) -> tuple[str, str, tuple[str, ...]]:
    """The plain text if there is any, else the HTML part."""
    inline = [part for part in parts if not _is_attachment(part)]
    texts = [part for part in inline if part.get_content_subtype() != "html"]
    plain = "\n\n".join(text for part in texts if (text := _plain(part)))
    if plain:
        return plain, plain, ()
    for part in inline:
        if part.get_content_subtype() == "html":
            page = read_html(_payload(part), ExtractHints(url=hints.url, media_type=_content_type(part)))
            if isinstance(page, Reading):
                return page.text, page.plain, page.links
    return "", "", ()


def _plain(part: Message) -> str:
    return decode_plain_text(_payload(part), _content_type(part)).strip()


def _payload(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, binascii.Error, UnicodeError, TypeError):
        payload = None
    return payload if isinstance(payload, bytes) else b""


def _content_type(part: Message) -> str:
    return str(part.get("Content-Type", "text/plain"))[:1000]


def _about(message: Message) -> dict[str, Any]:
    people = _people(message, "From")
    return {
        "title": _header(message, "Subject"),
        "authors": tuple(name or address for name, address in people),
        "published": parse_mail_date(_header(message, "Date")),
        "language": _header(message, "Content-Language"),
    }


def _headers(message: Message) -> dict[str, Any]:
    headers: dict[str, Any] = {
        name: [{"name": person, "address": address} for person, address in people]
        for name in ("from", "to", "cc", "reply-to")
        if (people := _people(message, name))
    }
    for name in ("message-id", "in-reply-to", "references", "list-id"):
        if value := _header(message, name):
            headers[name] = value
    return headers


def _people(message: Message, name: str) -> list[tuple[str, str]]:
    text = _raw(message, name)
    try:
        pairs = email.utils.getaddresses([text]) if text else []
    except (IndexError, ValueError, TypeError):
        return []
    return [
        (to_one_line(_decode_words(person)), to_one_line(address))
        for person, address in pairs
        if person or address
    ]


def _header(message: Message, name: str) -> str:
    return to_one_line(_decode_words(_raw(message, name)))


def _raw(message: Message, name: str) -> str:
    """The header as written; bytes outside ASCII are read as UTF-8."""
    values = (value for key, value in message.raw_items() if key.lower() == name.lower())
    value = str(next(values, ""))[:_LONGEST_HEADER]
    return value if value.isascii() else value.encode("ascii", "surrogateescape").decode("utf-8", "replace")


def _decode_words(text: str) -> str:
    """Encoded words decoded; what cannot be decoded stays."""
    if "=?" not in text:
        return text
    try:
        parts = decode_header(text)
    except (HeaderParseError, binascii.Error, ValueError):
        return text
    return "".join(part if isinstance(part, str) else _decode_bytes(part, charset) for part, charset in parts)


def _decode_bytes(data: bytes, charset: str | None) -> str:
    try:
        return data.decode(charset or "utf-8", "replace")
    except (LookupError, UnicodeError):
        return data.decode("latin-1")

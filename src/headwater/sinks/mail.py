"""Delivers records by e-mail. Records of one batch go into one message. Each recipient gets it once, whatever happens to the
others."""

import json
import smtplib
import ssl
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime

from headwater.model.errors import Permanent, Temporary
from headwater.model.keys import key
from headwater.model.outcomes import PartlySent, Sent
from headwater.model.ports import Clock
from headwater.model.recipe import Envelope
from headwater.sinks.http_endpoint import RETRY_DELAY
from headwater.sinks.message import MOST_LISTED, headline, message_of, single_line

SMTP_SECONDS = 15.0
LONGEST_SEND_SECONDS = 60.0
PERMANENT_CODE = 500
"""Reply codes from here on are final; smaller ones mean: try again later."""


@dataclass(frozen=True)
class MailProgress:
    """The recipients that have the message, and those that were refused for good, with the reply code."""

    accepted: tuple[str, ...] = ()
    refused: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "MailProgress":
        values = json.loads(text) if text else {}
        return cls(tuple(values.get("accepted", ())), dict(values.get("refused", {})))

    def write(self) -> str:
        return json.dumps({"accepted": list(self.accepted), "refused": dict(self.refused)})

    @property
    def finished(self) -> frozenset[str]:
        return frozenset((*self.accepted, *self.refused))


@dataclass(frozen=True, kw_only=True)
class MailSink:
    """`security` is starttls, tls or none. The Message-ID is made of the envelopes' keys, so that the same mail sent
    twice is known as one. A mail for several records refers to the key of each: after a kill, one of them may come again beside
    others."""

    host: str
    port: int
    sender: str
    recipients: tuple[str, ...]
    clock: Clock
    security: str = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    seconds: float = SMTP_SECONDS
    longest: float = LONGEST_SEND_SECONDS

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent | PartlySent]:
        """Sends one message to the recipients that the first envelope still lacks. Envelopes with other recipients wait."""
        first = envelopes[0].progress
        progress = MailProgress.read(first)
        recipients = [recipient for recipient in self.recipients if recipient not in progress.finished]
        mail = self._mail([envelope for envelope in envelopes if envelope.progress == first])
        outcome = self._outcome(mail, progress, self._transmit(mail, recipients) if recipients else {})
        return [
            outcome
            if envelope.progress == first
            else PartlySent(progress=envelope.progress, reason="other_recipients_first")
            for envelope in envelopes
        ]

    def _outcome(
        self, mail: EmailMessage, progress: "MailProgress", refused: Mapping[str, int]
    ) -> Sent | PartlySent:
        """`refused` are the reply codes of this attempt by recipient; the other recipients have the message."""
        postponed = [recipient for recipient, code in refused.items() if code < PERMANENT_CODE]
        after = MailProgress(
            accepted=tuple(r for r in self.recipients if r not in refused and r not in progress.refused),
            refused={**progress.refused} | {r: code for r, code in refused.items() if code >= PERMANENT_CODE},
        )
        if postponed:
            codes = {recipient: refused[recipient] for recipient in postponed}
            detail = "; ".join(
                f"{what}: {_with_codes(recipients)}"
                for what, recipients in (("postponed", codes), ("refused", after.refused))
                if recipients
            )
            return PartlySent(
                progress=after.write(), reason="mail_postponed", detail=detail, delay=RETRY_DELAY
            )
        if not after.accepted:
            raise self._error_for(min(after.refused.values()))
        refusals = _with_codes(after.refused)
        return Sent(f"{mail['Message-ID']}{'; refused: ' if refusals else ''}{refusals}")

    def _transmit(self, mail: EmailMessage, recipients: Sequence[str]) -> Mapping[str, int]:
        # In its own thread: a server that sends a byte now and then could hold a worker for ever.
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
        try:
            return pool.submit(self._deliver, mail, recipients).result(timeout=self.longest)
        except FutureTimeoutError as error:
            raise self._unreachable("TimeoutError") from error
        finally:
            pool.shutdown(wait=False)

    def _mail(self, envelopes: Sequence[Envelope]) -> EmailMessage:
        messages = [message_of(envelope) for envelope in envelopes]
        name = (
            envelopes[0].key
            if len(envelopes) == 1
            else key("mail", *(envelope.key for envelope in envelopes))
        )
        mail = EmailMessage()
        mail["From"] = single_line(self.sender)
        mail["To"] = ", ".join(single_line(recipient) for recipient in self.recipients)
        mail["Subject"] = headline(messages)
        mail["Date"] = format_datetime(self.clock())
        mail["Message-ID"] = _message_id(name)
        if len(envelopes) > 1:
            mail["References"] = " ".join(_message_id(envelope.key) for envelope in envelopes)
        mail["Auto-Submitted"] = "auto-generated"
        texts = ["\n".join(p for p in (m.title, m.text, m.url) if p) for m in messages[:MOST_LISTED]]
        if len(messages) > MOST_LISTED:
            texts.append(f"and {len(messages) - MOST_LISTED} more")
        mail.set_content("\n\n".join(texts) + "\n")
        return mail

    def _deliver(self, mail: EmailMessage, recipients: Sequence[str]) -> Mapping[str, int]:
        """Returns the reply code of each recipient that was refused."""
        try:
            with self._server() as server:
                if self.security == "starttls":
                    server.starttls(context=ssl.create_default_context())
                if self.user:
                    server.login(self.user, self.password)
                refused = server.send_message(mail, to_addrs=list(recipients))
        except smtplib.SMTPRecipientsRefused as error:
            refused = error.recipients
        except smtplib.SMTPResponseException as error:
            raise self._error_for(error.smtp_code) from error
        except smtplib.SMTPNotSupportedError as error:
            problem = "it does not offer STARTTLS or a login that `security` and `user` ask for; set `security: tls` or `none`"
            raise self._unreachable(problem) from error
        except (smtplib.SMTPException, OSError) as error:
            raise self._unreachable(type(error).__name__) from error
        return {recipient: code for recipient, (code, _) in refused.items()}

    def _server(self) -> smtplib.SMTP:
        if self.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.seconds, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=self.seconds)

    def _error_for(self, code: int) -> Temporary | Permanent:
        """Only the reply code is reported: the text of the reply may repeat what was sent."""
        detail = f"{self.host} answered {code}"
        if code >= PERMANENT_CODE:
            return Permanent("mail_refused", detail)
        return Temporary("mail_postponed", detail, delay=RETRY_DELAY, counts=False)

    def _unreachable(self, error: str) -> Temporary:
        return Temporary("receiver_unreachable", f"{self.host}: {error}", delay=RETRY_DELAY, counts=False)


def _message_id(name: str) -> str:
    return f"<{name}@headwater.invalid>"


def _with_codes(codes: Mapping[str, int]) -> str:
    """The recipients, each with the code of the server's reply."""
    return ", ".join(f"{recipient} ({code})" for recipient, code in codes.items())

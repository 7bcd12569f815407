"""Messages by e-mail. What came at the same time is one letter."""

import smtplib
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as TooSlow
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime

from headwater.model.errors import Permanent, Temporary
from headwater.model.keys import key
from headwater.model.outcomes import Sent
from headwater.model.ports import Clock
from headwater.model.recipe import Envelope
from headwater.sinks.http_endpoint import RETRY_DELAY
from headwater.sinks.message import MOST_LISTED, headline, message_of, single_line

SMTP_SECONDS = 15.0
LONGEST_SEND_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class MailSink:
    """`security` is starttls, tls or none. The Message-ID is made of the parcels' keys, so that the same letter sent
    twice is known as one."""

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

    def send(self, envelopes: Sequence[Envelope]) -> Sequence[Sent]:
        letter = self._letter(envelopes)
        # In a thread of its own: a server that sends a word now and then would hold a worker for ever.
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
        try:
            pool.submit(self._deliver, letter).result(timeout=self.longest)
        except TooSlow as error:
            raise self._later("TimeoutError") from error
        finally:
            pool.shutdown(wait=False)
        return [Sent(str(letter["Message-ID"]))] * len(envelopes)

    def _letter(self, envelopes: Sequence[Envelope]) -> EmailMessage:
        messages = [message_of(envelope) for envelope in envelopes]
        name = (
            envelopes[0].key
            if len(envelopes) == 1
            else key("letter", *(envelope.key for envelope in envelopes))
        )
        letter = EmailMessage()
        letter["From"] = single_line(self.sender)
        letter["To"] = ", ".join(single_line(recipient) for recipient in self.recipients)
        letter["Subject"] = headline(messages)
        letter["Date"] = format_datetime(self.clock())
        letter["Message-ID"] = f"<{name}@headwater.invalid>"
        letter["Auto-Submitted"] = "auto-generated"
        shown = ["\n".join(p for p in (m.title, m.text, m.url) if p) for m in messages[:MOST_LISTED]]
        if len(messages) > MOST_LISTED:
            shown.append(f"and {len(messages) - MOST_LISTED} more")
        letter.set_content("\n\n".join(shown) + "\n")
        return letter

    def _deliver(self, letter: EmailMessage) -> None:
        try:
            with self._server() as server:
                if self.security == "starttls":
                    server.starttls(context=ssl.create_default_context())
                if self.user:
                    server.login(self.user, self.password)
                refused = server.send_message(letter)
        except smtplib.SMTPRecipientsRefused as error:
            raise self._answered(min(code for code, _ in error.recipients.values())) from error
        except smtplib.SMTPResponseException as error:
            raise self._answered(error.smtp_code) from error
        except (smtplib.SMTPException, OSError) as error:
            raise self._later(type(error).__name__) from error
        if refused:
            raise Permanent("recipient_refused", f"{self.host} took no letter for {len(refused)} recipients")

    def _server(self) -> smtplib.SMTP:
        if self.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.seconds, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=self.seconds)

    def _answered(self, code: int) -> Temporary | Permanent:
        """The server's own words may repeat what it was sent: only its number is told."""
        told = f"{self.host} answered {code}"
        if code >= 500:
            return Permanent("mail_refused", told)
        return Temporary("mail_postponed", told, delay=RETRY_DELAY, counts=False)

    def _later(self, what: str) -> Temporary:
        return Temporary("receiver_unreachable", f"{self.host}: {what}", delay=RETRY_DELAY, counts=False)

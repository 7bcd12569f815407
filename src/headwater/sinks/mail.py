"""Delivers records by e-mail. Records of one batch go into one message."""

import smtplib
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
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
    """`security` is starttls, tls or none. The Message-ID is made of the parcels' keys, so that the same mail sent
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
        mail = self._mail(envelopes)
        # In its own thread: a server that sends a byte now and then could hold a worker for ever.
        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
        try:
            pool.submit(self._deliver, mail).result(timeout=self.longest)
        except FutureTimeoutError as error:
            raise self._unreachable("TimeoutError") from error
        finally:
            pool.shutdown(wait=False)
        return [Sent(str(mail["Message-ID"]))] * len(envelopes)

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
        mail["Message-ID"] = f"<{name}@headwater.invalid>"
        mail["Auto-Submitted"] = "auto-generated"
        texts = ["\n".join(p for p in (m.title, m.text, m.url) if p) for m in messages[:MOST_LISTED]]
        if len(messages) > MOST_LISTED:
            texts.append(f"and {len(messages) - MOST_LISTED} more")
        mail.set_content("\n\n".join(texts) + "\n")
        return mail

    def _deliver(self, mail: EmailMessage) -> None:
        try:
            with self._server() as server:
                if self.security == "starttls":
                    server.starttls(context=ssl.create_default_context())
                if self.user:
                    server.login(self.user, self.password)
                refused = server.send_message(mail)
        except smtplib.SMTPRecipientsRefused as error:
            raise self._error_for(min(code for code, _ in error.recipients.values())) from error
        except smtplib.SMTPResponseException as error:
            raise self._error_for(error.smtp_code) from error
        except (smtplib.SMTPException, OSError) as error:
            raise self._unreachable(type(error).__name__) from error
        if refused:
            raise Permanent("recipient_refused", f"{self.host} refused {len(refused)} recipients")

    def _server(self) -> smtplib.SMTP:
        if self.security == "tls":
            context = ssl.create_default_context()
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.seconds, context=context)
        return smtplib.SMTP(self.host, self.port, timeout=self.seconds)

    def _error_for(self, code: int) -> Temporary | Permanent:
        """Only the reply code is reported: the text of the reply may repeat what was sent."""
        detail = f"{self.host} answered {code}"
        if code >= 500:
            return Permanent("mail_refused", detail)
        return Temporary("mail_postponed", detail, delay=RETRY_DELAY, counts=False)

    def _unreachable(self, error: str) -> Temporary:
        return Temporary("receiver_unreachable", f"{self.host}: {error}", delay=RETRY_DELAY, counts=False)

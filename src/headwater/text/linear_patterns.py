"""Regular expressions that users write: matched in time proportional to the text, whatever the expression is."""

import re2


class BadPattern(ValueError):
    """The text is not a pattern that can be matched in linear time; the message says why."""


class LinearPattern:
    """A pattern in the syntax of RE2: that of `re` without look-around and references back. A pattern such as `(a+)+$` would
    occupy `re` for hours, and it cannot be interrupted."""

    def __init__(self, text: str) -> None:
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        try:
            self._pattern = re2.compile(text.encode(), options)
        except re2.error as error:
            reason = error.args[0] if error.args else ""
            raise BadPattern(
                reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
            ) from error
        except UnicodeEncodeError as error:
            raise BadPattern("it is not Unicode") from error

    def is_in(self, text: str) -> bool:
        """Whether a part of the text matches."""
        return self._pattern.search(text.encode("utf-8", "surrogatepass")) is not None

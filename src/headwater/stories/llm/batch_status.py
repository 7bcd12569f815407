"""What the status of a batch at the endpoint means for its requests."""

from collections.abc import Iterable

from headwater.model.summaries import RemoteBatch

FINAL_STATUSES = frozenset({"completed", "failed", "expired", "cancelled"})
# The same line may succeed in another batch; every other error is final.
TRANSIENT_CODES = frozenset({"batch_expired", "rate_limit_exceeded", "server_error", "token_limit_exceeded"})
# The endpoint's queue is full: it did nothing, and no line is at fault.
QUEUE_FULL_CODES = frozenset({"token_limit_exceeded", "enqueued_token_limit_exceeded", "rate_limit_exceeded"})


def rejected_lines(batch: RemoteBatch, names: Iterable[str]) -> dict[str, str]:
    """The lines that failed the validation of a batch, by name, with their error code."""
    ordered = list(names)
    return {
        ordered[line - 1]: code or "invalid"
        for code, line in batch.errors
        if line is not None and 1 <= line <= len(ordered) and code not in TRANSIENT_CODES
    }


def batch_error_code(batch: RemoteBatch) -> str:
    """Why the endpoint did not accept a batch."""
    return next((code for code, _ in batch.errors if code), None) or batch.status


def is_queue_full(batch: RemoteBatch) -> bool:
    """Whether a batch failed as a whole because the endpoint's queue was full."""
    codes = {code for code, _ in batch.errors}
    completed = batch.counts.get("completed", 0)
    return batch.status == "failed" and not completed and bool(codes) and codes <= QUEUE_FULL_CODES

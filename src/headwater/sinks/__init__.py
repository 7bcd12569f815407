"""Where results are delivered: files, queue, webhook, Slack, mail."""

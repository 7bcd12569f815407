"""Beyond one machine: the same engine behind Celery. Needs the extra `cluster`; nothing else imports this folder."""

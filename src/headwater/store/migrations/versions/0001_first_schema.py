"""The first schema: the flow, what is known, and the quarantine."""

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import JsonColumn, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bands",
        sa.Column("space", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("band", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("document", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space", "band", "epoch", "document", name=op.f("pk_bands")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "bars",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("span", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("open", sa.Float(), nullable=True),
        sa.Column("high", sa.Float(), nullable=True),
        sa.Column("low", sa.Float(), nullable=True),
        sa.Column("close", sa.Float(), nullable=True),
        sa.Column("volume", sa.Float(), nullable=True),
        sa.Column("average", sa.Float(), nullable=True),
        sa.Column("trades", sa.BigInteger(), nullable=True),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("recipe", "symbol", "span", "at", name=op.f("pk_bars")),
    )
    op.create_table(
        "captures",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("lead_id", sa.String(length=64), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("final_url", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", JsonColumn, nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("fetched_at", UtcDateTime(), nullable=False),
        sa.Column("elapsed_ms", sa.Integer(), nullable=False),
        sa.Column("policy", JsonColumn, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_captures")),
    )
    with op.batch_alter_table("captures", schema=None) as batch_op:
        batch_op.create_index("ix_captures_lead", ["lead_id"], unique=False)
        batch_op.create_index("ix_captures_pack", ["pack"], unique=False)

    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("sent_revision", sa.Integer(), server_default="0", nullable=False),
        sa.Column("sent_at", UtcDateTime(), nullable=True),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index(
            "ix_deliveries_due",
            ["recipe", "due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )
        batch_op.create_index("ix_deliveries_recipe_state", ["recipe", "state"], unique=False)
        batch_op.create_index("ix_deliveries_record", ["record_id"], unique=False)

    op.create_table(
        "edges",
        sa.Column("from_id", sa.String(length=64), nullable=False),
        sa.Column("to_id", sa.String(length=64), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("evidence", JsonColumn, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("from_id", "to_id", "relation", name=op.f("pk_edges")),
    )
    with op.batch_alter_table("edges", schema=None) as batch_op:
        batch_op.create_index("ix_edges_to", ["to_id"], unique=False)

    op.create_table(
        "epochs",
        sa.Column("space", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space", name=op.f("pk_epochs")),
    )
    op.create_table(
        "facts",
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", JsonColumn, nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("record_id", "name", name=op.f("pk_facts")),
    )
    op.create_table(
        "fingerprints",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("recipe", "kind", "value", name=op.f("pk_fingerprints")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("fingerprints", schema=None) as batch_op:
        batch_op.create_index("ix_fingerprints_document", ["document_id"], unique=False)

    op.create_table(
        "groups",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
    )
    with op.batch_alter_table("groups", schema=None) as batch_op:
        batch_op.create_index(
            "ix_groups_due",
            ["recipe", "due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.create_table(
        "hosts",
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("next_at", UtcDateTime(), nullable=True),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("open_until", UtcDateTime(), nullable=True),
        sa.Column("state", JsonColumn, nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_hosts")),
    )
    op.create_table(
        "link_health",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("first_failed_at", UtcDateTime(), nullable=True),
        sa.Column("last_ok_at", UtcDateTime(), nullable=True),
        sa.Column("last_checked_at", UtcDateTime(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("final_url", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_health")),
    )
    with op.batch_alter_table("link_health", schema=None) as batch_op:
        batch_op.create_index(
            "ix_link_health_due",
            ["recipe", "due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )
        batch_op.create_index("ix_link_health_record", ["record_id"], unique=False)

    op.create_table(
        "quarantine",
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", JsonColumn, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("record_id", "task", name=op.f("pk_quarantine")),
    )
    op.create_table(
        "sentences",
        sa.Column("space", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sentence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("publisher", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("stories", sa.Integer(), nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space", "sentence", "publisher", name=op.f("pk_sentences")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("options", JsonColumn, nullable=False),
        sa.Column("trigger_seconds", sa.Float(), nullable=True),
        sa.Column("trigger_cron", sa.Text(), nullable=True),
        sa.Column("subject_id", sa.String(length=64), nullable=True),
        sa.Column("credibility", sa.Float(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("watermark", JsonColumn, nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("stopped", sa.Text(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("last_polled_at", UtcDateTime(), nullable=True),
        sa.Column("last_success_at", UtcDateTime(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
    )
    with op.batch_alter_table("sources", schema=None) as batch_op:
        batch_op.create_index(
            "ix_sources_due",
            ["recipe", "due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.create_table(
        "subjects",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("attributes", JsonColumn, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_subjects")),
    )
    op.create_table(
        "aliases",
        sa.Column("subject_id", sa.String(length=64), nullable=False),
        sa.Column("alias", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["subject_id"], ["subjects.id"], name=op.f("fk_aliases_subject_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("subject_id", "alias", name=op.f("pk_aliases")),
    )
    op.create_table(
        "leads",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("body_type", sa.Text(), nullable=False),
        sa.Column("hints", JsonColumn, nullable=False),
        sa.Column("subject_id", sa.String(length=64), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("fresh_until", UtcDateTime(), nullable=True),
        sa.Column("render", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("first_seen_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("fk_leads_source_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leads")),
    )
    with op.batch_alter_table("leads", schema=None) as batch_op:
        batch_op.create_index(
            "ix_leads_due",
            ["recipe", "due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )
        batch_op.create_index("ix_leads_recipe_state", ["recipe", "state"], unique=False)
        batch_op.create_index("ix_leads_source", ["source_id"], unique=False)
        batch_op.create_index(
            "uq_leads_document",
            ["document_id"],
            unique=True,
            sqlite_where=sa.text("state <> 'duplicate'"),
            postgresql_where=sa.text("state <> 'duplicate'"),
        )

    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("found", sa.Integer(), server_default="0", nullable=False),
        sa.Column("new", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("elapsed_ms", sa.Integer(), nullable=True),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("warnings", JsonColumn, nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_runs_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index("ix_runs_source_started", ["source_id", "started_at"], unique=False)

    op.create_table(
        "stories",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("group_id", sa.String(length=64), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("first_at", UtcDateTime(), nullable=True),
        sa.Column("last_at", UtcDateTime(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("attributes", JsonColumn, nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_stories_group_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stories")),
    )
    with op.batch_alter_table("stories", schema=None) as batch_op:
        batch_op.create_index("ix_stories_group", ["group_id"], unique=False)
        batch_op.create_index("ix_stories_recipe_last", ["recipe", "last_at"], unique=False)

    op.create_table(
        "documents",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("lead_id", sa.String(length=64), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("next_capture_id", sa.String(length=64), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("duplicate_of", sa.String(length=64), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), server_default="", nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("authors", JsonColumn, nullable=True),
        sa.Column("publisher", sa.Text(), server_default="", nullable=False),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("modified_at", UtcDateTime(), nullable=True),
        sa.Column("language", sa.Text(), server_default="", nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("keywords", JsonColumn, nullable=True),
        sa.Column("image", sa.Text(), server_default="", nullable=False),
        sa.Column("media_type", sa.Text(), server_default="", nullable=False),
        sa.Column("guid", sa.Text(), server_default="", nullable=False),
        sa.Column("group_id", sa.String(length=64), nullable=True),
        sa.Column("subjects", JsonColumn, nullable=True),
        sa.Column("quality", sa.Float(), nullable=True),
        sa.Column("attributes", JsonColumn, nullable=True),
        sa.Column("origins", JsonColumn, nullable=True),
        sa.Column("trail", JsonColumn, nullable=True),
        sa.Column("recipe_version", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["lead_id"], ["leads.id"], name=op.f("fk_documents_lead_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
    )
    with op.batch_alter_table("documents", schema=None) as batch_op:
        batch_op.create_index(
            "ix_documents_due",
            ["recipe", "due_at"],
            unique=False,
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )
        batch_op.create_index("ix_documents_group", ["group_id"], unique=False)
        batch_op.create_index("ix_documents_lead", ["lead_id"], unique=False)
        batch_op.create_index("ix_documents_number", ["number"], unique=False)
        batch_op.create_index("ix_documents_recipe_published", ["recipe", "published_at"], unique=False)
        batch_op.create_index("ix_documents_recipe_state", ["recipe", "state"], unique=False)

    op.create_table(
        "members",
        sa.Column("story_id", sa.String(length=64), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"], ["stories.id"], name=op.f("fk_members_story_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("story_id", "document_id", name=op.f("pk_members")),
    )
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.create_index("ix_members_document", ["document_id"], unique=False)

    op.create_table(
        "mentions",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("subject_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("offsets", JsonColumn, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_mentions_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "subject_id", name=op.f("pk_mentions")),
    )
    with op.batch_alter_table("mentions", schema=None) as batch_op:
        batch_op.create_index("ix_mentions_subject", ["subject_id"], unique=False)

    op.create_table(
        "revisions",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("modified_at", UtcDateTime(), nullable=True),
        sa.Column("trail", JsonColumn, nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_revisions_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "revision", name=op.f("pk_revisions")),
    )
    op.create_table(
        "topics",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("scheme", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_topics_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "scheme", "code", name=op.f("pk_topics")),
    )
    op.create_table(
        "vectors",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("dimensions", sa.Integer(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_vectors_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "model", name=op.f("pk_vectors")),
    )


def downgrade() -> None:
    op.drop_table("vectors")
    op.drop_table("topics")
    op.drop_table("revisions")
    with op.batch_alter_table("mentions", schema=None) as batch_op:
        batch_op.drop_index("ix_mentions_subject")

    op.drop_table("mentions")
    with op.batch_alter_table("members", schema=None) as batch_op:
        batch_op.drop_index("ix_members_document")

    op.drop_table("members")
    with op.batch_alter_table("documents", schema=None) as batch_op:
        batch_op.drop_index("ix_documents_recipe_state")
        batch_op.drop_index("ix_documents_recipe_published")
        batch_op.drop_index("ix_documents_number")
        batch_op.drop_index("ix_documents_lead")
        batch_op.drop_index("ix_documents_group")
        batch_op.drop_index(
            "ix_documents_due",
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.drop_table("documents")
    with op.batch_alter_table("stories", schema=None) as batch_op:
        batch_op.drop_index("ix_stories_recipe_last")
        batch_op.drop_index("ix_stories_group")

    op.drop_table("stories")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index("ix_runs_source_started")

    op.drop_table("runs")
    with op.batch_alter_table("leads", schema=None) as batch_op:
        batch_op.drop_index(
            "uq_leads_document",
            sqlite_where=sa.text("state <> 'duplicate'"),
            postgresql_where=sa.text("state <> 'duplicate'"),
        )
        batch_op.drop_index("ix_leads_source")
        batch_op.drop_index("ix_leads_recipe_state")
        batch_op.drop_index(
            "ix_leads_due",
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.drop_table("leads")
    op.drop_table("aliases")
    op.drop_table("subjects")
    with op.batch_alter_table("sources", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_sources_due",
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.drop_table("sources")
    op.drop_table("sentences")
    op.drop_table("quarantine")
    with op.batch_alter_table("link_health", schema=None) as batch_op:
        batch_op.drop_index("ix_link_health_record")
        batch_op.drop_index(
            "ix_link_health_due",
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.drop_table("link_health")
    op.drop_table("hosts")
    with op.batch_alter_table("groups", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_groups_due",
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.drop_table("groups")
    with op.batch_alter_table("fingerprints", schema=None) as batch_op:
        batch_op.drop_index("ix_fingerprints_document")

    op.drop_table("fingerprints")
    op.drop_table("facts")
    op.drop_table("epochs")
    with op.batch_alter_table("edges", schema=None) as batch_op:
        batch_op.drop_index("ix_edges_to")

    op.drop_table("edges")
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.drop_index("ix_deliveries_record")
        batch_op.drop_index("ix_deliveries_recipe_state")
        batch_op.drop_index(
            "ix_deliveries_due",
            sqlite_where=sa.text("due_at IS NOT NULL"),
            postgresql_where=sa.text("due_at IS NOT NULL"),
        )

    op.drop_table("deliveries")
    with op.batch_alter_table("captures", schema=None) as batch_op:
        batch_op.drop_index("ix_captures_pack")
        batch_op.drop_index("ix_captures_lead")

    op.drop_table("captures")
    op.drop_table("bars")
    op.drop_table("bands")

"""The whole schema."""

from uuid import uuid4

import sqlalchemy as sa
from alembic import op

from headwater.store.schema.columns import JsonColumn, JsonOrNull, UtcDateTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = (
    "sources",
    "polls",
    "leads",
    "captures",
    "documents",
    "revisions",
    "groups",
    "group_changes",
    "stories",
    "story_members",
    "deliveries",
    "quarantine",
    "subjects",
    "aliases",
    "fingerprints",
    "dedupe_bands",
    "dedupe_epochs",
    "sentence_counts",
    "edges",
    "mentions",
    "facts",
    "vectors",
    "bars",
    "observations",
    "document_keys",
    "alarms",
    "maintenance_tasks",
    "queue_items",
    "pipeline_runs",
    "replays",
    "replay_items",
    "link_health",
    "summary_batches",
    "summary_requests",
    "reviews",
    "saved_searches",
    "saved_search_versions",
    "matches",
    "digests",
    "api_keys",
    "sessions",
    "idempotency_keys",
)

SEARCH_TABLES = (
    "search_entries",
    "search_segments",
    "search_pages",
    "search_terms",
    "search_vectors",
    "search_codes",
)


def upgrade() -> None:
    _create_flow()
    _create_knowledge()
    _create_operations()
    _create_saved_searches()
    _create_access()
    _create_search()
    _create_identity()


def _create_flow() -> None:
    """Sources, leads, captures, documents, stories and deliveries."""
    op.create_table(
        "sources",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("options", JsonColumn(), nullable=False),
        sa.Column("trigger_seconds", sa.Float(), nullable=True),
        sa.Column("trigger_cron", sa.Text(), nullable=True),
        sa.Column("subject_id", sa.String(length=64), nullable=True),
        sa.Column("pages", sa.Text(), nullable=True),
        sa.Column("credibility", sa.Float(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("watermark", JsonColumn(), nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.Column("last_polled_at", UtcDateTime(), nullable=True),
        sa.Column("last_success_at", UtcDateTime(), nullable=True),
        sa.Column("muted_until", UtcDateTime(), nullable=True),
        sa.Column("number", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sources")),
    )
    op.create_index(
        "ix_sources_due",
        "sources",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_sources_lease_owner",
        "sources",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_index("ix_sources_number", "sources", ["number"])
    op.create_index("ix_sources_url", "sources", ["url"], postgresql_using="hash")
    op.create_table(
        "polls",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("item_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("new_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("elapsed_ms", sa.Integer(), nullable=True),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("warnings", JsonColumn(), nullable=True),
        sa.Column("number", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("source_number", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("fk_polls_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_polls")),
    )
    op.create_index("ix_polls_number", "polls", ["number"])
    op.create_index("ix_polls_recipe_started", "polls", ["recipe", "started_at"])
    op.create_index("ix_polls_source_number", "polls", ["recipe", "source_number", "started_at"])
    op.create_index("ix_polls_source_started", "polls", ["source_id", "started_at", "id"])
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
        sa.Column("teaser", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("hints", JsonColumn(), nullable=False),
        sa.Column("subject_id", sa.String(length=64), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("fresh_until", UtcDateTime(), nullable=True),
        sa.Column("render", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("page_reason", sa.Text(), nullable=True),
        sa.Column("is_corrected", sa.Boolean(), server_default=sa.text("false"), nullable=False),
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
    op.create_index(
        "ix_leads_due",
        "leads",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_leads_lease_owner",
        "leads",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_index("ix_leads_recipe_state", "leads", ["recipe", "state"])
    op.create_index("ix_leads_source_seen", "leads", ["source_id", "first_seen_at"])
    op.create_index(
        "uq_leads_document",
        "leads",
        ["document_id"],
        unique=True,
        sqlite_where=sa.text("state <> 'duplicate'"),
        postgresql_where=sa.text("state <> 'duplicate'"),
    )
    op.create_table(
        "captures",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("lead_id", sa.String(length=64), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("final_url", sa.Text(), nullable=False),
        sa.Column("url_number", sa.BigInteger(), nullable=True),
        sa.Column("final_url_number", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", JsonColumn(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("pack", sa.Text(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("fetched_at", UtcDateTime(), nullable=False),
        sa.Column("elapsed_ms", sa.Integer(), nullable=False),
        sa.Column("policy", JsonColumn(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_captures")),
    )
    op.create_index("ix_captures_lead", "captures", ["lead_id"])
    op.create_index("ix_captures_pack", "captures", ["pack"])
    op.create_index("ix_captures_recipe_fetched", "captures", ["recipe", "fetched_at", "id"])
    op.create_index("ix_captures_source_fetched", "captures", ["source_id", "fetched_at", "id"])
    for column in ("url_number", "final_url_number"):
        op.create_index(
            f"ix_captures_{column}",
            "captures",
            [column],
            sqlite_where=sa.text(f"{column} IS NOT NULL"),
            postgresql_where=sa.text(f"{column} IS NOT NULL"),
        )
    op.create_table(
        "documents",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("lead_id", sa.String(length=64), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("next_capture_id", sa.String(length=64), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("source_number", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("duplicate_of", sa.String(length=64), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), server_default="", nullable=False),
        sa.Column("clean_url", sa.Text(), server_default="", nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("authors", JsonColumn(), nullable=True),
        sa.Column("publisher", sa.Text(), server_default="", nullable=False),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("modified_at", UtcDateTime(), nullable=True),
        sa.Column("language", sa.Text(), server_default="", nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("keywords", JsonColumn(), nullable=True),
        sa.Column("image", sa.Text(), server_default="", nullable=False),
        sa.Column("media_type", sa.Text(), server_default="", nullable=False),
        sa.Column("guid", sa.Text(), server_default="", nullable=False),
        sa.Column("page", sa.Text(), server_default="", nullable=False),
        sa.Column("external_id", sa.BigInteger(), nullable=True),
        sa.Column("group_id", sa.String(length=64), nullable=True),
        sa.Column("subjects", JsonColumn(), nullable=True),
        sa.Column("quality", sa.Float(), nullable=True),
        sa.Column("attributes", JsonColumn(), nullable=True),
        sa.Column("origins", JsonColumn(), nullable=True),
        sa.Column("trail", JsonColumn(), nullable=True),
        sa.Column("step_ms", JsonColumn(), nullable=True),
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
    op.create_index(
        "ix_documents_due",
        "documents",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index("ix_documents_group", "documents", ["group_id", "published_at", "created_at"])
    op.create_index("ix_documents_lead", "documents", ["lead_id"])
    op.create_index(
        "ix_documents_lease_owner",
        "documents",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_index("ix_documents_number", "documents", ["number"])
    op.create_index("ix_documents_recipe_created", "documents", ["recipe", "created_at", "id"])
    op.create_index("ix_documents_recipe_language", "documents", ["recipe", "language", "created_at", "id"])
    op.create_index("ix_documents_recipe_published", "documents", ["recipe", "published_at", "id"])
    op.create_index("ix_documents_recipe_state", "documents", ["recipe", "state", "created_at", "id"])
    op.create_index("ix_documents_recipe_updated", "documents", ["recipe", "updated_at", "id"])
    op.create_index("ix_documents_source_created", "documents", ["source_id", "created_at", "id"])
    op.create_table(
        "revisions",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("page", sa.Text(), server_default="", nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("published_at", UtcDateTime(), nullable=True),
        sa.Column("modified_at", UtcDateTime(), nullable=True),
        sa.Column("trail", JsonColumn(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_revisions_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "revision", name=op.f("pk_revisions")),
    )
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
    op.create_index(
        "ix_groups_due",
        "groups",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_groups_lease_owner",
        "groups",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_table(
        "group_changes",
        sa.Column("group_id", sa.String(length=64), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("group_id", "document_id", name=op.f("pk_group_changes")),
    )
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
        sa.Column("attributes", JsonColumn(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["groups.id"], name=op.f("fk_stories_group_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stories")),
    )
    op.create_index("ix_stories_group", "stories", ["group_id"])
    op.create_index("ix_stories_recipe_last", "stories", ["recipe", "last_at", "id"])
    op.create_index("ix_stories_recipe_updated", "stories", ["recipe", "updated_at", "id"])
    op.create_index("ix_stories_recipe_first", "stories", ["recipe", "first_at", "id"])
    op.create_index("ix_stories_recipe_size", "stories", ["recipe", "size", "id"])
    op.create_index("ix_stories_recipe_score", "stories", ["recipe", "score", "id"])
    op.create_table(
        "story_members",
        sa.Column("story_id", sa.String(length=64), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("similarity", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"], ["stories.id"], name=op.f("fk_story_members_story_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("story_id", "document_id", name=op.f("pk_story_members")),
    )
    op.create_index("ix_story_members_document", "story_members", ["document_id"])
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
        sa.Column("progress", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    op.create_index(
        "ix_deliveries_due",
        "deliveries",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_deliveries_lease_owner",
        "deliveries",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_index("ix_deliveries_recipe_state", "deliveries", ["recipe", "state"])
    op.create_index(
        "ix_deliveries_sent",
        "deliveries",
        ["recipe", "sent_at"],
        sqlite_where=sa.text("sent_at IS NOT NULL"),
        postgresql_where=sa.text("sent_at IS NOT NULL"),
    )
    failing = sa.text(
        "reason IS NOT NULL AND reason <> 'waits_its_turn' AND state IN ('waiting', 'quarantined')"
    )
    op.create_index(
        "ix_deliveries_failing",
        "deliveries",
        ["recipe", "route"],
        sqlite_where=failing,
        postgresql_where=failing,
    )
    op.create_index("ix_deliveries_record", "deliveries", ["record_id"])
    op.create_table(
        "quarantine",
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", JsonColumn(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("record_id", "task", name=op.f("pk_quarantine")),
    )
    op.create_index(
        "ix_quarantine_recipe_created", "quarantine", ["recipe", "created_at", "record_id", "task"]
    )
    op.create_index(
        "ix_quarantine_recipe_reason",
        "quarantine",
        ["recipe", "reason", "created_at", "record_id", "task"],
    )


def _create_knowledge() -> None:
    """What is known about documents and subjects."""
    op.create_table(
        "subjects",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("attributes", JsonColumn(), nullable=False),
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
        "fingerprints",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("epoch", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("recipe", "kind", "value", name=op.f("pk_fingerprints")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_fingerprints_document", "fingerprints", ["document_id"])
    op.create_table(
        "dedupe_bands",
        sa.Column("space", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("band", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("document", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("space", "band", "epoch", "document", name=op.f("pk_dedupe_bands")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dedupe_epochs",
        sa.Column("space", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space", name=op.f("pk_dedupe_epochs")),
    )
    op.create_table(
        "sentence_counts",
        sa.Column("space", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("sentence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("publisher", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("stories", sa.Integer(), nullable=False),
        sa.Column("story", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("space", "sentence", "publisher", name=op.f("pk_sentence_counts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "edges",
        sa.Column("from_id", sa.String(length=64), nullable=False),
        sa.Column("to_id", sa.String(length=64), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("evidence", JsonColumn(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("from_id", "to_id", "relation", name=op.f("pk_edges")),
    )
    op.create_index("ix_edges_to", "edges", ["to_id"])
    op.create_table(
        "mentions",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("subject_id", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("offsets", JsonColumn(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_mentions_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "subject_id", name=op.f("pk_mentions")),
    )
    op.create_index("ix_mentions_subject", "mentions", ["subject_id"])
    op.create_table(
        "facts",
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", JsonOrNull, nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("record_id", "name", name=op.f("pk_facts")),
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
    op.create_index("ix_vectors_model", "vectors", ["model"])
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
        "observations",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", UtcDateTime(), nullable=False),
        sa.Column("value", JsonColumn(), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("recipe", "kind", "name", "at", name=op.f("pk_observations")),
    )


def _create_operations() -> None:
    """What operators, other programs and the schedule work on."""
    op.create_table(
        "document_keys",
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("id", sa.BigInteger(), nullable=False),
        sa.Column("external_id", sa.BigInteger(), nullable=False),
        sa.Column("guid", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_document_keys_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_document_keys")),
    )
    op.create_index("uq_document_keys_external_id", "document_keys", ["external_id"], unique=True)
    op.create_index("uq_document_keys_id", "document_keys", ["id"], unique=True)
    op.create_table(
        "alarms",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", JsonColumn(), nullable=False),
        sa.Column("raised_at", UtcDateTime(), nullable=False),
        sa.Column("cleared_at", UtcDateTime(), nullable=True),
        sa.Column("acknowledged_at", UtcDateTime(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alarms")),
    )
    op.create_index("ix_alarms_raised", "alarms", ["recipe", "raised_at", "id"])
    op.create_index(
        "uq_alarms_open",
        "alarms",
        ["recipe", "kind", "subject"],
        unique=True,
        sqlite_where=sa.text("cleared_at IS NULL"),
        postgresql_where=sa.text("cleared_at IS NULL"),
    )
    op.create_table(
        "maintenance_tasks",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("result", JsonColumn(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_maintenance_tasks")),
    )
    op.create_table(
        "queue_items",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("payload", JsonColumn(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("result", JsonColumn(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.Column("listed_at", UtcDateTime(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queue_items")),
    )
    op.create_index("ix_queue_items_document", "queue_items", ["document_id"])
    op.create_index(
        "ix_queue_items_due",
        "queue_items",
        ["queue", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_table(
        "pipeline_runs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("options", JsonColumn(), nullable=False),
        sa.Column("total_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("processed_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("duplicate_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("story_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("metrics", JsonColumn(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipeline_runs")),
    )
    op.create_index("ix_pipeline_runs_started", "pipeline_runs", ["recipe", "created_at", "id"])
    op.create_index("ix_pipeline_runs_total", "pipeline_runs", ["recipe", "total_count", "id"])
    op.create_index("ix_pipeline_runs_failed", "pipeline_runs", ["recipe", "failed_count", "id"])
    op.create_index(
        "uq_pipeline_runs_open",
        "pipeline_runs",
        ["recipe"],
        unique=True,
        sqlite_where=sa.text("status IN ('pending', 'running')"),
        postgresql_where=sa.text("status IN ('pending', 'running')"),
    )
    op.create_table(
        "replays",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("since", UtcDateTime(), nullable=False),
        sa.Column("until", UtcDateTime(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("listed_at", UtcDateTime(), nullable=True),
        sa.Column("cursor_at", UtcDateTime(), nullable=False),
        sa.Column("cursor_id", sa.String(length=64), nullable=False),
        sa.Column("expected_count", sa.Integer(), nullable=False),
        sa.Column("listed_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("counts", JsonColumn(), nullable=False),
        sa.Column("fields", JsonColumn(), nullable=False),
        sa.Column("chosen_verdicts", JsonColumn(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replays")),
    )
    op.create_index(
        "uq_replays_open",
        "replays",
        ["recipe"],
        unique=True,
        sqlite_where=sa.text("state IN ('running', 'paused', 'applying')"),
        postgresql_where=sa.text("state IN ('running', 'paused', 'applying')"),
    )
    op.create_table(
        "replay_items",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("replay_id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("capture_id", sa.String(length=64), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), server_default="", nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("differences", JsonColumn(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["replay_id"], ["replays.id"], name=op.f("fk_replay_items_replay_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_replay_items")),
    )
    op.create_index(
        "ix_replay_items_due",
        "replay_items",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_replay_items_lease_owner",
        "replay_items",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_index("ix_replay_items_verdict", "replay_items", ["replay_id", "verdict", "outcome", "id"])
    op.create_table(
        "link_health",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("source_id", sa.String(length=64), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
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
    op.create_index(
        "ix_link_health_due",
        "link_health",
        ["recipe", "due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_link_health_lease_owner",
        "link_health",
        ["lease_owner"],
        sqlite_where=sa.text("lease_owner IS NOT NULL"),
        postgresql_where=sa.text("lease_owner IS NOT NULL"),
    )
    op.create_index("ix_link_health_record", "link_health", ["record_id"])
    op.create_table(
        "summary_batches",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("request_count", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("file_id", sa.Text(), nullable=True),
        sa.Column("remote_id", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=True),
        sa.Column("counts", JsonColumn(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("cancel_requested_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("creation_started_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary_batches")),
    )
    op.create_index("ix_summary_batches_state", "summary_batches", ["state", "created_at"])
    op.create_table(
        "summary_requests",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("story_id", sa.String(length=64), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("batch_id", sa.String(length=64), nullable=True),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("due_at", UtcDateTime(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("sources", JsonColumn(), nullable=True),
        sa.Column("answer", JsonColumn(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("asked_at", UtcDateTime(), nullable=True),
        sa.Column("ended_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary_requests")),
    )
    op.create_index("ix_summary_requests_batch", "summary_requests", ["batch_id"])
    op.create_index("ix_summary_requests_state", "summary_requests", ["state", "due_at"])
    op.create_index("ix_summary_requests_story", "summary_requests", ["story_id"])


def _create_saved_searches() -> None:
    """Saved searches, their matches and digests."""
    op.create_table(
        "saved_searches",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("filters", JsonColumn(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=True),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("delivery", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_searches")),
    )
    op.create_index("uq_saved_searches_name", "saved_searches", ["name"], unique=True)
    op.create_table(
        "saved_search_versions",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_saved_search_versions")),
    )
    op.create_table(
        "matches",
        sa.Column("search_id", sa.String(length=64), nullable=False),
        sa.Column("record_id", sa.String(length=64), nullable=False),
        sa.Column("record_kind", sa.Text(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("matched_at", UtcDateTime(), nullable=False),
        sa.Column("digest_id", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("search_id", "record_id", name=op.f("pk_matches")),
    )
    op.create_index("ix_matches_search_matched", "matches", ["search_id", "matched_at", "record_id"])
    op.create_index("ix_matches_digest", "matches", ["digest_id"])
    op.create_index("ix_matches_record", "matches", ["record_id"])
    op.create_table(
        "digests",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("search_id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("since_at", UtcDateTime(), nullable=False),
        sa.Column("until_at", UtcDateTime(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("closed_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_digests")),
    )
    op.create_index("ix_digests_search", "digests", ["search_id", "since_at"])


def _create_access() -> None:
    """Reviews, keys of the HTTP API, and the requests that it must not carry out twice."""
    op.create_table(
        "reviews",
        sa.Column("sample", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(length=64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("fields", JsonColumn(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("reviewer", sa.Text(), nullable=True),
        sa.Column("reviewed_at", UtcDateTime(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_reviews_document_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sample", "document_id", name=op.f("pk_reviews")),
    )
    op.create_index("ix_reviews_document", "reviews", ["document_id"])
    op.create_table(
        "api_keys",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.Column("revoked_at", UtcDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
    )
    op.create_index("ix_sessions_key", "sessions", ["key_id"])
    op.create_table(
        "idempotency_keys",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("created_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency_keys")),
    )
    op.create_index("ix_idempotency_keys_created", "idempotency_keys", ["created_at"])


def _create_search() -> None:
    """Derived from documents, and rebuilt from them."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "search_entries",
        sa.Column("id", number, nullable=False),
        sa.Column("document_id", sa.String(64), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("moment", sa.BigInteger(), nullable=False),
        sa.Column("quality", sa.Float(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("postings", sa.LargeBinary(), nullable=True),
        sa.Column("updated_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_entries")),
        sa.UniqueConstraint("document_id", name=op.f("uq_search_entries_document_id")),
        sa.ForeignKeyConstraint(
            ["document_id"],
            ["documents.id"],
            name=op.f("fk_search_entries_document_id"),
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_entries_recipe_updated", "search_entries", ["recipe", "updated_at"])
    waiting = sa.text("postings IS NOT NULL")
    op.create_index(
        "ix_search_entries_waiting", "search_entries", ["id"], sqlite_where=waiting, postgresql_where=waiting
    )
    op.create_table(
        "search_segments",
        sa.Column("id", number, nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("names", JsonColumn(), nullable=False),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.Column("directory", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_segments")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "search_pages",
        sa.Column("id", number, autoincrement=False, nullable=False),
        sa.Column("postings", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_pages")),
    )
    op.create_table(
        "search_terms",
        # In the order of code points, in which prefixes are ranges.
        sa.Column(
            "term",
            sa.Text(collation="C" if op.get_bind().dialect.name == "postgresql" else None),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("term", name=op.f("pk_search_terms")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "search_vectors",
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("entry_id", number, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("model", "entry_id", name=op.f("pk_search_vectors")),
    )
    op.create_table(
        "search_codes",
        sa.Column("segment_id", number, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("codes", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("segment_id", "model", name=op.f("pk_search_codes")),
    )


def _create_identity() -> None:
    """What the database records about itself."""
    identity = op.create_table(
        "database_identity",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("moved_to", sa.Text(), nullable=True),
        sa.Column("moved_id", sa.String(length=36), nullable=True),
        sa.Column("moved_address", sa.Text(), nullable=True),
        sa.Column("moved_at", UtcDateTime(), nullable=True),
        sa.Column("arriving_id", sa.String(length=36), nullable=True),
        sa.Column("arriving_address", sa.Text(), nullable=True),
        sa.Column("oldest_program", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_database_identity")),
    )
    op.bulk_insert(identity, [{"id": str(uuid4()), "oldest_program": revision}])
    op.create_table(
        "recipe_views",
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("drop_statements", JsonColumn(), nullable=False),
        sa.PrimaryKeyConstraint("recipe", name=op.f("pk_recipe_views")),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("heartbeat_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "uptime_periods",
        sa.Column("started_at", UtcDateTime(), nullable=False),
        sa.Column("ended_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("started_at", name=op.f("pk_uptime_periods")),
    )


def downgrade() -> None:
    for table in ("recipe_views", "database_identity"):
        op.drop_table(table)
    for table in SEARCH_TABLES:
        op.drop_table(table)
    for table in reversed(TABLES):
        op.drop_table(table)

import textwrap

import alembic.command
import alembic.config
import pytest
import sqlalchemy as sa

ENVIRONMENT = """
import sqlalchemy as sa
from alembic import context
with sa.create_engine(context.config.get_main_option("url")).connect() as connection:
    context.configure(connection=connection, target_metadata=context.config.attributes["metadata"])
    with context.begin_transaction():
        context.run_migrations()
"""

TEMPLATE = """
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
import sqlalchemy as sa
from alembic import op
${imports if imports else ""}
def upgrade():
    ${upgrades if upgrades else "pass"}

def downgrade():
    ${downgrades if downgrades else "pass"}
"""


@pytest.fixture
def config(url, tmp_path):
    (tmp_path / "versions").mkdir()
    (tmp_path / "env.py").write_text(ENVIRONMENT)
    (tmp_path / "script.py.mako").write_text(textwrap.dedent(TEMPLATE))
    config = alembic.config.Config()
    config.set_main_option("script_location", str(tmp_path))
    config.set_main_option("path_separator", "os")
    config.set_main_option("url", url.replace("postgresql:", "postgresql+psycopg:"))
    return config


def models(*columns):
    metadata = sa.MetaData()
    sa.Table("author", metadata, sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.String(50), nullable=False))
    sa.Table(
        "book",
        metadata,
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("author_id", sa.ForeignKey("author.id"), nullable=False),
        sa.Column("title", sa.Text, index=True),
        *columns,
    )
    return metadata


def revision(config, metadata, message):
    """A revision that Alembic generates from the differences between the models and the database."""
    config.attributes["metadata"] = metadata
    script = alembic.command.revision(config, message, autogenerate=True)
    alembic.command.upgrade(config, "head")
    alembic.command.check(config)  # there are no further differences
    with open(script.path) as written:
        return written.read()


def test_generated_revisions_up_and_down(config):
    first = revision(config, models(), "books")
    assert "create_table('author'" in first and "create_index" in first
    added = [sa.Column("pages", sa.Integer, server_default="0"), sa.Column("isbn", sa.String(13))]
    second = revision(config, models(*added, sa.UniqueConstraint("isbn", name="book_isbn")), "pages")
    assert "add_column('book'" in second and "create_unique_constraint" in second and "create_table" not in second
    engine = sa.create_engine(config.get_main_option("url"))
    columns = lambda: [column["name"] for column in sa.inspect(engine).get_columns("book")]
    assert columns() == ["id", "author_id", "title", "pages", "isbn"]
    with engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO author VALUES (1, 'Jane')"))
        connection.execute(sa.text("INSERT INTO book (id, author_id, title) VALUES (1, 1, 'Emma')"))
    config.attributes["metadata"] = models()
    alembic.command.downgrade(config, "-1")
    assert columns() == ["id", "author_id", "title"]
    alembic.command.downgrade(config, "base")
    assert sa.inspect(engine).get_table_names() == ["alembic_version"]
    engine.dispose()

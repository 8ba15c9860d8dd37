import datetime
from decimal import Decimal

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(100), unique=True)
    books: Mapped[list["Book"]] = relationship(back_populates="author", cascade="all, delete-orphan")


class Book(Base):
    __tablename__ = "book"
    __table_args__ = (sa.CheckConstraint("price >= 0", name="book_price"), {"comment": "what was written"})
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(index=True)
    price: Mapped[Decimal | None] = mapped_column(sa.Numeric(8, 2))
    added: Mapped[datetime.datetime] = mapped_column(sa.DateTime(timezone=True), server_default=sa.func.now())
    tags: Mapped[list[str] | None] = mapped_column(ARRAY(sa.Text))
    author_id: Mapped[int] = mapped_column(sa.ForeignKey("author.id", ondelete="CASCADE"))
    author: Mapped[Author] = relationship(back_populates="books")


@pytest.fixture
def engine(url):
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


def test_reflection(engine):
    inspector = sa.inspect(engine)
    assert inspector.get_table_names() == ["author", "book"]
    types = {column["name"]: type(column["type"]) for column in inspector.get_columns("book")}
    assert types["price"] is sa.NUMERIC and types["tags"] is ARRAY and types["author_id"] is sa.INTEGER
    assert inspector.get_pk_constraint("book")["constrained_columns"] == ["id"]
    [key] = inspector.get_foreign_keys("book")
    assert (key["referred_table"], key["constrained_columns"], key["options"]) == ("author", ["author_id"], {"ondelete": "CASCADE"})
    assert [index["column_names"] for index in inspector.get_indexes("book")] == [["title"]]
    assert [unique["column_names"] for unique in inspector.get_unique_constraints("author")] == [["name"]]
    assert [check["name"] for check in inspector.get_check_constraints("book")] == ["book_price"]
    assert inspector.get_table_comment("book") == {"text": "what was written"}
    reflected = sa.MetaData()
    reflected.reflect(engine)
    assert {column.name for column in reflected.tables["book"].columns} == set(types)


def test_orm(engine):
    with Session(engine) as session:
        jane = Author(name="Jane", books=[Book(title="Emma", price=Decimal("12.50"), tags=["a", "b"]), Book(title="Persuasion")])
        session.add(jane)
        session.commit()
        read = session.scalars(sa.select(Author).options(selectinload(Author.books)).with_for_update()).one()
        assert sorted(book.title for book in read.books) == ["Emma", "Persuasion"]
        joined = sa.select(Author.name, sa.func.count(), sa.func.sum(Book.price)).join(Book).group_by(Author.name)
        assert session.execute(joined).all() == [("Jane", 2, Decimal("12.50"))]
        with pytest.raises(sa.exc.IntegrityError):
            with session.begin_nested():
                session.add(Author(name="Jane"))
                session.flush()
        upsert = insert(Author).values([{"name": "Jane"}, {"name": "Emily"}])
        session.execute(upsert.on_conflict_do_nothing(index_elements=["name"]))
        upsert = insert(Author).values(name="Emily").on_conflict_do_update(index_elements=["name"], set_={"name": "E."})
        assert session.execute(upsert.returning(Author.name)).scalar_one() == "E."
        session.add_all([Book(title=f"{k}", author=jane) for k in range(500)])
        session.commit()
        stream = session.scalars(sa.select(Book.id).execution_options(yield_per=50))
        assert len(list(stream)) == 502
        session.delete(jane)
        session.commit()
        assert session.scalar(sa.select(sa.func.count()).select_from(Book)) == 0

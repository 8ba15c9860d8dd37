"""Queries the places through SQLAlchemy, and writes visits to them in one transaction."""

import os

from sqlalchemy import ForeignKey, Table, create_engine, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

PROJECT = os.environ.get("DATASTORE_PROJECT_ID", "demo")
engine = create_engine(f"postgresql+psycopg://me@localhost:{os.environ.get('PORT', '5432')}/{PROJECT}")


class Base(DeclarativeBase):
    pass


class Place(Base):
    __table__ = Table("place", Base.metadata, autoload_with=engine)  # the columns of the import


class Visit(Base):
    __tablename__ = "visit"
    id: Mapped[int] = mapped_column(primary_key=True)
    place_id: Mapped[int] = mapped_column(ForeignKey("place.id"))
    note: Mapped[str]
    place: Mapped[Place] = relationship()


Base.metadata.create_all(engine)
with Session(engine) as session, session.begin():
    for place in session.scalars(select(Place).order_by(Place.lat.desc()).limit(3)):
        session.add(Visit(place=place, note=f"as far north as {place.lat:.2f}"))

with Session(engine) as session:
    for visit in session.scalars(select(Visit).order_by(Visit.id)):
        print(f"{visit.place.name} ({visit.place.country}): {visit.note}")
    places, countries = session.execute(
        select(func.count(), func.count(Place.country.distinct())).select_from(Place)
    ).one()
    print(f"{places:,} places in {countries} countries")

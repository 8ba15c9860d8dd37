import io
import os

import django
import pytest
from django.core import management
from django.db import DatabaseError, IntegrityError, connection, models, transaction

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
django.setup()

from django.contrib.auth.models import Group, Permission, User  # noqa: E402


class Visit(models.Model):
    user = models.ForeignKey(User, models.CASCADE)
    at = models.DateTimeField(auto_now_add=True)
    seconds = models.DecimalField(max_digits=6, decimal_places=2, default=0)
    path = models.CharField(max_length=100, db_index=True)

    class Meta:
        app_label = "visits"
        constraints = [models.UniqueConstraint(fields=["user", "path"], name="one_visit")]


@pytest.fixture(scope="module", autouse=True)
def migrated():
    management.call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Visit)
    yield
    connection.close()


@pytest.fixture
def ada():
    Visit.objects.all().delete()
    User.objects.all().delete()
    return User.objects.create_user("ada", "ada@example.com", "secret")


def test_migrations_back_and_again():
    plan = io.StringIO()
    management.call_command("showmigrations", stdout=plan)
    assert "[X] 0012_alter_user_first_name_max_length" in plan.getvalue()
    management.call_command("migrate", "sessions", "zero", verbosity=0)
    assert "django_session" not in connection.introspection.table_names()
    management.call_command("migrate", verbosity=0)
    assert "django_session" in connection.introspection.table_names()


def test_queries(ada):
    ada.groups.add(Group.objects.get_or_create(name="analysts")[0])
    Visit.objects.bulk_create([Visit(user=ada, path=f"/{k}", seconds=k) for k in range(200)], batch_size=50)
    assert Visit.objects.filter(user__username="ada", seconds__gte=100).count() == 100
    assert Visit.objects.aggregate(models.Sum("seconds"))["seconds__sum"] == 19900
    assert User.objects.filter(groups__name__in=["analysts"]).exclude(email="").distinct().get() == ada
    visit, created = Visit.objects.update_or_create(user=ada, path="/7", defaults={"seconds": 8})
    assert not created and Visit.objects.get(pk=visit.pk).seconds == 8
    with transaction.atomic():
        assert Visit.objects.select_for_update().get(pk=visit.pk) == visit
    assert len(list(Visit.objects.order_by("pk").iterator(chunk_size=30))) == 200
    Visit.objects.bulk_create([Visit(user=ada, path="/7")], ignore_conflicts=True)
    assert Visit.objects.filter(path__startswith="/1", user=ada).update(seconds=models.F("seconds") + 1) == 111
    assert Permission.objects.select_related("content_type").filter(content_type__app_label="auth").count() == 12
    assert Visit.objects.filter(user__username="ada").delete() == (200, {"visits.Visit": 200})


def test_errors_and_savepoints(ada):
    with transaction.atomic():
        Visit.objects.create(user=ada, path="/")
        with pytest.raises(IntegrityError), transaction.atomic():
            Visit.objects.create(user=ada, path="/")
        assert Visit.objects.count() == 1
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM nothing")

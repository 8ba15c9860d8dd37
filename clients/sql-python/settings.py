"""Django's settings, for a database of this run."""

import os
import uuid

HOST, PORT = os.environ["PETRICHOR_TEST_SQL"].split(":")
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": HOST,
        "PORT": PORT,
        "USER": "guido",
        "NAME": "django-" + uuid.uuid4().hex[:12],
    }
}
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.admin", "django.contrib.messages"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
SECRET_KEY = "test"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
USE_TZ = True

"""google.appengine.api.app_identity. Access tokens come from the metadata server, not from this API."""

import pytest
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from google.appengine.api import app_identity


def verify(certificate, signature, text):
    key = x509.load_pem_x509_certificate(certificate.x509_certificate_pem.encode()).public_key()
    key.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())


def test_names(app):
    assert app.run(app_identity.get_service_account_name) == f"{app.project}@appspot.gserviceaccount.com"
    assert app.run(app_identity.get_default_gcs_bucket_name) == f"{app.project}.appspot.com"
    assert app.run(app_identity.get_application_id) == app.project


def test_a_signature_is_verified_with_the_certificate(app):
    name, signature = app.run(app_identity.sign_blob, b"text")
    certificates = app.run(app_identity.get_public_certificates)
    assert [one.key_name for one in certificates] == [name]
    verify(certificates[0], signature, b"text")
    with pytest.raises(InvalidSignature):
        verify(certificates[0], signature, b"another text")


def test_the_key_stays_and_each_app_has_its_own(app, make_app):
    name, _ = app.run(app_identity.sign_blob, b"1")
    assert app.run(app_identity.sign_blob, b"2")[0] == name
    assert make_app().run(app_identity.sign_blob, b"1")[0] != name


def test_large_texts_are_not_signed(app):
    with pytest.raises(app_identity.BlobSizeTooLarge):
        app.run(app_identity.sign_blob, b"x" * 8193)

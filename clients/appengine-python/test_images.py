"""google.appengine.api.images."""

import json
import struct
import zlib

import pytest
from google.appengine.api import images

JPEG_START, WEBP_START = b"\xff\xd8\xff", b"RIFF"


def png(width, height, color=(255, 0, 0)):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes(color) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def size(app, data):
    image = images.Image(data)
    return image.width, image.height


def test_sizes_of_resized_images(app):
    data = png(120, 80)
    assert size(app, app.run(images.resize, data, width=60)) == (60, 40)
    assert size(app, app.run(images.resize, data, 50, 50)) == (50, 33)
    assert size(app, app.run(images.resize, data, 50, 50, crop_to_fit=True)) == (50, 50)
    assert size(app, app.run(images.resize, data, 50, 50, allow_stretch=True)) == (50, 50)
    assert size(app, app.run(images.rotate, data, 90)) == (80, 120)
    assert size(app, app.run(images.crop, data, 0.25, 0.0, 0.75, 0.5)) == (60, 40)


def test_several_transforms_and_formats(app):
    def transform(encoding):
        image = images.Image(png(100, 50))
        image.resize(40)
        image.horizontal_flip()
        image.vertical_flip()
        image.im_feeling_lucky()
        image.rotate(270)
        return image.execute_transforms(output_encoding=encoding, quality=80, parse_source_metadata=True), image

    data, image = app.run(transform, images.PNG)
    assert size(app, data) == (20, 40)
    assert image.get_original_metadata()["ImageWidth"] == 100
    assert app.run(transform, images.JPEG)[0].startswith(JPEG_START)
    assert app.run(transform, images.WEBP)[0].startswith(WEBP_START)


def test_composites(app):
    parts = [
        (png(10, 10, (0, 255, 0)), 0, 0, 1.0, images.TOP_LEFT),
        (png(10, 10, (0, 0, 255)), 0, 0, 0.5, images.BOTTOM_RIGHT),
    ]
    data = app.run(images.composite, parts, 30, 20, color=0xFFFFFFFF)
    assert size(app, data) == (30, 20)
    red, green, blue = app.run(images.histogram, data)
    assert red[255] == 400 and red[0] == 100 and sum(red[126:129]) == 100
    assert green[255] == 500 and blue[255] == 500
    assert json.dumps([sum(red), sum(green), sum(blue)]) == "[600, 600, 600]"


def test_histograms(app):
    red, green, blue = app.run(images.histogram, png(20, 10))
    assert (red[255], green[0], blue[0]) == (200, 200, 200)
    assert len(red) == len(green) == len(blue) == 256


def test_errors(app):
    with pytest.raises(images.NotImageError):
        app.run(images.resize, b"no image at all", 10)
    with pytest.raises(images.BadImageError):
        app.run(images.resize, png(10, 10)[:40], 10)
    with pytest.raises(images.LargeImageError):
        app.run(images.resize, png(10, 10).replace(struct.pack(">II", 10, 10), struct.pack(">II", 10000, 10000)), 10)
    with pytest.raises(images.Error):
        app.run(lambda: images.Image(blob_key="missing").histogram())

"""Images: transforms, composites and histograms of generated pictures; results look alike."""

import io

from google.appengine.api.images import images_service_pb2 as messages
from PIL import Image, ImageChops, ImageStat

from .sides import UNKNOWN, Operation, Refused

LEVELS_MAX = 12  # mean difference of a color; filters differ, which small pictures show most
JPEG_LEVELS_MAX = 30
TOO_SMALL = ("ValueError", "ZeroDivisionError")  # the testbed fails where a side would have no pixel
PNG = messages.OutputSettings.PNG
SIZES = [8, 24, 40]


class Picture:
    """Equal to a picture of the same size and format that looks alike."""

    def __init__(self, content):
        image = Image.open(io.BytesIO(content))
        self.format = image.format
        self.image = image.convert("RGB")

    def __eq__(self, other):
        if not isinstance(other, Picture) or (self.format, self.image.size) != (other.format, other.image.size):
            return False
        if self.format == "JPEG":  # encoders choose different colors for single pixels, but not for the whole
            ours, theirs = ImageStat.Stat(self.image).mean, ImageStat.Stat(other.image).mean
            return max(abs(one - two) for one, two in zip(ours, theirs)) <= JPEG_LEVELS_MAX
        return max(ImageStat.Stat(ImageChops.difference(self.image, other.image)).mean) <= LEVELS_MAX

    def __repr__(self):
        return f"{self.format} {self.image.size} {ImageStat.Stat(self.image).mean}"


def picture(random, square=False):
    """A gradient between random colors, opaque."""
    size = random.choice(SIZES), random.choice(SIZES)
    size = size[:1] * 2 if square else size
    left, right = ([random.randrange(256) for _ in range(3)] for _ in range(2))
    image = Image.new("RGB", (2, 2))
    image.putdata([tuple(left), tuple(right), tuple(right), tuple(left)])
    content = io.BytesIO()
    image.resize(size, Image.BILINEAR).save(content, random.choice(["PNG", "BMP", "TIFF"]))
    return content.getvalue()


def call(side, method, request, response):
    return side.call("images", method, request, response)


def transform(side, request):
    answer = call(side, "Transform", request, messages.ImagesTransformResponse())
    if isinstance(answer, Refused):
        return UNKNOWN if answer.code in TOO_SMALL else answer
    return Picture(answer.image.content)


def composite(side, request):
    answer = call(side, "Composite", request, messages.ImagesCompositeResponse())
    return answer if isinstance(answer, Refused) else Picture(answer.image.content)


def histogram(side, content):
    request = messages.ImagesHistogramRequest(image=messages.ImageData(content=content))
    answer = call(side, "Histogram", request, messages.ImagesHistogramResponse())
    if isinstance(answer, Refused):
        return answer
    return list(answer.histogram.red), list(answer.histogram.green), list(answer.histogram.blue)


def square_step(random):
    """Without fractions of pixels, which the Java API server rounds to the nearest pixel, and the others down."""
    return random.choice(
        [
            messages.Transform(width=16, height=16),
            messages.Transform(width=48, height=48),
            messages.Transform(rotate=180),
            messages.Transform(horizontal_flip=True),
            messages.Transform(vertical_flip=True),
            messages.Transform(crop_left_x=0.5, crop_top_y=0.0, crop_right_x=1.0, crop_bottom_y=0.5),
        ]
    )


def step(random):
    choice = random.randrange(5)
    if choice == 0:
        return messages.Transform(width=random.choice([0, 4, 16, 64]), height=random.choice([5, 32]))
    if choice == 1:
        fit = random.random() < 0.5
        return messages.Transform(width=12, height=20, crop_to_fit=fit, allow_stretch=not fit)
    if choice == 2:
        return messages.Transform(rotate=180)
    if choice == 3:
        return (
            messages.Transform(horizontal_flip=True)
            if random.random() < 0.5
            else messages.Transform(vertical_flip=True)
        )
    return messages.Transform(crop_left_x=0.25, crop_top_y=0.0, crop_right_x=1.0, crop_bottom_y=0.5)


def transform_request(random, square):
    request = messages.ImagesTransformRequest()
    request.image.content = picture(random, square)
    request.transform.extend((square_step if square else step)(random) for _ in range(random.randrange(1, 4)))
    request.output.mime_type = random.choice([PNG, PNG, messages.OutputSettings.JPEG])
    return request


def composite_request(random):
    request = messages.ImagesCompositeRequest()
    request.canvas.width, request.canvas.height = random.choice([10, 50]), random.choice([10, 30])
    request.canvas.color = random.choice([-1, -16777216, -65536])
    request.canvas.output.mime_type = PNG
    for index in range(random.randrange(1, 4)):
        request.image.add(content=picture(random))
        request.options.add(
            source_index=index,
            x_offset=random.randrange(-4, 5),
            y_offset=random.randrange(-4, 5),
            opacity=random.choice([0.0, 0.5, 1.0]),
            anchor=random.randrange(9),
        )
    return request


def invalid_request(random):
    request = transform_request(random, False)
    del request.transform[:]
    choice = random.randrange(4)
    if choice == 0:
        request.image.content = b""
        request.transform.add(width=10)
    elif choice == 1:
        request.transform.add(width=4001)
    elif choice == 2:
        request.transform.add(rotate=45)
    else:
        request.transform.add(crop_left_x=0.5, crop_top_y=0.0, crop_right_x=0.2, crop_bottom_y=1.0)
    return request


def operation(random, reference):
    choice = random.random()
    if choice < 0.5:
        request = transform_request(random, reference == "java")
        return Operation(f"Transform {request.transform} {request.output}", lambda side: transform(side, request))
    if choice < 0.6:
        wrong = invalid_request(random)
        return Operation(f"Transform {wrong.transform}", lambda side: transform(side, wrong))
    if choice < 0.8:
        parts = composite_request(random)
        return Operation(f"Composite {parts.options} {parts.canvas}", lambda side: composite(side, parts))
    content = picture(random)
    return Operation(f"Histogram {content[:8]}", lambda side: histogram(side, content))


def operations(random, count, reference):
    return [operation(random, reference) for _ in range(count)]

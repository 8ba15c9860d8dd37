package petrichor.services.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.Cancellation;
import petrichor.base.MemoryBudget;
import petrichor.services.images.CompositePart.Anchor;
import petrichor.services.images.ImageTransform.AutoLevels;
import petrichor.services.images.ImageTransform.Crop;
import petrichor.services.images.ImageTransform.Fit;
import petrichor.services.images.ImageTransform.FlipHorizontally;
import petrichor.services.images.ImageTransform.FlipVertically;
import petrichor.services.images.ImageTransform.Resize;
import petrichor.services.images.ImageTransform.Rotate;
import petrichor.services.images.Images.Correction;
import petrichor.services.images.Output.Encoding;

/** Compares with the images stub of Google's Python SDK, which uses PIL. */
final class ImagesTest {
    private static final Fit INSIDE = new Fit.Inside();
    private static final Crop ALL = new Crop(0, 0, 1, 1);

    /** Different rounding: at most one level in each channel. */
    private static final double ROUNDING = 1.0;

    /** Different decoders of lossy formats. */
    private static final double LOSSY = 3.0;

    private final ExecutorService threads = Images.threads(ImageLimits.DEFAULT);
    private final MemoryBudget budget = MemoryBudget.of("test", 64 << 20);
    private final Images images = new Images(ImageLimits.DEFAULT, budget, threads);

    @AfterEach
    void close() {
        threads.close();
        assertThat(budget.bytesUsed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "photo.png",
                "photo.gif",
                "photo.bmp",
                "photo.tiff",
                "photo.webp",
                "photo.jpg",
                "glass.png",
                "glass.ico"
            })
    void everyFormatIsRead(String name) {
        isLike("read-" + name.replace('.', '-'), LOSSY, name, ALL);
    }

    @Test
    void aJpegInPrintColorsIsRead() {
        BufferedImage read = transformed("cmyk.jpg", Correction.NONE, ALL);
        assertThat(Samples.difference(read, Samples.expected("read-photo-png"))).isLessThan(20);
    }

    @Test
    void resizesHaveTheSizesAndPixelsOfTheSdk() {
        isLike("smaller", ROUNDING, "photo.png", new Resize(33, 0, INSIDE));
        isLike("larger", ROUNDING, "photo.png", new Resize(200, 300, INSIDE));
        isLike("height", ROUNDING, "photo.png", new Resize(0, 31, INSIDE));
        isLike("inside", ROUNDING, "photo.png", new Resize(40, 40, INSIDE));
        isLike("stretched", ROUNDING, "photo.png", new Resize(40, 50, new Fit.Stretch()));
        isLike("cropped", ROUNDING, "photo.png", new Resize(40, 50, new Fit.Crop(0.5f, 0.5f)));
        isLike("cropped-left", ROUNDING, "photo.png", new Resize(40, 50, new Fit.Crop(0, 0)));
        isLike("glass-smaller", ROUNDING, "glass.png", new Resize(20, 0, INSIDE));
    }

    @Test
    void turnsFlipsAndCropsMoveTheSamePixels() {
        isLike("glass-rotated", 0.1, "glass.png", new Rotate(90));
        isLike("glass-turned", 0.1, "glass.png", new Rotate(270));
        isLike("upside-down", 0.1, "photo.png", new Rotate(180));
        isLike("mirrored", 0.1, "photo.png", new FlipHorizontally());
        isLike("flipped", 0.1, "photo.png", new FlipVertically());
        isLike("part", 0.1, "photo.png", new Crop(0.1f, 0.25f, 0.7f, 0.9f));
        isLike(
                "several",
                ROUNDING,
                "photo.png",
                new Crop(0.1f, 0, 0.7f, 1),
                new FlipHorizontally(),
                new Resize(30, 0, INSIDE),
                new FlipVertically());
    }

    /** The stub keeps the frame of the image, and cuts off what sticks out; App Engine does not. */
    @Test
    void aQuarterTurnExchangesTheSides() {
        BufferedImage turned = transformed("photo.png", Correction.NONE, new Rotate(90));
        assertThat(turned.getWidth()).isEqualTo(64);
        assertThat(turned.getHeight()).isEqualTo(96);
        BufferedImage back =
                transformed("photo.png", Correction.NONE, new Rotate(90), new Rotate(270));
        assertThat(Samples.difference(back, Samples.image(Samples.bytes("photo.png")))).isZero();
    }

    @Test
    void orientationsAreCorrectedIfTheAppAsksForIt() {
        for (int orientation = 1; orientation <= 4; orientation++) {
            BufferedImage upright =
                    transformed(
                            "orientation" + orientation + ".jpg",
                            Correction.ORIENTATION,
                            new Resize(96, 0, INSIDE));
            assertThat(Samples.difference(upright, Samples.expected("upright" + orientation)))
                    .isLessThan(LOSSY);
        }
        for (int orientation = 5; orientation <= 8; orientation++) {
            String name = "orientation" + orientation + ".jpg";
            assertThat(transformed(name, Correction.ORIENTATION, new AutoLevels()).getHeight())
                    .isEqualTo(96);
            assertThat(transformed(name, Correction.NONE, new AutoLevels()).getHeight())
                    .isEqualTo(64);
        }
    }

    @Test
    void autoLevelsUseTheWholeRange() {
        BufferedImage dull = new BufferedImage(16, 16, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 256; i++) {
            int level = 100 + i / 8;
            dull.setRGB(i % 16, i / 16, level << 16 | level << 8 | level);
        }
        byte[] encoded = Encoder.encode(dull, Output.of(Encoding.PNG), work());
        Histogram before = images.histogram(encoded, Cancellation.never());
        assertThat(before.red()[0]).isZero();
        byte[] stretched =
                images.transform(
                                encoded,
                                List.of(new AutoLevels()),
                                Correction.NONE,
                                Output.of(Encoding.PNG),
                                Cancellation.never())
                        .content();
        Histogram after = images.histogram(stretched, Cancellation.never());
        assertThat(after.red()[0]).isPositive();
        assertThat(after.blue()[255]).isPositive();
    }

    @Test
    void compositesAreLikeThoseOfTheSdk() {
        List<byte[]> sources = List.of(Samples.bytes("photo.png"), Samples.bytes("glass.png"));
        BufferedImage anchors =
                Samples.image(
                        images.composite(
                                        sources,
                                        List.of(
                                                new CompositePart(0, 0, 0, 1, Anchor.TOP_LEFT),
                                                new CompositePart(1, 5, -3, 1, Anchor.BOTTOM_RIGHT),
                                                new CompositePart(0, 7, 9, 0.5f, Anchor.CENTER)),
                                        new Canvas(150, 120, -1),
                                        Output.of(Encoding.PNG),
                                        Cancellation.never())
                                .content());
        // The stub pastes transparency too: compare where the glass is not.
        assertThat(
                        Samples.difference(
                                anchors.getSubimage(0, 0, 150, 60),
                                Samples.expected("anchors").getSubimage(0, 0, 150, 60)))
                .isLessThan(ROUNDING);
        BufferedImage outside =
                Samples.image(
                        images.composite(
                                        sources,
                                        List.of(
                                                new CompositePart(0, -20, -30, 1, Anchor.TOP_LEFT),
                                                new CompositePart(1, 10, 10, 1, Anchor.TOP_RIGHT)),
                                        new Canvas(100, 90, 0xFF204060),
                                        Output.of(Encoding.PNG),
                                        Cancellation.never())
                                .content());
        assertThat(
                        Samples.difference(
                                outside.getSubimage(0, 0, 40, 90),
                                Samples.expected("outside").getSubimage(0, 0, 40, 90)))
                .isLessThan(ROUNDING);
        assertThat(outside.getRGB(99, 12) >>> 24).as("the canvas stays opaque").isEqualTo(0xFF);
    }

    @Test
    void theHistogramIsThatOfTheSdk() {
        Histogram histogram = images.histogram(Samples.bytes("photo.png"), Cancellation.never());
        String text =
                List.of(histogram.red(), histogram.green(), histogram.blue()).stream()
                        .map(
                                counts ->
                                        Arrays.stream(counts)
                                                .mapToObj(Integer::toString)
                                                .collect(Collectors.joining(" ")))
                        .collect(Collectors.joining("\n", "", "\n"));
        assertThat(text).isEqualTo(Samples.text("expected-histogram.txt"));
    }

    @Test
    void metadataIsTheSizeAndWhatTheCameraRecorded() {
        byte[] photo = Samples.bytes("orientation6.jpg");
        assertThat(images.metadata(photo, false, Cancellation.never()))
                .isEqualTo(Map.of("ImageWidth", 96L, "ImageLength", 64L));
        assertThat(images.metadata(photo, true, Cancellation.never()))
                .containsEntry("Orientation", 6L)
                .containsEntry("Make", "Petrichor")
                .containsEntry("DateTimeOriginal", 1795602030L);
    }

    @Test
    void resultsAreEncodedAsTheAppWants() {
        for (Encoding encoding : Encoding.values()) {
            byte[] encoded = encoded("glass.png", new Output(encoding, 90, 0xFF0000));
            assertThat(ImageFormat.of(encoded).orElseThrow().name()).isEqualTo(encoding.name());
            assertThat(images.metadata(encoded, false, Cancellation.never()))
                    .containsEntry("ImageWidth", 64L);
        }
        byte[] rough = encoded("photo.png", new Output(Encoding.JPEG, 10, 0));
        byte[] fine = encoded("photo.png", new Output(Encoding.JPEG, 95, 0));
        assertThat(rough.length).isLessThan(fine.length / 2);
        int corner =
                Samples.image(encoded("glass.png", new Output(Encoding.JPEG, 100, 0xFF0000)))
                        .getRGB(0, 32);
        assertThat(corner >>> 16 & 0xFF).as("transparency became red").isGreaterThan(240);
    }

    @Test
    void servingUrlsNameASize() {
        assertThat(ServedSize.parse("").orElseThrow()).isEqualTo(new ServedSize(512, false));
        assertThat(ServedSize.parse("s32-c").orElseThrow()).isEqualTo(new ServedSize(32, true));
        assertThat(ServedSize.parse("s0").orElseThrow().transforms()).isEmpty();
        assertThat(ServedSize.parse("s1601")).isEmpty();
        assertThat(ServedSize.parse("w20")).isEmpty();
    }

    @Test
    void transformsThatAppEngineRefusesAreRefused() {
        assertThatThrownBy(() -> new Resize(0, 0, INSIDE)).isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Resize(4001, 0, INSIDE)).isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Resize(10, 0, new Fit.Stretch()))
                .isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Rotate(45)).isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Crop(0.5f, 0, 0.5f, 1)).isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Crop(Float.NaN, 0, 1, 1)).isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new CompositePart(0, 0, 0, 1.5f, Anchor.TOP))
                .isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Canvas(4001, 1, 0)).isInstanceOf(ImageProblem.class);
        assertThatThrownBy(() -> new Output(Encoding.JPEG, 0, 0)).isInstanceOf(ImageProblem.class);
        Rotate[] many = new Rotate[11];
        Arrays.fill(many, new Rotate(90));
        assertThatThrownBy(() -> transformed("photo.png", Correction.NONE, many))
                .isInstanceOf(ImageProblem.class);
    }

    private Work work() {
        return new Work(MemoryBudget.unlimited().reservation(), Cancellation.never());
    }

    private byte[] encoded(String name, Output output) {
        return images.transform(
                        Samples.bytes(name),
                        List.of(ALL),
                        Correction.NONE,
                        output,
                        Cancellation.never())
                .content();
    }

    private void isLike(String expected, double most, String name, ImageTransform... steps) {
        assertThat(
                        Samples.difference(
                                transformed(name, Correction.NONE, steps),
                                Samples.expected(expected)))
                .as(expected)
                .isLessThanOrEqualTo(most);
    }

    private BufferedImage transformed(String name, Correction correction, ImageTransform... steps) {
        return Samples.image(
                images.transform(
                                Samples.bytes(name),
                                List.of(steps),
                                correction,
                                Output.of(Encoding.PNG),
                                Cancellation.never())
                        .content());
    }
}

package petrichor.services.images;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.services.images.ImageProblem.Reason;
import petrichor.services.images.Images.Correction;
import petrichor.services.images.Output.Encoding;

/** Input that claims more than it should, or is damaged. */
@Timeout(120)
final class ImageBombsTest {
    private final ImageLimits limits = new ImageLimits(1, 1, Duration.ofSeconds(60));
    private final ExecutorService threads = Images.threads(limits);
    private final MemoryBudget budget = MemoryBudget.of("test", 64 << 20);
    private final Images images = new Images(limits, budget, threads);

    @AfterEach
    void close() {
        threads.close();
        assertThat(budget.bytesUsed()).isZero();
    }

    @Test
    void aHugeImageIsRefusedByItsHeader() throws IOException {
        assertThat(reason(png(10_000, 5_001, 0))).isEqualTo(Reason.TOO_LARGE);
        assertThat(reason(png(Integer.MAX_VALUE, Integer.MAX_VALUE, 0)))
                .isEqualTo(Reason.TOO_LARGE);
        assertThat(reason(gif(65_535, 65_535))).isIn(Reason.TOO_LARGE, Reason.BAD_IMAGE);
        assertThat(reason(bmp(10_000, 10_000))).isIn(Reason.TOO_LARGE, Reason.BAD_IMAGE);
        assertThat(reason(tiff(10_000, 10_000))).isEqualTo(Reason.TOO_LARGE);
        assertThat(reason(webp(16_383, 16_383))).isEqualTo(Reason.TOO_LARGE);
    }

    @Test
    void anImageInsideAnotherIsNoWayAroundTheLimits() throws IOException {
        assertThat(reason(icon(png(20_000, 20_000, 0)))).isEqualTo(Reason.TOO_LARGE);
        // A canvas of 10 pixels, and in it a frame of 16,383.
        byte[] canvas = Arrays.copyOf(webp(10, 10), 30);
        ByteBuffer file = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN).put(canvas);
        file.put("VP8 ".getBytes(StandardCharsets.US_ASCII)).putInt(50);
        file.put(new byte[] {0x10, 0, 0, (byte) 0x9D, 1, 0x2A});
        file.putShort((short) 0x3FFF).putShort((short) 0x3FFF);
        assertThat(EmbeddedSizes.pixelsMax(file.array(), ImageFormat.WEBP))
                .isEqualTo(0x3FFFL * 0x3FFF);
        assertThat(reason(file.array())).isEqualTo(Reason.TOO_LARGE);
        assertThat(EmbeddedSizes.pixelsMax(Samples.bytes("photo.webp"), ImageFormat.WEBP))
                .isEqualTo(96 * 64);
        assertThat(EmbeddedSizes.pixelsMax(Samples.bytes("glass.ico"), ImageFormat.ICO))
                .isGreaterThanOrEqualTo(64 * 64);
    }

    /** Counts and lengths of gigabytes: an array of that size would exhaust the heap. */
    @Test
    void hugeCountsAllocateNothing() {
        Random random = new Random(11);
        for (String name :
                List.of(
                        "photo.tiff",
                        "orientation6.jpg",
                        "photo.webp",
                        "glass.ico",
                        "photo.bmp",
                        "photo.gif")) {
            byte[] whole = Samples.bytes(name);
            int header = Math.min(whole.length, 1000) - 4;
            for (int i = 0; i < 150; i++) {
                byte[] damaged = whole.clone();
                int from = name.endsWith("tiff") && i % 2 == 0 ? whole.length - 300 : 4;
                int at = from + random.nextInt(from == 4 ? header - 4 : 290);
                boolean big = name.endsWith("jpg");
                damaged[at + (big ? 0 : 3)] = 0x7F;
                damaged[at + (big ? 1 : 2)] = (byte) 0xFF;
                damaged[at + (big ? 2 : 1)] = (byte) 0xFF;
                damaged[at + (big ? 3 : 0)] = (byte) 0xFF;
                try {
                    images.metadata(damaged, true, Cancellation.never());
                    histogram(damaged, Cancellation.never());
                } catch (ImageProblem | PetrichorException expected) {
                    // The others are still images.
                }
            }
        }
    }

    private static byte[] icon(byte[] png) {
        return ByteBuffer.allocate(22 + png.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) 0)
                .putShort((short) 1)
                .putShort((short) 1)
                .put(new byte[] {16, 16, 0, 0})
                .putShort((short) 1)
                .putShort((short) 32)
                .putInt(png.length)
                .putInt(22)
                .put(png)
                .array();
    }

    @Test
    void memoryIsReservedBeforePixelsAreDecoded() throws IOException {
        // 36 million pixels are allowed, but need more than this budget.
        byte[] bomb = png(6_000, 6_000, 6_000);
        assertThat(bomb.length).isLessThan(200_000);
        assertThatThrownBy(() -> histogram(bomb, Cancellation.never()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed ->
                                assertThat(failed.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        assertThat(budget.refusals()).isPositive();
    }

    @Test
    void compressedMetadataIsNotInflated() throws IOException {
        byte[] zeros = new byte[64 << 20];
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        text.write("Comment\0\0".getBytes(StandardCharsets.ISO_8859_1));
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(text)) {
            deflater.write(zeros);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream png = start(bytes, 4, 4);
        chunk(png, "zTXt", text.toByteArray());
        pixels(png, 4, 4);
        assertThat(histogram(bytes.toByteArray(), Cancellation.never()).red()[0]).isEqualTo(16);
    }

    @Test
    void damagedImagesAreBadImages() {
        Random random = new Random(7);
        for (String name :
                List.of(
                        "photo.png",
                        "photo.gif",
                        "photo.bmp",
                        "photo.tiff",
                        "photo.webp",
                        "photo.jpg",
                        "glass.ico",
                        "orientation6.jpg")) {
            byte[] whole = Samples.bytes(name);
            for (int i = 0; i < 40; i++) {
                byte[] damaged =
                        i % 2 == 0
                                ? Arrays.copyOf(whole, 1 + random.nextInt(whole.length - 1))
                                : whole.clone();
                for (int j = 0; j < 5; j++) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                }
                try {
                    images.transform(
                            damaged,
                            List.of(
                                    new ImageTransform.Resize(
                                            8, 8, new ImageTransform.Fit.Inside())),
                            Correction.ORIENTATION,
                            Output.of(Encoding.PNG),
                            Cancellation.never());
                } catch (ImageProblem | PetrichorException expected) {
                    // The others are still images.
                }
            }
        }
        assertThat(reason(new byte[0])).isEqualTo(Reason.NOT_AN_IMAGE);
        assertThat(reason("<svg/>".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(Reason.NOT_AN_IMAGE);
        assertThat(reason(Arrays.copyOf(Samples.bytes("photo.png"), 40)))
                .isEqualTo(Reason.BAD_IMAGE);
        assertThat(reason(new byte[ImageLimits.INPUT_BYTES_MAX + 1])).isEqualTo(Reason.TOO_LARGE);
    }

    @Test
    void moreRequestsThanMayWaitAreRefused() throws InterruptedException {
        CountDownLatch occupied = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        threads.execute(
                () -> {
                    occupied.countDown();
                    awaitQuietly(free);
                });
        occupied.await();
        threads.execute(() -> awaitQuietly(free)); // waits
        byte[] photo = Samples.bytes("photo.png");
        assertThatThrownBy(() -> histogram(photo, Cancellation.never()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed ->
                                assertThat(failed.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED));
        free.countDown();
    }

    @Test
    void aRequestEndsAtItsDeadline() throws InterruptedException {
        CountDownLatch free = new CountDownLatch(1);
        CountDownLatch occupied = new CountDownLatch(1);
        threads.execute(
                () -> {
                    occupied.countDown();
                    awaitQuietly(free);
                });
        occupied.await();
        assertThatThrownBy(
                        () ->
                                histogram(
                                        Samples.bytes("photo.png"),
                                        Cancellation.after(Duration.ofMillis(50).toNanos())))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        failed -> assertThat(failed.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
        free.countDown();
        Work late =
                new Work(budget.reservation(), Cancellation.after(Duration.ofMillis(-1).toNanos()));
        assertThatThrownBy(() -> Decoder.decode(Samples.bytes("photo.jpg"), late))
                .isInstanceOf(PetrichorException.class);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aResizeCannotGrowWithoutLimit() throws IOException {
        byte[] line =
                Encoder.encode(
                        new BufferedImage(1, 400, BufferedImage.TYPE_INT_RGB),
                        Output.of(Encoding.PNG),
                        new Work(MemoryBudget.unlimited().reservation(), Cancellation.never()));
        assertThatThrownBy(
                        () ->
                                images.transform(
                                        line,
                                        List.of(
                                                new ImageTransform.Resize(
                                                        4000, 0, new ImageTransform.Fit.Inside())),
                                        Correction.NONE,
                                        Output.of(Encoding.PNG),
                                        Cancellation.never()))
                .isInstanceOf(ImageProblem.class);
    }

    private Histogram histogram(byte[] content, Cancellation cancellation) {
        return images.histogram(content, cancellation);
    }

    private Reason reason(byte[] content) {
        try {
            histogram(content, Cancellation.never());
        } catch (ImageProblem problem) {
            return problem.reason();
        }
        throw new AssertionError("decoded");
    }

    private static byte[] png(int width, int height, int rows) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream png = start(bytes, width, height);
        pixels(png, rows == 0 ? 1 : width, rows);
        return bytes.toByteArray();
    }

    private static DataOutputStream start(ByteArrayOutputStream bytes, int width, int height)
            throws IOException {
        DataOutputStream png = new DataOutputStream(bytes);
        png.writeLong(0x89504E470D0A1A0AL);
        chunk(
                png,
                "IHDR",
                ByteBuffer.allocate(13)
                        .putInt(width)
                        .putInt(height)
                        .put(new byte[] {8, 2, 0, 0, 0})
                        .array());
        return png;
    }

    private static void pixels(DataOutputStream png, int width, int rows) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater =
                new DeflaterOutputStream(compressed, new Deflater(Deflater.BEST_COMPRESSION))) {
            byte[] row = new byte[1 + 3 * width];
            for (int i = 0; i < rows; i++) {
                deflater.write(row);
            }
        }
        chunk(png, "IDAT", compressed.toByteArray());
        chunk(png, "IEND", new byte[0]);
    }

    private static void chunk(DataOutputStream png, String type, byte[] data) throws IOException {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(data);
        png.writeInt(data.length);
        png.write(name);
        png.write(data);
        png.writeInt((int) crc.getValue());
    }

    private static byte[] gif(int width, int height) {
        return ByteBuffer.allocate(64)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("GIF89a".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) width)
                .putShort((short) height)
                .put(new byte[] {0, 0, 0, ','})
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) width)
                .putShort((short) height)
                .put(new byte[] {0, 2, 1, 'D', 0, ';'})
                .array();
    }

    private static byte[] bmp(int width, int height) {
        return ByteBuffer.allocate(200)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put("BM".getBytes(StandardCharsets.US_ASCII))
                .putInt(200)
                .putInt(0)
                .putInt(54)
                .putInt(40)
                .putInt(width)
                .putInt(height)
                .putShort((short) 1)
                .putShort((short) 24)
                .array();
    }

    private static byte[] tiff(int width, int height) {
        ByteBuffer tiff = ByteBuffer.allocate(400).order(ByteOrder.LITTLE_ENDIAN);
        tiff.put("II*\0".getBytes(StandardCharsets.ISO_8859_1)).putInt(8).putShort((short) 8);
        int[][] tags = {
            {256, 4, width},
            {257, 4, height},
            {258, 3, 8},
            {259, 3, 1},
            {262, 3, 1},
            {273, 4, 200},
            {278, 4, height},
            {279, 4, 100}
        };
        for (int[] tag : tags) {
            tiff.putShort((short) tag[0]).putShort((short) tag[1]).putInt(1).putInt(tag[2]);
        }
        return tiff.putInt(0).array();
    }

    /** The extended format names the size of its canvas. */
    private static byte[] webp(int width, int height) {
        ByteBuffer webp = ByteBuffer.allocate(60).order(ByteOrder.LITTLE_ENDIAN);
        webp.put("RIFF".getBytes(StandardCharsets.US_ASCII)).putInt(52);
        webp.put("WEBPVP8X".getBytes(StandardCharsets.US_ASCII)).putInt(10).putInt(0);
        webp.put((byte) (width - 1)).put((byte) ((width - 1) >> 8)).put((byte) ((width - 1) >> 16));
        webp.put((byte) (height - 1))
                .put((byte) ((height - 1) >> 8))
                .put((byte) ((height - 1) >> 16));
        return webp.array();
    }
}

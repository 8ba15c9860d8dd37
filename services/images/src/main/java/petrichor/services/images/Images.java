package petrichor.services.images;

import java.awt.AlphaComposite;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.services.images.ImageProblem.Reason;

/**
 * Executes requests for images. Thread-safe: methods block their thread until the result is there,
 * while the work runs on one of a few platform threads, since it uses the processor and would
 * occupy the carriers of virtual threads.
 *
 * <p>Fails with {@link ImageProblem} because of the request or the image, with RESOURCE_EXHAUSTED
 * if too many requests wait or too little memory is left, and with DEADLINE_EXCEEDED if it takes
 * too long.
 */
public final class Images {
    private static final int IDLE_S = 30;

    private final ImageLimits limits;
    private final MemoryBudget budget;
    private final ExecutorService threads;

    /**
     * @param budget for pixels
     * @param threads such as {@link #threads}; the caller closes it
     */
    public Images(ImageLimits limits, MemoryBudget budget, ExecutorService threads) {
        // Before the first class of java.awt is loaded.
        System.setProperty("java.awt.headless", "true");
        this.limits = limits;
        this.budget = budget;
        this.threads = threads;
    }

    /** Threads for image work, which end when they are idle. */
    public static ExecutorService threads(ImageLimits limits) {
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        limits.runningMax(),
                        limits.runningMax(),
                        IDLE_S,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(limits.waitingMax()),
                        Thread.ofPlatform().name("images-", 0).daemon().factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Whether the orientation that a camera recorded is applied. */
    public enum Correction {
        NONE,
        ORIENTATION
    }

    /**
     * An encoded image.
     *
     * @param content owned by the caller
     */
    public record Encoded(byte[] content, int width, int height) {}

    /**
     * An image as its serving URL shows it.
     *
     * @param content owned by the caller
     */
    public record Served(byte[] content, String mediaType) {}

    /** An image in the size that a serving URL asks for, in its own format if we can write it. */
    public Served served(byte[] content, ServedSize size, Cancellation cancellation) {
        return run(cancellation, work -> served(content, size, work));
    }

    private static Served served(byte[] content, ServedSize size, Work work) {
        ImageFormat format = Decoder.format(content);
        Decoder.Size own = Decoder.size(content);
        if (!size.changes(own.width(), own.height())) {
            return new Served(content, format.mediaType());
        }
        Output.Encoding encoding =
                switch (format) {
                    case JPEG -> Output.Encoding.JPEG;
                    case WEBP -> Output.Encoding.WEBP;
                    case PNG, GIF, BMP, TIFF, ICO -> Output.Encoding.PNG;
                };
        Encoded encoded =
                transform(
                        content,
                        size.transforms(),
                        Correction.ORIENTATION,
                        Output.of(encoding),
                        work);
        return new Served(encoded.content(), ImageFormat.valueOf(encoding.name()).mediaType());
    }

    /** Applies the transforms in their order. */
    public Encoded transform(
            byte[] content,
            List<ImageTransform> transforms,
            Correction correction,
            Output output,
            Cancellation cancellation) {
        if (transforms.size() > ImageLimits.TRANSFORMS_MAX) {
            throw bad("more than " + ImageLimits.TRANSFORMS_MAX + " transforms");
        }
        return run(cancellation, work -> transform(content, transforms, correction, output, work));
    }

    private static Encoded transform(
            byte[] content,
            List<ImageTransform> transforms,
            Correction correction,
            Output output,
            Work work) {
        Decoder.Decoded decoded = Decoder.decode(content, work);
        BufferedImage image = decoded.image();
        int orientation =
                correction == Correction.ORIENTATION && image.getHeight() <= image.getWidth()
                        ? Exif.of(content, decoded.format()).orientation()
                        : 1;
        // Crops and flips refer to the stored image: a first one comes before the correction.
        boolean corrected = false;
        for (ImageTransform transform : transforms) {
            if (!corrected && !refersToStoredImage(transform)) {
                image = Orientation.upright(image, orientation, work);
                corrected = true;
            }
            image = Pixels.apply(image, transform, work);
            if (!corrected) {
                image = Orientation.upright(image, orientation, work);
                corrected = true;
            }
        }
        if (!corrected) {
            image = Orientation.upright(image, orientation, work);
        }
        return new Encoded(
                Encoder.encode(image, output, work), image.getWidth(), image.getHeight());
    }

    private static boolean refersToStoredImage(ImageTransform transform) {
        return switch (transform) {
            case ImageTransform.Crop _,
                    ImageTransform.FlipHorizontally _,
                    ImageTransform.FlipVertically _ ->
                    true;
            case ImageTransform.Resize _, ImageTransform.Rotate _, ImageTransform.AutoLevels _ ->
                    false;
        };
    }

    /** Paints images on a canvas, in the order of the parts. */
    public Encoded composite(
            List<byte[]> sources,
            List<CompositePart> parts,
            Canvas canvas,
            Output output,
            Cancellation cancellation) {
        if (sources.isEmpty() || parts.isEmpty()) {
            throw bad("a composite needs an image");
        }
        if (parts.size() > ImageLimits.COMPOSITES_MAX
                || sources.size() > ImageLimits.COMPOSITES_MAX) {
            throw bad("more than " + ImageLimits.COMPOSITES_MAX + " images in a composite");
        }
        for (CompositePart part : parts) {
            if (part.source() < 0 || part.source() >= sources.size()) {
                throw bad("a part of the composite names no image");
            }
        }
        return run(cancellation, work -> composite(sources, parts, canvas, output, work));
    }

    private static Encoded composite(
            List<byte[]> sources,
            List<CompositePart> parts,
            Canvas canvas,
            Output output,
            Work work) {
        work.reserve((long) canvas.width() * canvas.height() * Integer.BYTES);
        BufferedImage painted =
                new BufferedImage(canvas.width(), canvas.height(), BufferedImage.TYPE_INT_ARGB);
        int[] row = new int[canvas.width()];
        java.util.Arrays.fill(row, canvas.color());
        for (int y = 0; y < canvas.height(); y++) {
            painted.setRGB(0, y, row.length, 1, row, 0, 0);
        }
        List<BufferedImage> images = new ArrayList<>();
        sources.forEach(source -> images.add(Decoder.decode(source, work).image()));
        Graphics2D graphics = painted.createGraphics();
        try {
            for (CompositePart part : parts) {
                work.check();
                paint(graphics, images.get(part.source()), part, canvas);
            }
        } finally {
            graphics.dispose();
        }
        return new Encoded(Encoder.encode(painted, output, work), canvas.width(), canvas.height());
    }

    private static void paint(
            Graphics2D graphics, BufferedImage image, CompositePart part, Canvas canvas) {
        CompositePart.Anchor anchor = part.anchor();
        int x = (int) (part.x() + anchor.horizontal() * (canvas.width() - image.getWidth()));
        int y = (int) (part.y() + anchor.vertical() * (canvas.height() - image.getHeight()));
        graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, part.opacity()));
        graphics.drawImage(image, x, y, null);
    }

    public Histogram histogram(byte[] content, Cancellation cancellation) {
        return run(cancellation, work -> Histogram.of(Decoder.decode(content, work).image()));
    }

    /**
     * Size of the image and, if asked for, what its camera recorded; values are strings or numbers.
     */
    public Map<String, Object> metadata(byte[] content, boolean all, Cancellation cancellation) {
        return run(
                cancellation,
                _ -> {
                    Decoder.Size size = Decoder.size(content);
                    Map<String, Object> fields = new LinkedHashMap<>();
                    fields.put("ImageWidth", (long) size.width());
                    fields.put("ImageLength", (long) size.height());
                    if (all) {
                        fields.putAll(Exif.of(content, Decoder.format(content)).fields());
                    }
                    return fields;
                });
    }

    /** Runs the work on one of the threads, with memory that is released at its end. */
    private <T> T run(Cancellation cancellation, Function<Work, T> work) {
        Cancellation limited =
                Cancellation.after(
                        Math.min(cancellation.remainingNanos(), limits.time().toNanos()));
        cancellation.onCancel(limited::cancel);
        Future<T> result;
        try {
            result =
                    threads.submit(
                            () -> {
                                try (MemoryBudget.Reservation memory = budget.reservation()) {
                                    return work.apply(new Work(memory, limited));
                                }
                            });
        } catch (RejectedExecutionException e) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "{waiting} requests for images are waiting already; retry later",
                    "waiting",
                    limits.waitingMax());
        }
        return await(result, limited);
    }

    private static <T> T await(Future<T> result, Cancellation limited) {
        try {
            return result.get(Math.max(0, limited.remainingNanos()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure
                    ? failure
                    : new IllegalStateException(e.getCause());
        } catch (TimeoutException e) {
            // The work notices at its next step, and keeps its thread and its memory until then.
            result.cancel(false);
            limited.cancel();
            throw late();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            limited.cancel();
            throw late();
        }
    }

    private static PetrichorException late() {
        return PetrichorException.of(
                ErrorCode.DEADLINE_EXCEEDED,
                "the image took too long; use a smaller image or fewer transforms");
    }

    private static ImageProblem bad(String detail) {
        return new ImageProblem(Reason.BAD_TRANSFORM, detail);
    }
}

package petrichor.services.images;

import java.awt.Graphics2D;
import java.awt.geom.AffineTransform;
import java.awt.image.BufferedImage;
import petrichor.services.images.ImageProblem.Reason;
import petrichor.services.images.ImageTransform.Fit;

/** Executes transforms on decoded images. Results are new images; the source is unchanged. */
final class Pixels {
    private static final double CLIPPED = 0.005;
    private static final int COLORS = 3;

    private Pixels() {}

    static BufferedImage apply(BufferedImage image, ImageTransform transform, Work work) {
        return switch (transform) {
            case ImageTransform.Resize resize -> resize(image, resize, work);
            case ImageTransform.Rotate(int degrees) -> rotate(image, degrees, work);
            case ImageTransform.FlipHorizontally() ->
                    move(image, new AffineTransform(-1, 0, 0, 1, image.getWidth(), 0), false, work);
            case ImageTransform.FlipVertically() ->
                    move(
                            image,
                            new AffineTransform(1, 0, 0, -1, 0, image.getHeight()),
                            false,
                            work);
            case ImageTransform.Crop crop -> crop(image, crop, work);
            case ImageTransform.AutoLevels() -> autoLevels(image, work);
        };
    }

    private static BufferedImage resize(
            BufferedImage image, ImageTransform.Resize resize, Work work) {
        double byWidth = (double) resize.width() / image.getWidth();
        double byHeight = (double) resize.height() / image.getHeight();
        int width = resize.width();
        int height = resize.height();
        switch (resize.fit()) {
            case Fit.Stretch() -> {}
            case Fit.Crop _ -> {
                if (byWidth > byHeight) {
                    height = (int) (byWidth * image.getHeight());
                } else {
                    width = (int) (byHeight * image.getWidth());
                }
            }
            case Fit.Inside() -> {
                if (width == 0 || (byWidth > byHeight && height > 0)) {
                    width = (int) (byHeight * image.getWidth());
                } else {
                    height = (int) (byWidth * image.getHeight());
                }
            }
        }
        BufferedImage resized = scaled(image, Math.max(1, width), Math.max(1, height), work);
        return resize.fit() instanceof Fit.Crop(float x, float y)
                ? window(
                        resized,
                        (int) ((resized.getWidth() - resize.width()) * x),
                        (int) ((resized.getHeight() - resize.height()) * y),
                        Math.min(resize.width(), resized.getWidth()),
                        Math.min(resize.height(), resized.getHeight()),
                        work)
                : resized;
    }

    private static BufferedImage scaled(BufferedImage image, int width, int height, Work work) {
        if ((long) width * height > ImageLimits.PIXELS_MAX) {
            throw new ImageProblem(
                    Reason.BAD_TRANSFORM,
                    "the resized image has more than " + ImageLimits.PIXELS_MAX + " pixels");
        }
        if (width == image.getWidth() && height == image.getHeight()) {
            return image;
        }
        return Lanczos.scale(image, width, height, work);
    }

    private static BufferedImage copy(BufferedImage image, int type) {
        BufferedImage copy = new BufferedImage(image.getWidth(), image.getHeight(), type);
        Graphics2D graphics = copy.createGraphics();
        try {
            graphics.setComposite(java.awt.AlphaComposite.Src);
            graphics.drawImage(image, 0, 0, null);
        } finally {
            graphics.dispose();
        }
        return copy;
    }

    static BufferedImage rotate(BufferedImage image, int degrees, Work work) {
        int width = image.getWidth();
        int height = image.getHeight();
        return switch (degrees % 360) {
            case 90 -> move(image, new AffineTransform(0, 1, -1, 0, height, 0), true, work);
            case 180 -> move(image, new AffineTransform(-1, 0, 0, -1, width, height), false, work);
            case 270 -> move(image, new AffineTransform(0, -1, 1, 0, 0, width), true, work);
            default -> image;
        };
    }

    /** Moves whole pixels. */
    private static BufferedImage move(
            BufferedImage image, AffineTransform where, boolean turned, Work work) {
        work.reserve((long) image.getWidth() * image.getHeight() * Integer.BYTES);
        BufferedImage moved =
                new BufferedImage(
                        turned ? image.getHeight() : image.getWidth(),
                        turned ? image.getWidth() : image.getHeight(),
                        image.getType());
        Graphics2D graphics = moved.createGraphics();
        try {
            graphics.setComposite(java.awt.AlphaComposite.Src);
            graphics.drawImage(image, where, null);
        } finally {
            graphics.dispose();
        }
        return moved;
    }

    private static BufferedImage crop(BufferedImage image, ImageTransform.Crop crop, Work work) {
        // Python's round(), which App Engine's own service uses, rounds halves to even numbers.
        int left = (int) Math.rint((double) crop.left() * image.getWidth());
        int top = (int) Math.rint((double) crop.top() * image.getHeight());
        int right = (int) Math.rint((double) crop.right() * image.getWidth());
        int bottom = (int) Math.rint((double) crop.bottom() * image.getHeight());
        if (right <= left || bottom <= top) {
            throw new ImageProblem(Reason.BAD_TRANSFORM, "a crop must contain a pixel");
        }
        return window(image, left, top, right - left, bottom - top, work);
    }

    private static BufferedImage window(
            BufferedImage image, int x, int y, int width, int height, Work work) {
        if (width == image.getWidth() && height == image.getHeight()) {
            return image;
        }
        work.reserve((long) width * height * Integer.BYTES);
        return copy(image.getSubimage(x, y, width, height), image.getType());
    }

    /** Stretches each colour so that all but half a per cent of its pixels use the full range. */
    private static BufferedImage autoLevels(BufferedImage image, Work work) {
        work.reserve((long) image.getWidth() * image.getHeight() * Integer.BYTES);
        Histogram histogram = Histogram.of(image);
        int[][] maps = {
            stretch(histogram.red()), stretch(histogram.green()), stretch(histogram.blue())
        };
        BufferedImage result =
                new BufferedImage(image.getWidth(), image.getHeight(), image.getType());
        int[] row = new int[image.getWidth()];
        for (int y = 0; y < image.getHeight(); y++) {
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
            for (int x = 0; x < row.length; x++) {
                int mapped = row[x] & 0xFF000000;
                for (int color = 0; color < COLORS; color++) {
                    int shift = 16 - 8 * color;
                    mapped |= maps[color][row[x] >>> shift & 0xFF] << shift;
                }
                row[x] = mapped;
            }
            result.setRGB(0, y, row.length, 1, row, 0, row.length);
        }
        return result;
    }

    private static int[] stretch(int[] counts) {
        long all = 0;
        for (int count : counts) {
            all += count;
        }
        int low = 0;
        int high = counts.length - 1;
        long clipped = (long) (all * CLIPPED);
        for (long seen = counts[low]; seen <= clipped && low < high; seen += counts[low]) {
            low++;
        }
        for (long seen = counts[high]; seen <= clipped && high > low; seen += counts[high]) {
            high--;
        }
        int[] map = new int[counts.length];
        for (int level = 0; level < map.length; level++) {
            int stretched = high == low ? level : (level - low) * 0xFF / (high - low);
            map[level] = Math.clamp(stretched, 0, 0xFF);
        }
        return map;
    }
}

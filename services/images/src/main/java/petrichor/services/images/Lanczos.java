package petrichor.services.images;

import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;

/**
 * Scales images with the Lanczos filter of PIL, with its precision: rows first, then columns, and
 * 22 bits for a coefficient. Colours are multiplied by their alpha meanwhile, so that the hidden
 * colour of transparent pixels does not shine through.
 */
final class Lanczos {
    private static final double LOBES = 3;
    private static final int PRECISION_BITS = 22;
    private static final int HALF = 1 << (PRECISION_BITS - 1);
    private static final int MAX = 0xFF;

    private Lanczos() {}

    /**
     * The contribution of source pixels to each result pixel.
     *
     * @param first source pixel of each result pixel
     * @param coefficients of the following source pixels
     */
    private record Weights(int[] first, int[][] coefficients) {
        static Weights of(int from, int to) {
            double scale = (double) from / to;
            double filterScale = Math.max(scale, 1);
            double support = LOBES * filterScale;
            int[] first = new int[to];
            int[][] coefficients = new int[to][];
            for (int i = 0; i < to; i++) {
                double center = (i + 0.5) * scale;
                first[i] = Math.max(0, (int) (center - support + 0.5));
                int end = Math.min(from, (int) (center + support + 0.5));
                double[] weights = new double[end - first[i]];
                double sum = 0;
                for (int j = 0; j < weights.length; j++) {
                    weights[j] = filter((j + first[i] - center + 0.5) / filterScale);
                    sum += weights[j];
                }
                coefficients[i] = new int[weights.length];
                for (int j = 0; j < weights.length; j++) {
                    coefficients[i][j] = (int) Math.round(weights[j] / sum * (1 << PRECISION_BITS));
                }
            }
            return new Weights(first, coefficients);
        }
    }

    private static double filter(double x) {
        return x >= -LOBES && x < LOBES ? sinc(x) * sinc(x / LOBES) : 0;
    }

    private static double sinc(double x) {
        return x == 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI);
    }

    /** The image is in INT_RGB or INT_ARGB, and so is the result. */
    static BufferedImage scale(BufferedImage image, int width, int height, Work work) {
        boolean alpha = image.getColorModel().hasAlpha();
        int fromWidth = image.getWidth();
        int fromHeight = image.getHeight();
        work.reserve(
                (long) Integer.BYTES
                        * ((long) width * fromHeight + 2L * width * height + 2L * fromWidth));
        int[] between = rows(image, alpha, Weights.of(fromWidth, width), work);
        BufferedImage result = new BufferedImage(width, height, image.getType());
        int[] pixels = ((DataBufferInt) result.getRaster().getDataBuffer()).getData();
        Weights weights = Weights.of(fromHeight, height);
        for (int y = 0; y < height; y++) {
            work.check();
            int[] coefficients = weights.coefficients()[y];
            for (int x = 0; x < width; x++) {
                int at = weights.first()[y] * width + x;
                int pixel = sum(between, at, width, coefficients);
                pixels[y * width + x] = alpha ? divided(pixel) : pixel;
            }
        }
        return result;
    }

    private static int[] rows(BufferedImage image, boolean alpha, Weights weights, Work work) {
        int width = weights.first().length;
        int[] result = new int[width * image.getHeight()];
        int[] row = new int[image.getWidth()];
        for (int y = 0; y < image.getHeight(); y++) {
            work.check();
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
            if (alpha) {
                multiply(row);
            }
            for (int x = 0; x < width; x++) {
                result[y * width + x] = sum(row, weights.first()[x], 1, weights.coefficients()[x]);
            }
        }
        return result;
    }

    private static int sum(int[] pixels, int first, int step, int[] coefficients) {
        int alpha = HALF;
        int red = HALF;
        int green = HALF;
        int blue = HALF;
        int at = first;
        for (int weight : coefficients) {
            int pixel = pixels[at];
            alpha += (pixel >>> 24) * weight;
            red += (pixel >>> 16 & MAX) * weight;
            green += (pixel >>> 8 & MAX) * weight;
            blue += (pixel & MAX) * weight;
            at += step;
        }
        return level(alpha) << 24 | level(red) << 16 | level(green) << 8 | level(blue);
    }

    private static int level(int sum) {
        return Math.clamp(sum >> PRECISION_BITS, 0, MAX);
    }

    private static void multiply(int[] row) {
        for (int i = 0; i < row.length; i++) {
            int alpha = row[i] >>> 24;
            row[i] =
                    alpha << 24
                            | multiplied(row[i] >>> 16 & MAX, alpha) << 16
                            | multiplied(row[i] >>> 8 & MAX, alpha) << 8
                            | multiplied(row[i] & MAX, alpha);
        }
    }

    private static int multiplied(int color, int alpha) {
        int product = color * alpha + 128;
        return ((product >> 8) + product) >> 8;
    }

    private static int divided(int pixel) {
        int alpha = pixel >>> 24;
        if (alpha == 0 || alpha == MAX) {
            return pixel;
        }
        return alpha << 24
                | Math.min(MAX, MAX * (pixel >>> 16 & MAX) / alpha) << 16
                | Math.min(MAX, MAX * (pixel >>> 8 & MAX) / alpha) << 8
                | Math.min(MAX, MAX * (pixel & MAX) / alpha);
    }
}

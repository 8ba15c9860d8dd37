package petrichor.services.images;

import java.awt.image.BufferedImage;

/**
 * Pixels by intensity, from 0 to 255, for each colour.
 *
 * @param red owned by the record
 */
public record Histogram(int[] red, int[] green, int[] blue) {
    static final int LEVELS = 256;

    /** A transparent pixel counts as dark. */
    static Histogram of(BufferedImage image) {
        int[] red = new int[LEVELS];
        int[] green = new int[LEVELS];
        int[] blue = new int[LEVELS];
        int[] row = new int[image.getWidth()];
        for (int y = 0; y < image.getHeight(); y++) {
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
            for (int pixel : row) {
                int alpha = pixel >>> 24;
                red[(pixel >>> 16 & 0xFF) * alpha / 0xFF]++;
                green[(pixel >>> 8 & 0xFF) * alpha / 0xFF]++;
                blue[(pixel & 0xFF) * alpha / 0xFF]++;
            }
        }
        return new Histogram(red, green, blue);
    }
}

package petrichor.bench.compression;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/**
 * A synthetic JPEG with the statistics of a photograph: three planes of noise at all scales, as in
 * clouds and landscapes, saved at quality 0.9. Free of copyright, and the same bytes everywhere.
 */
final class Photo {
    private static final int WIDTH = 2_048;
    private static final int HEIGHT = 1_536;
    private static final int OCTAVES = 9;

    /**
     * Amplitude of each scale relative to the next larger one: enough for textures like grass and
     * bark.
     */
    private static final double FINER = 0.72;

    private static final float QUALITY = 0.9f;
    private static final long SEED = 2_011;

    private Photo() {}

    static byte[] jpeg() throws IOException {
        double[][] red = noise(SEED);
        double[][] green = noise(SEED + 1);
        double[][] blue = noise(SEED + 2);
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                // The colour planes of a photograph are correlated.
                double light = green[y][x];
                int r = level(0.7 * light + 0.3 * red[y][x]);
                int b = level(0.7 * light + 0.3 * blue[y][x]);
                image.setRGB(x, y, r << 16 | level(light) << 8 | b);
            }
        }
        return encoded(image);
    }

    private static int level(double value) {
        return (int) Math.clamp(128 + 60 * value, 0, 255);
    }

    /** Noise at each scale, somewhat weaker than at the next larger one. */
    private static double[][] noise(long seed) {
        double[][] sum = new double[HEIGHT][WIDTH];
        for (int octave = 0; octave < OCTAVES; octave++) {
            int cell = 1 << (OCTAVES - 1 - octave);
            double strength = Math.pow(FINER, octave);
            double[][] grid =
                    grid(
                            new SplittableRandom(seed * 31 + octave),
                            HEIGHT / cell + 2,
                            WIDTH / cell + 2);
            for (int y = 0; y < HEIGHT; y++) {
                for (int x = 0; x < WIDTH; x++) {
                    sum[y][x] += strength * between(grid, (double) y / cell, (double) x / cell);
                }
            }
        }
        return sum;
    }

    private static double[][] grid(SplittableRandom random, int rows, int columns) {
        double[][] grid = new double[rows][columns];
        for (double[] row : grid) {
            for (int column = 0; column < columns; column++) {
                row[column] = random.nextDouble(-1, 1);
            }
        }
        return grid;
    }

    private static double between(double[][] grid, double y, double x) {
        int row = (int) y;
        int column = (int) x;
        double down = y - row;
        double across = x - column;
        double upper = grid[row][column] * (1 - across) + grid[row][column + 1] * across;
        double lower = grid[row + 1][column] * (1 - across) + grid[row + 1][column + 1] * across;
        return upper * (1 - down) + lower * down;
    }

    private static byte[] encoded(BufferedImage image) throws IOException {
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ImageOutputStream out = ImageIO.createImageOutputStream(bytes)) {
            ImageWriteParam parameters = writer.getDefaultWriteParam();
            parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            parameters.setCompressionQuality(QUALITY);
            writer.setOutput(out);
            writer.write(null, new IIOImage(image, null, null), parameters);
        } finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }
}

package petrichor.services.images;

import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import javax.imageio.ImageIO;

/**
 * Images, and what the images stub of Google's Python SDK makes of them; {@code
 * src/test/python/samples.py} wrote both.
 */
final class Samples {
    private Samples() {}

    static byte[] bytes(String name) {
        try (InputStream file =
                Objects.requireNonNull(Samples.class.getResourceAsStream(name), name)) {
            return file.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String text(String name) {
        return new String(bytes(name), StandardCharsets.UTF_8);
    }

    static BufferedImage image(byte[] encoded) {
        try {
            BufferedImage read = ImageIO.read(new ByteArrayInputStream(encoded));
            BufferedImage plain =
                    new BufferedImage(
                            read.getWidth(), read.getHeight(), BufferedImage.TYPE_INT_ARGB);
            Graphics2D graphics = plain.createGraphics();
            graphics.drawImage(read, 0, 0, null);
            graphics.dispose();
            return plain;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static BufferedImage expected(String name) {
        return image(bytes("expected-" + name + ".png"));
    }

    /**
     * Mean difference of the channels, 0 to 255; colours count as much as they are visible.
     * Infinite if the sizes differ.
     */
    static double difference(BufferedImage one, BufferedImage other) {
        if (one.getWidth() != other.getWidth() || one.getHeight() != other.getHeight()) {
            return Double.POSITIVE_INFINITY;
        }
        long sum = 0;
        for (int y = 0; y < one.getHeight(); y++) {
            for (int x = 0; x < one.getWidth(); x++) {
                int left = one.getRGB(x, y);
                int right = other.getRGB(x, y);
                for (int shift = 0; shift < 32; shift += 8) {
                    sum += Math.abs(channel(left, shift) - channel(right, shift));
                }
            }
        }
        return sum / (4.0 * one.getWidth() * one.getHeight());
    }

    private static int channel(int pixel, int shift) {
        int value = pixel >>> shift & 0xFF;
        return shift == 24 ? value : value * (pixel >>> 24) / 0xFF;
    }
}

package petrichor.services.images;

import com.luciad.imageio.webp.WebPImageWriterSpi;
import com.luciad.imageio.webp.WebPWriteParam;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.Locale;
import javax.imageio.IIOImage;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.spi.IIORegistry;
import javax.imageio.spi.ImageWriterSpi;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import petrichor.services.images.ImageProblem.Reason;

/** Encodes results. */
final class Encoder {
    private static final float PERCENT = 100;

    private Encoder() {}

    static byte[] encode(BufferedImage image, Output output, Work work) {
        // Encoders buffer their result once, and we copy it.
        work.reserve(2L * image.getWidth() * image.getHeight() * Integer.BYTES);
        try {
            byte[] encoded =
                    switch (output.encoding()) {
                        case PNG -> write(image, ofThisRuntime("png"), null);
                        case JPEG -> jpeg(image, output);
                        case WEBP -> webp(image, output);
                    };
            if (encoded.length > ImageLimits.OUTPUT_BYTES_MAX) {
                throw new ImageProblem(
                        Reason.TOO_LARGE,
                        "the result is larger than " + ImageLimits.OUTPUT_BYTES_MAX + " bytes");
            }
            return encoded;
        } catch (IOException e) {
            throw new IllegalStateException("encoding in memory failed", e);
        }
    }

    private static byte[] jpeg(BufferedImage image, Output output) throws IOException {
        ImageWriter writer = ofThisRuntime("jpeg");
        ImageWriteParam parameters = writer.getDefaultWriteParam();
        parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        parameters.setCompressionQuality(output.quality() / PERCENT);
        return write(opaque(image, output.background()), writer, parameters);
    }

    private static byte[] webp(BufferedImage image, Output output) throws IOException {
        ImageWriter writer = new WebPImageWriterSpi().createWriterInstance(null);
        WebPWriteParam parameters = (WebPWriteParam) writer.getDefaultWriteParam();
        parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        parameters.setCompressionType(com.luciad.imageio.webp.CompressionType.Lossy);
        parameters.setCompressionQuality(output.quality() / PERCENT);
        return write(image, writer, parameters);
    }

    private static byte[] write(
            BufferedImage image,
            ImageWriter writer,
            @org.jspecify.annotations.Nullable ImageWriteParam parameters)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ImageOutputStream stream = new MemoryCacheImageOutputStream(bytes)) {
            writer.setOutput(stream);
            writer.write(null, new IIOImage(image, null, null), parameters);
        } finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }

    private static BufferedImage opaque(BufferedImage image, int background) {
        if (!image.getColorModel().hasAlpha()) {
            return image;
        }
        BufferedImage opaque =
                new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = opaque.createGraphics();
        try {
            graphics.drawImage(image, 0, 0, new Color(background & 0xFFFFFF), null);
        } finally {
            graphics.dispose();
        }
        return opaque;
    }

    private static ImageWriter ofThisRuntime(String format) throws IOException {
        Iterator<ImageWriterSpi> all =
                IIORegistry.getDefaultInstance().getServiceProviders(ImageWriterSpi.class, true);
        while (all.hasNext()) {
            ImageWriterSpi one = all.next();
            if (one.getClass()
                    .getName()
                    .toLowerCase(Locale.ROOT)
                    .startsWith("com.sun.imageio.plugins." + format)) {
                return one.createWriterInstance(null);
            }
        }
        throw new IllegalStateException("this Java runtime cannot write " + format);
    }
}

package petrichor.services.images;

import com.twelvemonkeys.imageio.stream.ByteArrayImageInputStream;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageReader;
import javax.imageio.ImageTypeSpecifier;
import javax.imageio.event.IIOReadProgressListener;
import javax.imageio.stream.ImageInputStream;
import petrichor.services.images.ImageProblem.Reason;

/**
 * Decodes images. The size comes from the header and is checked, and its memory reserved, before
 * any pixel is decoded: a small file cannot claim a large image (a decompression bomb). Metadata,
 * which can be compressed too, is not read.
 */
final class Decoder {
    private static final int BITS = 8;

    private Decoder() {}

    /**
     * The first image of the content; of an icon, the largest.
     *
     * @param work its memory and its deadline
     */
    static Decoded decode(byte[] content, Work work) {
        ImageFormat format = format(content);
        try (ImageInputStream input = new ByteArrayImageInputStream(content)) {
            ImageReader reader = format.reader();
            try {
                reader.setInput(input, false, true);
                return new Decoded(format, pixels(reader, content, format, work));
            } finally {
                reader.dispose();
            }
        } catch (IOException | RuntimeException e) {
            throw problem(e);
        }
    }

    /** Header only. */
    static Size size(byte[] content) {
        ImageFormat format = format(content);
        try (ImageInputStream input = new ByteArrayImageInputStream(content)) {
            ImageReader reader = format.reader();
            try {
                reader.setInput(input, false, true);
                int index = largest(reader, format);
                return checked(reader.getWidth(index), reader.getHeight(index));
            } finally {
                reader.dispose();
            }
        } catch (IOException | RuntimeException e) {
            throw problem(e);
        }
    }

    /** The decoded pixels, in INT_ARGB or INT_RGB. */
    record Decoded(ImageFormat format, BufferedImage image) {}

    /** In pixels. */
    record Size(int width, int height) {
        long pixels() {
            return (long) width * height;
        }
    }

    static ImageFormat format(byte[] content) {
        if (content.length == 0) {
            throw new ImageProblem(Reason.NOT_AN_IMAGE, "the image is empty");
        }
        if (content.length > ImageLimits.INPUT_BYTES_MAX) {
            throw new ImageProblem(
                    Reason.TOO_LARGE,
                    "the image is larger than " + ImageLimits.INPUT_BYTES_MAX + " bytes");
        }
        return ImageFormat.of(content)
                .orElseThrow(
                        () ->
                                new ImageProblem(
                                        Reason.NOT_AN_IMAGE,
                                        "not an image in PNG, JPEG, GIF, BMP, TIFF, ICO or WebP"));
    }

    private static BufferedImage pixels(
            ImageReader reader, byte[] content, ImageFormat format, Work work) throws IOException {
        int index = largest(reader, format);
        Size size = checked(reader.getWidth(index), reader.getHeight(index));
        long pixels = Math.max(size.pixels(), EmbeddedSizes.pixelsMax(content, format));
        if (pixels > ImageLimits.PIXELS_MAX) {
            throw tooLarge();
        }
        // The decoder's pixels and our own exist at the same time.
        work.reserve(
                pixels * (bytesPerPixel(reader, index) + Integer.BYTES + decoderBytes(format)));
        reader.addIIOReadProgressListener(new Watch(work));
        BufferedImage decoded = reader.read(index);
        work.check();
        checked(decoded.getWidth(), decoded.getHeight());
        return plain(decoded);
    }

    private static int largest(ImageReader reader, ImageFormat format) throws IOException {
        if (format != ImageFormat.ICO) {
            return 0;
        }
        int largest = 0;
        for (int i = 1; i < reader.getNumImages(true); i++) {
            if ((long) reader.getWidth(i) * reader.getHeight(i)
                    > (long) reader.getWidth(largest) * reader.getHeight(largest)) {
                largest = i;
            }
        }
        return largest;
    }

    private static Size checked(int width, int height) {
        if (width < 1 || height < 1) {
            throw new ImageProblem(Reason.BAD_IMAGE, "the image has no pixels");
        }
        if ((long) width * height > ImageLimits.PIXELS_MAX) {
            throw tooLarge();
        }
        return new Size(width, height);
    }

    private static ImageProblem tooLarge() {
        return new ImageProblem(
                Reason.TOO_LARGE, "the image has more than " + ImageLimits.PIXELS_MAX + " pixels");
    }

    /** What a decoder needs for each pixel besides the result. */
    private static int decoderBytes(ImageFormat format) {
        return switch (format) {
            case JPEG -> 6; // coefficients of a progressive image: three of 16 bits
            case WEBP -> 48; // objects for each block of 4 x 4
            case PNG, GIF, BMP, TIFF, ICO -> 0;
        };
    }

    private static int bytesPerPixel(ImageReader reader, int index) throws IOException {
        Iterator<ImageTypeSpecifier> types = reader.getImageTypes(index);
        int bits = types.hasNext() ? types.next().getColorModel().getPixelSize() : 0;
        return Math.max(Integer.BYTES, (bits + BITS - 1) / BITS);
    }

    /** Copies into 8 bits per colour, with alpha only if the image has it. */
    private static BufferedImage plain(BufferedImage decoded) {
        boolean alpha = decoded.getColorModel().hasAlpha();
        int type = alpha ? BufferedImage.TYPE_INT_ARGB : BufferedImage.TYPE_INT_RGB;
        if (decoded.getType() == type) {
            return decoded;
        }
        BufferedImage plain = new BufferedImage(decoded.getWidth(), decoded.getHeight(), type);
        Graphics2D graphics = plain.createGraphics();
        try {
            graphics.setComposite(java.awt.AlphaComposite.Src);
            graphics.drawImage(decoded, 0, 0, null);
        } finally {
            graphics.dispose();
        }
        return plain;
    }

    private static RuntimeException problem(Exception failed) {
        return switch (failed) {
            case ImageProblem known -> known;
            case petrichor.base.PetrichorException platform -> platform;
            // Decoders fail on damaged input in many ways: IOException, IndexOutOfBounds, …
            case Exception cause ->
                    new ImageProblem(Reason.BAD_IMAGE, "the image is damaged", cause);
        };
    }

    /** Ends a decoding whose deadline has passed. */
    private record Watch(Work work) implements IIOReadProgressListener {
        @Override
        public void imageProgress(ImageReader source, float percentageDone) {
            work.check();
        }

        @Override
        public void imageStarted(ImageReader source, int imageIndex) {}

        @Override
        public void imageComplete(ImageReader source) {}

        @Override
        public void sequenceStarted(ImageReader source, int minIndex) {}

        @Override
        public void sequenceComplete(ImageReader source) {}

        @Override
        public void thumbnailStarted(ImageReader source, int imageIndex, int thumbnailIndex) {}

        @Override
        public void thumbnailProgress(ImageReader source, float percentageDone) {}

        @Override
        public void thumbnailComplete(ImageReader source) {}

        @Override
        public void readAborted(ImageReader source) {}
    }
}

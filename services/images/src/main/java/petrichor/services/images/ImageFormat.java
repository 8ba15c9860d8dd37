package petrichor.services.images;

import com.twelvemonkeys.imageio.plugins.bmp.ICOImageReaderSpi;
import com.twelvemonkeys.imageio.plugins.webp.WebPImageReaderSpi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import javax.imageio.ImageReader;
import javax.imageio.spi.IIORegistry;
import javax.imageio.spi.ImageReaderSpi;

/** The formats that can be read, recognized by their first bytes. */
enum ImageFormat {
    PNG("image/png", "\u0089PNG\r\n\u001a\n"),
    JPEG("image/jpeg", "\u00ff\u00d8\u00ff"),
    GIF("image/gif", "GIF87a", "GIF89a"),
    BMP("image/bmp", "BM"),
    TIFF("image/tiff", "II*\0", "MM\0*"),
    ICO("image/x-icon", "\0\0\u0001\0"),
    WEBP("image/webp", "RIFF");

    private static final int HEADER_BYTES = 12;
    private static final String RIFF_TYPE = "WEBP";
    private static final int RIFF_TYPE_AT = 8;

    private final String mediaType;
    private final String beginning;
    private final String otherBeginning;

    ImageFormat(String mediaType, String beginning) {
        this(mediaType, beginning, beginning);
    }

    ImageFormat(String mediaType, String beginning, String otherBeginning) {
        this.mediaType = mediaType;
        this.beginning = beginning;
        this.otherBeginning = otherBeginning;
    }

    String mediaType() {
        return mediaType;
    }

    static Optional<ImageFormat> of(byte[] content) {
        String header =
                new String(
                        content,
                        0,
                        Math.min(HEADER_BYTES, content.length),
                        StandardCharsets.ISO_8859_1);
        return Arrays.stream(values()).filter(format -> format.begins(header)).findFirst();
    }

    private boolean begins(String header) {
        return (header.startsWith(beginning) || header.startsWith(otherBeginning))
                && (this != WEBP || header.startsWith(RIFF_TYPE, RIFF_TYPE_AT));
    }

    /** A new reader; the caller disposes it. */
    ImageReader reader() throws IOException {
        return switch (this) {
            case PNG, GIF, BMP, TIFF -> registered("com.sun.imageio.");
            // Also reads what Java's reader does not: CMYK, and damaged colour profiles.
            case JPEG -> registered("com.twelvemonkeys.imageio.plugins.jpeg.");
            case ICO -> new ICOImageReaderSpi().createReaderInstance(null);
            case WEBP -> new WebPImageReaderSpi().createReaderInstance(null);
        };
    }

    /** The reader of one library, regardless of what else is on the class path. */
    private ImageReader registered(String library) throws IOException {
        Iterator<ImageReaderSpi> all =
                IIORegistry.getDefaultInstance().getServiceProviders(ImageReaderSpi.class, true);
        while (all.hasNext()) {
            ImageReaderSpi one = all.next();
            if (one.getClass().getName().startsWith(library)
                    && Arrays.asList(one.getFormatNames())
                            .contains(name().toLowerCase(Locale.ROOT))) {
                return one.createReaderInstance(null);
            }
        }
        throw new IllegalStateException("there is no reader of " + this + " in " + library);
    }
}

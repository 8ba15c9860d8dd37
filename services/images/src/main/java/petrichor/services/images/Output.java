package petrichor.services.images;

import petrichor.services.images.ImageProblem.Reason;

/**
 * Encoding of a result.
 *
 * @param quality 1 to 100, for JPEG and WebP
 * @param background colour that replaces transparency in JPEG, as RGB
 */
public record Output(Encoding encoding, int quality, int background) {
    /** App Engine's default. */
    public static final int QUALITY_DEFAULT = 85;

    /** The formats that can be written. */
    public enum Encoding {
        PNG,
        JPEG,
        WEBP
    }

    public Output {
        if (quality < 1 || quality > 100) {
            throw new ImageProblem(Reason.BAD_TRANSFORM, "the quality must be 1 to 100");
        }
    }

    public static Output of(Encoding encoding) {
        return new Output(encoding, QUALITY_DEFAULT, 0);
    }
}

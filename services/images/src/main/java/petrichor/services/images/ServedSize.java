package petrichor.services.images;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The size that a serving URL asks for: {@code =s200} scales the longer side to 200 pixels, {@code
 * =s200-c} crops to a square. Without it, the longer side has at most 512 pixels; {@code =s0}
 * serves the original.
 *
 * @param pixels of a side; 0 for the original
 */
public record ServedSize(int pixels, boolean cropped) {
    public static final int PIXELS_DEFAULT = 512;

    /** App Engine's limit. */
    public static final int PIXELS_MAX = 1600;

    private static final Pattern OPTIONS = Pattern.compile("s([0-9]{1,4})(-c)?");

    /**
     * @param options the part of the URL after the equals sign; empty for none
     */
    public static Optional<ServedSize> parse(String options) {
        if (options.isEmpty()) {
            return Optional.of(new ServedSize(PIXELS_DEFAULT, false));
        }
        Matcher matcher = OPTIONS.matcher(options);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int pixels = Integer.parseInt(matcher.group(1));
        return pixels > PIXELS_MAX
                ? Optional.empty()
                : Optional.of(new ServedSize(pixels, matcher.group(2) != null));
    }

    /** Whether an image of this size has to be transformed. A smaller one is not enlarged. */
    boolean changes(int width, int height) {
        return pixels != 0 && (Math.max(width, height) > pixels || (cropped && width != height));
    }

    /** None for the original. */
    public List<ImageTransform> transforms() {
        if (pixels == 0) {
            return List.of();
        }
        return List.of(
                new ImageTransform.Resize(
                        pixels,
                        pixels,
                        cropped
                                ? new ImageTransform.Fit.Crop(0.5f, 0.5f)
                                : new ImageTransform.Fit.Inside()));
    }
}

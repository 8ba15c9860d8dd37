package petrichor.tuples;

import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.regex.Pattern;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/**
 * A tag of a tuple, such as {@code colour=blue}. Ordered by dimension and value, as UTF-8.
 *
 * @param dimension empty for a tag without one, such as {@code oval}
 */
public record Tag(String dimension, String value) implements Comparable<Tag> {
    private static final Pattern DIMENSION = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

    private static final Comparator<String> UTF_8 =
            (one, other) ->
                    Bytes.compare(
                            one.getBytes(StandardCharsets.UTF_8),
                            other.getBytes(StandardCharsets.UTF_8));
    private static final Comparator<Tag> ORDER =
            Comparator.comparing(Tag::dimension, UTF_8).thenComparing(Tag::value, UTF_8);

    public Tag {
        requireDimension(dimension);
        BoundedText.require("the value of a tag", value, TupleLimits.TAG_BYTES_MAX);
    }

    static void requireDimension(String dimension) {
        if (!dimension.isEmpty()
                && (dimension.length() > TupleLimits.DIMENSION_CHARS_MAX
                        || !DIMENSION.matcher(dimension).matches())) {
            throw PetrichorException.invalid(
                    "\"{dimension}\" is not a dimension of tags: use at most {charsMax} letters,"
                            + " digits, dots, dashes and underscores, beginning with a letter.",
                    "dimension",
                    BoundedText.shown(dimension),
                    "charsMax",
                    TupleLimits.DIMENSION_CHARS_MAX);
        }
    }

    /** Reads {@code dimension=value}, or a value without a dimension. */
    public static Tag parse(String text) {
        int equals = text.indexOf('=');
        return equals < 0
                ? new Tag("", text)
                : new Tag(text.substring(0, equals), text.substring(equals + 1));
    }

    @Override
    public int compareTo(Tag other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return dimension.isEmpty() ? value : dimension + "=" + value;
    }
}

package petrichor.frontends.storage;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * The part of an object that one request of a resumable upload carries.
 *
 * @param from position of the first byte
 * @param bytes their number; null if the range ends where the body ends
 * @param total size of the object; null if it is not known yet
 */
record ContentRange(long from, @Nullable Long bytes, @Nullable Long total) {
    private static final Pattern BYTES =
            Pattern.compile("bytes\\s+(?:(\\d{1,18})-(\\d{1,18}|\\*)|\\*)/(?:(\\d{1,18})|\\*)");

    /** A request without a range carries the whole object. */
    static final ContentRange WHOLE = new ContentRange(0, null, null);

    /** INVALID_ARGUMENT if the header cannot be read. */
    static ContentRange of(String header) {
        if (header.isEmpty()) {
            return WHOLE;
        }
        Matcher range = BYTES.matcher(header.strip());
        if (!range.matches()) {
            throw PetrichorException.invalid(
                    "the Content-Range \"{value}\" is not \"bytes FIRST-LAST/SIZE\" or \"bytes"
                            + " */SIZE\", with * for an unknown size or last byte",
                    "value",
                    header);
        }
        Long total = range.group(3) == null ? null : Long.valueOf(range.group(3));
        if (range.group(1) == null) {
            return new ContentRange(0, 0L, total);
        }
        long from = Long.parseLong(range.group(1));
        if (range.group(2).equals("*")) {
            return new ContentRange(from, null, total);
        }
        long last = Long.parseLong(range.group(2));
        if (last < from || (total != null && last >= total)) {
            throw PetrichorException.invalid(
                    "the Content-Range \"{value}\" contradicts itself", "value", header);
        }
        return new ContentRange(from, last + 1 - from, total);
    }

    /** Whether the object ends where the body ends. */
    boolean isLast() {
        return bytes == null && total == null;
    }

    /** Whether it carries nothing, and asks for the state of the upload. */
    boolean isEmpty() {
        return bytes != null && bytes == 0;
    }
}

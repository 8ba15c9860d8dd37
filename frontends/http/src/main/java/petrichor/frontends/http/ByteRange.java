package petrichor.frontends.http;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The bytes of a content that a client wants (RFC 9110, section 14.2). */
public sealed interface ByteRange {
    Pattern ONE = Pattern.compile("bytes=\\s*(\\d{0,18})\\s*-\\s*(\\d{0,18})\\s*");

    /** Without a range, with several, or with one that cannot be read. */
    record All() implements ByteRange {}

    /** The positions {@code from <= position < to}. */
    record Some(long from, long to) implements ByteRange {}

    /** It contains no byte of the content. */
    record Nothing() implements ByteRange {}

    /**
     * @param header empty if the request has none
     */
    static ByteRange of(String header, long size) {
        Matcher range = ONE.matcher(header);
        if (!range.matches() || (range.group(1).isEmpty() && range.group(2).isEmpty())) {
            return new All();
        }
        if (range.group(1).isEmpty()) {
            long last = Long.parseLong(range.group(2));
            return last == 0 || size == 0
                    ? new Nothing()
                    : new Some(Math.max(0, size - last), size);
        }
        long from = Long.parseLong(range.group(1));
        long last = range.group(2).isEmpty() ? size - 1 : Long.parseLong(range.group(2));
        if (!range.group(2).isEmpty() && last < from) {
            return new All();
        }
        return from >= size ? new Nothing() : new Some(from, Math.min(size, last + 1));
    }
}

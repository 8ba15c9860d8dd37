package petrichor.jobs.formats;

import petrichor.jobs.records.Words;

/**
 * Infers whether a position in separated text is within quotes, from the quotes after it. In text
 * that follows RFC 4180, a quote opens after a separator or line terminator and closes before one.
 * Both hypotheses are followed to the first quote that contradicts them; the one that holds longer
 * wins, and "outside" if neither is contradicted. A pure function of the bytes: two readers come to
 * the same result. Stateless.
 */
final class QuoteParity {
    /** Maximum look-ahead after the position. */
    static final int EVIDENCE_BYTES = 64 << 10;

    /** Maximum distance of a byte other than a quote before the position. */
    static final int BEFORE_BYTES = 64;

    private static final long QUOTE = Words.pattern('"');

    private QuoteParity() {}

    /**
     * The last byte up to this one other than a quote: between two quotes the state is ambiguous.
     */
    static int lastCertain(byte[] bytes, int at) {
        int certain = at;
        while (certain > 0 && bytes[certain] == '"') {
            certain--;
        }
        return certain;
    }

    /**
     * @param from a byte other than a quote
     */
    static boolean isQuoted(byte[] bytes, int from, int to, byte separator) {
        int outside = contradiction(bytes, from, to, separator, false);
        return outside < to && contradiction(bytes, from, to, separator, true) > outside;
    }

    /** The first quote that contradicts this hypothesis, or to. */
    private static int contradiction(
            byte[] bytes, int from, int to, byte separator, boolean quoted) {
        boolean inside = quoted;
        int at = from;
        while (true) {
            at = Words.find(bytes, at, to, QUOTE);
            if (at == to) {
                return to;
            }
            if (!inside) {
                if (at > from && bytes[at - 1] != separator && bytes[at - 1] != '\n') {
                    return at;
                }
                inside = true;
                at++;
            } else if (at + 1 == to) {
                return to;
            } else if (bytes[at + 1] == '"') {
                at += 2;
            } else if (bytes[at + 1] == separator
                    || bytes[at + 1] == '\n'
                    || bytes[at + 1] == '\r') {
                inside = false;
                at++;
            } else {
                return at;
            }
        }
    }
}

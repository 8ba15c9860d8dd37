package petrichor.jobs.formats;

import petrichor.jobs.records.Words;

/**
 * Guesses whether a place in separated text lies within quotes, from the quotes behind it. Where
 * quotes stand as RFC 4180 has them, one opens behind a separator or line end and closes before
 * one. Both assumptions are followed to the first quote that contradicts them; the one that holds
 * longer wins, and "outside" where none is contradicted. A pure function of the bytes: two readers
 * come to the same guess. Stateless.
 */
final class QuoteParity {
    /** So far is looked behind the place. */
    static final int EVIDENCE_BYTES = 64 << 10;

    /** How far before it a byte other than a quote is searched. */
    static final int BEFORE_BYTES = 64;

    private static final long QUOTE = Words.pattern('"');

    private QuoteParity() {}

    /**
     * The last byte up to this one other than a quote: between two quotes the state is not certain.
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

    /** The first quote that cannot stand where it does if the text begins so, or to. */
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

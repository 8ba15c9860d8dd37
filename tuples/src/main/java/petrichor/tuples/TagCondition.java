package petrichor.tuples;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;

/** A condition that a tag of the dimension meets; the tuple has it if one of its tags does. */
public sealed interface TagCondition {
    /** Empty for tags without a dimension. */
    String dimension();

    /** Whether the value of a tag of the dimension meets the condition. */
    boolean meets(String value);

    /** Values that meet the condition are in {@code from <= value < to}. */
    byte[] from();

    /** Null: to the end. */
    byte @Nullable [] end();

    /** Whether a tag of the tuple meets the condition. */
    default boolean holds(Tuple tuple) {
        for (Tag tag : tuple.tags()) {
            if (tag.dimension().equals(dimension()) && meets(tag.value())) {
                return true;
            }
        }
        return false;
    }

    /** The value itself. */
    record Is(String dimension, String value) implements TagCondition {
        public Is {
            var _ = new Tag(dimension, value);
        }

        @Override
        public boolean meets(String candidate) {
            return candidate.equals(value);
        }

        @Override
        public byte[] from() {
            return bytes(value);
        }

        @Override
        public byte[] end() {
            return Bytes.successor(bytes(value));
        }
    }

    /**
     * A pattern: a star matches any text, a backslash precedes a star or backslash that matches for
     * itself.
     */
    record Like(String dimension, String pattern) implements TagCondition {
        private static final char ANY = '*';
        private static final char ESCAPE = '\\';

        public Like {
            Tag.requireDimension(dimension);
            BoundedText.require("the pattern of a tag", pattern, 2 * TupleLimits.TAG_BYTES_MAX);
        }

        /** The text before the first star. */
        String prefix() {
            StringBuilder prefix = new StringBuilder();
            for (int at = 0; at < pattern.length(); at++) {
                char next = pattern.charAt(at);
                if (next == ANY) {
                    break;
                }
                prefix.append(
                        next == ESCAPE && ++at < pattern.length() ? pattern.charAt(at) : next);
            }
            return prefix.toString();
        }

        /** The time is bounded by the product of the lengths of pattern and value. */
        @Override
        public boolean meets(String value) {
            int at = 0;
            int in = 0;
            int star = -1;
            int retry = 0;
            while (in < value.length()) {
                if (at < pattern.length() && pattern.charAt(at) == ANY) {
                    star = ++at;
                    retry = in;
                    continue;
                }
                int literal = at;
                if (at + 1 < pattern.length() && pattern.charAt(at) == ESCAPE) {
                    literal++;
                }
                if (literal < pattern.length() && pattern.charAt(literal) == value.charAt(in)) {
                    at = literal + 1;
                    in++;
                } else if (star >= 0) {
                    at = star;
                    in = ++retry;
                } else {
                    return false;
                }
            }
            while (at < pattern.length() && pattern.charAt(at) == ANY) {
                at++;
            }
            return at == pattern.length();
        }

        @Override
        public byte[] from() {
            return bytes(prefix());
        }

        @Override
        public byte @Nullable [] end() {
            return Bytes.afterPrefix(from());
        }
    }

    /** Values from one to another, both included, in the order of their UTF-8 bytes. */
    record Between(String dimension, String first, String last) implements TagCondition {
        public Between {
            Tag.requireDimension(dimension);
            BoundedText.require("the first value of a range", first, TupleLimits.TAG_BYTES_MAX);
            BoundedText.require("the last value of a range", last, TupleLimits.TAG_BYTES_MAX);
            if (Bytes.compare(bytes(first), bytes(last)) > 0) {
                throw PetrichorException.invalid(
                        "the range of tags {first} to {last} is empty.",
                        "first",
                        BoundedText.shown(first),
                        "last",
                        BoundedText.shown(last));
            }
        }

        @Override
        public boolean meets(String value) {
            byte[] candidate = bytes(value);
            return Bytes.compare(bytes(first), candidate) <= 0
                    && Bytes.compare(candidate, bytes(last)) <= 0;
        }

        @Override
        public byte[] from() {
            return bytes(first);
        }

        @Override
        public byte[] end() {
            return Bytes.successor(bytes(last));
        }
    }

    /**
     * Reads {@code dimension=value}, {@code dimension=pat*ern} or {@code dimension=from..to}; the
     * dimension and the equals sign may be absent.
     */
    static TagCondition parse(String text) {
        int equals = text.indexOf('=');
        String dimension = equals < 0 ? "" : text.substring(0, equals);
        String value = text.substring(equals + 1);
        int dots = value.indexOf("..");
        if (dots > 0 && dots + 2 < value.length()) {
            return new Between(dimension, value.substring(0, dots), value.substring(dots + 2));
        }
        return value.indexOf(Like.ANY) >= 0 ? new Like(dimension, value) : new Is(dimension, value);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

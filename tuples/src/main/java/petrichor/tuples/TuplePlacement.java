package petrichor.tuples;

import java.util.HashSet;
import java.util.List;
import petrichor.base.PetrichorException;

/** Where the tuples of a collection are stored: how a key becomes the key of a row. */
public sealed interface TuplePlacement {
    /** Buckets unless the collection asks for others. */
    int BUCKETS_DEFAULT = 16;

    /** Bits of each dimension of a curve unless the collection asks for others. */
    int BITS_DEFAULT = 8;

    /** Groups unless the collection asks for others. */
    int GROUPS_DEFAULT = 256;

    /** Ends the affinity part of a key unless the collection asks for another. */
    String SEPARATOR_DEFAULT = "/";

    /** A word for the strategy, as in the API. */
    String word();

    /**
     * By a hash of the key: load is spread evenly, and a range of keys reads each bucket.
     *
     * @param buckets 1 to 256
     */
    record Hashed(int buckets) implements TuplePlacement {
        public Hashed {
            requireBetween("buckets", buckets, 1, TupleLimits.BUCKETS_MAX);
        }

        @Override
        public String word() {
            return "random";
        }
    }

    /** By the key: a range of keys is a range of rows. */
    record Ordered() implements TuplePlacement {
        @Override
        public String word() {
            return "ordered";
        }
    }

    /**
     * By the tags in some dimensions, along Hilbert's curve over quantiles of their values. A tuple
     * has at most one tag in each of these dimensions.
     *
     * @param dimensions 2 to 4
     * @param bits of each dimension: its values are divided into 2^bits buckets
     */
    record Tagged(List<String> dimensions, int bits) implements TuplePlacement {
        private static final int DIMENSIONS_MIN = 2;
        private static final int DIMENSIONS_MAX = 4;

        public Tagged {
            dimensions = List.copyOf(dimensions);
            requireBetween("dimensions", dimensions.size(), DIMENSIONS_MIN, DIMENSIONS_MAX);
            requireBetween("bits", bits, 1, BITS_DEFAULT);
            dimensions.forEach(Tag::requireDimension);
            if (new HashSet<>(dimensions).size() < dimensions.size() || dimensions.contains("")) {
                throw PetrichorException.invalid(
                        "the dimensions of a tagged placement must be named and differ.");
            }
        }

        @Override
        public String word() {
            return "tagged";
        }
    }

    /**
     * By a group that is assigned to the part of the key before the separator, or to the key if it
     * has none. Keys without an assignment are spread by a hash.
     *
     * @param groups 1 to 65,536
     */
    record Affinity(String separator, int groups) implements TuplePlacement {
        public Affinity {
            requireSeparator(separator);
            requireBetween("groups", groups, 1, TupleLimits.GROUPS_MAX);
        }

        @Override
        public String word() {
            return "affinity";
        }

        String affinityKey(String key) {
            return before(key, separator);
        }
    }

    /**
     * Beside the tuple of another collection whose key is the part of the key before the separator.
     * That tuple need not exist.
     */
    record Colocated(String collection, String separator) implements TuplePlacement {
        public Colocated {
            CollectionName.require(collection);
            requireSeparator(separator);
        }

        @Override
        public String word() {
            return "colocated";
        }

        String hostKey(String key) {
            return before(key, separator);
        }
    }

    private static String before(String key, String separator) {
        int at = key.indexOf(separator);
        return at <= 0 ? key : key.substring(0, at);
    }

    private static void requireSeparator(String separator) {
        BoundedText.require(
                "the separator of a placement", separator, TupleLimits.SEPARATOR_BYTES_MAX);
    }

    private static void requireBetween(String what, int number, int min, int max) {
        if (number < min || number > max) {
            throw PetrichorException.invalid(
                    "a placement has {min} to {max} {what}, not {number}.",
                    "min",
                    min,
                    "max",
                    max,
                    "what",
                    what,
                    "number",
                    number);
        }
    }
}

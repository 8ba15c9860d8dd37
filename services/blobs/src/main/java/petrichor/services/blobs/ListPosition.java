package petrichor.services.blobs;

import java.util.Arrays;
import java.util.Base64;
import petrichor.base.Bytes;
import petrichor.base.OrderedReader;
import petrichor.base.OrderedWriter;
import petrichor.base.PetrichorException;

/**
 * Where a list continues, also as a page token.
 *
 * @param name of an object, or a common prefix
 * @param generation versions up to this one are listed already
 * @param prefix whether all objects with the prefix are listed already
 */
record ListPosition(String name, long generation, boolean prefix) {
    private static final int TERMINATOR_BYTES = 2;

    static ListPosition start(String name) {
        return new ListPosition(name, -1, false);
    }

    static ListPosition after(BlobObject object) {
        return new ListPosition(object.name(), object.generation(), false);
    }

    static ListPosition afterPrefix(String prefix) {
        return new ListPosition(prefix, 0, true);
    }

    String token() {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        new OrderedWriter()
                                .put(prefix ? 1 : 0)
                                .putString(name)
                                .putLong(generation)
                                .toBytes());
    }

    /** INVALID_ARGUMENT if the token was not issued by {@link #token}. */
    static ListPosition of(String token) {
        try {
            OrderedReader reader = new OrderedReader(Base64.getUrlDecoder().decode(token), 0);
            boolean prefix = reader.take() == 1;
            return new ListPosition(reader.takeString(), reader.takeLong(), prefix);
        } catch (IllegalArgumentException | PetrichorException damaged) {
            throw PetrichorException.invalid(
                    "The page token \"{token}\" is invalid; use the one of the previous page.",
                    "token",
                    token);
        }
    }

    /**
     * The first key of the versions that follow.
     *
     * @param bucketKey prefix of all keys of the bucket
     */
    byte[] firstKey(byte[] bucketKey) {
        byte[] key = new OrderedWriter().putEncoded(bucketKey).putString(name).toBytes();
        byte[] open = Arrays.copyOf(key, key.length - TERMINATOR_BYTES);
        if (!prefix) {
            return generation < 0 ? open : key;
        }
        byte[] next = Bytes.afterPrefix(open);
        return next == null ? key : next;
    }

    /** Whether this version was listed already. */
    boolean covers(BlobObject object) {
        return !prefix && object.name().equals(name) && object.generation() <= generation;
    }
}

package petrichor.services.blobs;

import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.services.blobs.content.Checksums;

/**
 * States of MD5 between the requests of an upload. They cannot be stored; without one, the content
 * is read again when the upload is complete. Thread-safe.
 */
final class DigestCache {
    private static final int STATES_MAX = 1_000;

    private final Map<String, State> states =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, State> eldest) {
                    return size() > STATES_MAX;
                }
            };

    /**
     * @param received bytes that the state covers
     */
    private record State(long received, MessageDigest digest) {}

    synchronized void put(String upload, long received, MessageDigest digest) {
        states.put(upload, new State(received, digest));
    }

    /** A copy of the state after that many bytes; null if it is not known. */
    synchronized @Nullable MessageDigest get(String upload, long received) {
        if (received == 0) {
            return Checksums.newMd5();
        }
        State state = states.get(upload);
        return state == null || state.received() != received
                ? null
                : Checksums.copy(state.digest());
    }

    synchronized void remove(String upload) {
        states.remove(upload);
    }
}

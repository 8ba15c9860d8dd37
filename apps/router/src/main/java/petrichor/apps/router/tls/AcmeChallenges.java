package petrichor.apps.router.tls;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The answers with which the router proves to a certificate authority that a host leads here (RFC
 * 8555, section 8.3). Thread-safe.
 */
public final class AcmeChallenges {
    private static final String PATH = "/.well-known/acme-challenge/";

    private final Map<Asked, String> answers = new ConcurrentHashMap<>();

    private record Asked(String host, String path) {}

    /**
     * Answers requests until it is closed.
     *
     * @param host in lower case
     */
    public Open open(String host, String token, String answer) {
        Asked asked = new Asked(host, PATH + token);
        answers.put(asked, answer);
        return () -> answers.remove(asked);
    }

    /** A challenge that is answered. */
    public interface Open extends AutoCloseable {
        @Override
        void close();
    }

    /** Null if it is not the path of an open challenge; then the app may answer. */
    public @Nullable String answer(String host, String path) {
        return answers.isEmpty() || !path.startsWith(PATH)
                ? null
                : answers.get(new Asked(host, path));
    }
}

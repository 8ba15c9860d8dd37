package petrichor.frontends.postgres;

import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import petrichor.sql.SqlSession;

/**
 * The sessions that a request for cancellation may name. Such a request arrives on a connection of
 * its own, which is not authenticated: it needs the secret of the session. Thread-safe.
 */
final class Cancellations {
    private final SecureRandom random = new SecureRandom();
    private final Map<Integer, Cancellable> sessions = new ConcurrentHashMap<>();

    /**
     * @param process identifies the session
     */
    record Key(int process, int secret) {}

    private record Cancellable(int secret, SqlSession session) {}

    Key add(SqlSession session) {
        while (true) {
            int process = random.nextInt(1, Integer.MAX_VALUE);
            int secret = random.nextInt();
            if (sessions.putIfAbsent(process, new Cancellable(secret, session)) == null) {
                return new Key(process, secret);
            }
        }
    }

    void cancel(Key key) {
        Cancellable named = sessions.get(key.process());
        if (named != null && named.secret() == key.secret()) {
            named.session().cancel();
        }
    }

    void remove(Key key) {
        sessions.remove(key.process());
    }
}

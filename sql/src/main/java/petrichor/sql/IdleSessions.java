package petrichor.sql;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import petrichor.sql.h2.H2Catalog;
import petrichor.sql.h2.H2Session;

/**
 * H2 sessions of one version of the catalog that wait for the next statement of a connection.
 * Confined to the session's thread.
 */
final class IdleSessions {
    private static final int IDLE_MAX = 4;

    private final String user;
    private final SessionSettings settings;
    private final TemporarySchema temporary;
    private final Deque<H2Session> idle = new ArrayDeque<>();
    private @Nullable H2Catalog catalog;

    IdleSessions(String user, SessionSettings settings, TemporarySchema temporary) {
        this.user = user;
        this.settings = settings;
        this.temporary = temporary;
    }

    /** The session's settings in an H2 session. */
    void apply(H2Session h2) {
        h2.timeZone(settings.zone());
        h2.searchPath(temporary.path(settings.searchPath()));
    }

    H2Session borrow(H2Catalog wanted) {
        if (catalog != wanted) {
            close();
            catalog = wanted;
        }
        H2Session session = idle.poll();
        if (session == null) {
            session = wanted.connect(user);
            apply(session);
        }
        return session;
    }

    void giveBack(H2Session session) {
        if (session.catalog() == catalog && idle.size() < IDLE_MAX) {
            idle.push(session);
        } else {
            session.close();
        }
    }

    /** Also after a change of settings, which apply to new H2 sessions. */
    void close() {
        idle.forEach(H2Session::close);
        idle.clear();
        catalog = null;
    }
}

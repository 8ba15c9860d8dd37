package petrichor.frontends.appengine;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Tickets of the requests that apps are handling. A component that sends a request to an app, such
 * as the router or the dispatcher of tasks, issues a ticket and passes it in the header {@link
 * #HEADER}; the SDK sends it back with every API call, which identifies the app. Only the server
 * that issued a ticket knows it. Thread-safe.
 */
public final class Tickets {
    /** The header of requests to an app. */
    public static final String HEADER = "X-Appengine-Api-Ticket";

    /** Tickets at one time; about 200 bytes each. */
    public static final int TICKETS_MAX = 100_000;

    /** Calls that an app sends at the very end of its request still arrive with a valid ticket. */
    public static final Duration GRACE = Duration.ofSeconds(10);

    /** Distinguishes expired tickets from those of development. */
    private static final String PREFIX = "ticket.";

    private static final int RANDOM_BYTES = 16;

    /** Tickets that expired without being revoked are removed after this many new ones. */
    private static final int SWEEP_EVERY = 1_000;

    private final TimeSource time;
    private final RandomGenerator random;
    private final Map<String, Issued> issued = new ConcurrentHashMap<>();
    private int sinceSweep;

    private record Issued(CallingApp app, long untilNanos) {}

    /**
     * @param random cryptographically strong
     */
    public Tickets(TimeSource time, RandomGenerator random) {
        this.time = time;
        this.random = random;
    }

    /**
     * Issues a ticket for a request to an app. RESOURCE_EXHAUSTED if there are too many.
     *
     * @param deadline of the request
     */
    public String issue(CallingApp app, Duration deadline) {
        admit();
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        String ticket = PREFIX + HexFormat.of().formatHex(bytes);
        long until = time.monotonicNanos() + deadline.plus(GRACE).toNanos();
        issued.put(ticket, new Issued(app, until));
        return ticket;
    }

    private synchronized void admit() {
        sinceSweep++;
        boolean full = issued.size() >= TICKETS_MAX;
        if (full || sinceSweep >= SWEEP_EVERY) {
            sinceSweep = 0;
            long now = time.monotonicNanos();
            issued.values().removeIf(ticket -> ticket.untilNanos() - now <= 0);
        }
        if (full && issued.size() >= TICKETS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "apps are handling {ticketsMax} requests, the most that are possible at one"
                            + " time; retry later",
                    "ticketsMax",
                    TICKETS_MAX);
        }
    }

    /** The app of a valid ticket of this server. */
    Optional<CallingApp> app(String ticket) {
        Issued found = issued.get(ticket);
        return found != null && found.untilNanos() - time.monotonicNanos() > 0
                ? Optional.of(found.app())
                : Optional.empty();
    }

    /** Whether a server issued this ticket, even if it has expired or another server issued it. */
    static boolean isIssued(String ticket) {
        return ticket.startsWith(PREFIX);
    }

    /** Ends the validity of a ticket: the app has answered the request. */
    public void revoke(String ticket) {
        issued.remove(ticket);
    }

    int size() {
        return issued.size();
    }
}

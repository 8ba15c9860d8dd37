package petrichor.frontends.appengine;

import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Tickets of the requests that apps are handling. A component that sends a request to an app, such
 * as the router or the dispatcher of tasks, issues a ticket and passes it in the header {@link
 * #HEADER}; the SDK sends it back with every API call, which identifies the app. The server that
 * issued a ticket remembers it. The other servers of a cluster verify its signature: for them it is
 * valid until it expires, even if the app has answered before. Thread-safe.
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

    /** Where a signed statement begins: after the prefix, the random text and a dot. */
    private static final int SIGNED_FROM = PREFIX.length() + 2 * RANDOM_BYTES + 1;

    /** Tickets that expired without being revoked are removed after this many new ones. */
    private static final int SWEEP_EVERY = 1_000;

    private final TimeSource time;
    private final RandomGenerator random;
    private final Optional<TicketSignature> signature;
    private final String issuer;
    private final Map<String, Issued> issued = new ConcurrentHashMap<>();
    private int sinceSweep;

    private record Issued(CallingApp app, long untilNanos) {}

    /**
     * @param random cryptographically strong
     * @param signature for the other servers of a cluster; empty if there are none
     */
    public Tickets(TimeSource time, RandomGenerator random, Optional<TicketSignature> signature) {
        this.time = time;
        this.random = random;
        this.signature = signature;
        this.issuer = random();
    }

    /**
     * Issues a ticket for a request to an app. RESOURCE_EXHAUSTED if there are too many.
     *
     * @param deadline of the request
     */
    public String issue(CallingApp app, Duration deadline) {
        admit();
        Duration validity = deadline.plus(GRACE);
        String ticket =
                PREFIX + random() + signature.map(it -> "." + signed(it, app, validity)).orElse("");
        issued.put(ticket, new Issued(app, time.monotonicNanos() + validity.toNanos()));
        return ticket;
    }

    private String random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private String signed(TicketSignature by, CallingApp app, Duration validity) {
        long untilMicros = time.epochMicros() + TimeUnit.NANOSECONDS.toMicros(validity.toNanos());
        return by.sign(new TicketSignature.Statement(app, issuer, untilMicros));
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

    /** The app of a valid ticket of this server, or of another server of the cluster. */
    public Optional<CallingApp> app(String ticket) {
        Issued found = issued.get(ticket);
        if (found == null) {
            return signature.flatMap(it -> ofAnotherServer(it, ticket));
        }
        return found.untilNanos() - time.monotonicNanos() > 0
                ? Optional.of(found.app())
                : Optional.empty();
    }

    /** A ticket of this server that it does not remember has ended. */
    private Optional<CallingApp> ofAnotherServer(TicketSignature by, String ticket) {
        if (!isIssued(ticket) || ticket.length() <= SIGNED_FROM) {
            return Optional.empty();
        }
        return by.verify(ticket.substring(SIGNED_FROM))
                .filter(statement -> !statement.issuer().equals(issuer))
                .filter(statement -> statement.untilMicros() > time.epochMicros())
                .map(TicketSignature.Statement::app);
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

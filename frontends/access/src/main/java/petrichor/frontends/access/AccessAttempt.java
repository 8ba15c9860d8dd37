package petrichor.frontends.access;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tracks access control and auditing of one request, from its headers to its end: knows the caller,
 * refuses what the caller may not do, and is written to the audit log. It moves from thread to
 * thread with the request and is used by one at a time; only a disconnecting client may end it
 * concurrently.
 */
public final class AccessAttempt {
    private static final Set<String> DENIALS = Set.of("UNAUTHENTICATED", "PERMISSION_DENIED");

    private final AuditLog log;
    private final String protocol;
    private final String method;
    private final @Nullable SocketAddress from;
    private @Nullable Caller caller;
    private @Nullable Role needed;
    private String project = "";
    private String database = "";
    private boolean ended;

    /**
     * @param protocol {@code grpc} or {@code http}
     * @param method the client's name of the method, without parameters, which may contain data
     *     that must not be logged
     * @param from null if the network does not report it
     */
    public AccessAttempt(
            AuditLog log, String protocol, String method, @Nullable SocketAddress from) {
        this.log = log;
        this.protocol = protocol;
        this.method = method;
        this.from = from;
    }

    /** An attempt of the same caller, for one of several calls in a request. */
    public AccessAttempt another(String call) {
        AccessAttempt another = new AccessAttempt(log, protocol, call, from);
        another.caller = caller;
        return another;
    }

    /** Address of the client without its port; empty if the network does not report it. */
    public String address() {
        return from instanceof InetSocketAddress address && address.getAddress() != null
                ? address.getAddress().getHostAddress()
                : "";
    }

    /** The other end of the connection; empty if the network does not report it. */
    public Optional<InetSocketAddress> client() {
        return from instanceof InetSocketAddress address ? Optional.of(address) : Optional.empty();
    }

    /** Sets the caller, after its token was verified. */
    public void admit(Caller known) {
        caller = known;
    }

    /** The caller of the request. */
    public Caller caller() {
        Caller known = caller;
        if (known == null) {
            throw new IllegalStateException("the request was not admitted");
        }
        return known;
    }

    /** The caller, if the request had a token or needs none. */
    public Optional<Caller> admitted() {
        return Optional.ofNullable(caller);
    }

    /** PERMISSION_DENIED unless the caller has the role. */
    public void require(Role role) {
        needs(role);
        caller().require(role);
    }

    /** PERMISSION_DENIED unless the caller has the role in that database. */
    public void require(Role role, String projectId, String databaseId) {
        about(projectId, databaseId);
        require(role);
        caller().requireDatabase(projectId, databaseId);
    }

    /** PERMISSION_DENIED unless the caller has the role in at least one database of the project. */
    public void requireSomeOf(Role role, String projectId) {
        about(projectId, "");
        require(role);
        caller().requireSomeOf(projectId);
    }

    /** PERMISSION_DENIED unless the caller has the role in all databases of the project. */
    public void requireProject(Role role, String projectId) {
        about(projectId, "");
        require(role);
        caller().requireProject(projectId);
    }

    /** PERMISSION_DENIED unless the caller has the role for all projects. */
    public void requireEverywhere(Role role) {
        needs(role);
        caller().requireEverywhere(role);
    }

    private void needs(Role role) {
        Role before = needed;
        if (before == null || role.includes(before)) {
            needed = role;
        }
    }

    /** Sets the database of the request, for the audit log. */
    public void about(String projectId, String databaseId) {
        project = projectId;
        database = databaseId;
    }

    /**
     * Ends the attempt; only the first call has an effect.
     *
     * @param outcome {@code OK}, or the code of the failure
     */
    public synchronized void end(String outcome) {
        if (ended) {
            return;
        }
        ended = true;
        if (Caller.PEER.equals(caller)) {
            return; // recorded by the server to which the client is connected
        }
        boolean denied = DENIALS.contains(outcome);
        if (log.wants(needed == null ? Role.READ : needed) || (denied && log.wantsDenials())) {
            log.add(
                    new AuditRecord(
                            System.currentTimeMillis(),
                            caller == null ? null : caller.name(),
                            from instanceof InetSocketAddress address ? address : null,
                            protocol,
                            method,
                            project,
                            database,
                            outcome));
        }
    }
}

package petrichor.services.channels;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.Cancellation;
import petrichor.services.channels.ChannelOwner.Closing;
import petrichor.services.channels.ChannelOwner.Delivery;
import petrichor.services.channels.ChannelOwner.End;
import petrichor.services.channels.ChannelOwner.Opening;
import petrichor.services.channels.ChannelOwner.Polled;
import petrichor.services.channels.ChannelOwner.Receipt;
import petrichor.services.channels.ChannelOwner.Refusal;
import petrichor.services.channels.ChannelOwner.Registered;
import petrichor.services.channels.ChannelOwner.Report;

/**
 * The connections of one app's clients to this server. While there are any, one thread polls the
 * owner, and registers them again after a change of the owner. Reports of written messages and
 * ended connections are sent one at a time; those that arise meanwhile form the next one.
 * Thread-safe.
 */
final class ProjectConnections {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectConnections.class);

    private static final long PAUSE_MILLIS = 250;

    /** A poll that is not answered by then has failed. */
    private static final long POLL_NANOS_MAX = 2 * ChannelLimits.POLL.toNanos();

    /** Connections in one message to the owner. */
    private static final int REGISTERED_AT_ONCE = 1_000;

    private final String project;
    private final String server;
    private final ChannelOwner owner;
    private final Executor workers;
    private final CountDownLatch stopped;
    private final Map<String, ChannelConnection> connections = new HashMap<>();
    private Map<String, Receipt> receipts = new HashMap<>();
    private List<Closing> closings = new ArrayList<>();
    private long registration;
    private boolean polling;
    private boolean reporting;

    /**
     * @param server random name of this server
     * @param stopped when the server stops
     */
    ProjectConnections(
            String project,
            String server,
            ChannelOwner owner,
            Executor workers,
            CountDownLatch stopped) {
        this.project = project;
        this.server = server;
        this.owner = owner;
        this.workers = workers;
        this.stopped = stopped;
    }

    /**
     * Registers a new connection with the owner; blocks. Empty if it was accepted, otherwise the
     * reason for its refusal.
     */
    List<Refusal> open(ChannelConnection connection) {
        synchronized (this) {
            connections.put(connection.id(), connection);
        }
        Registered registered;
        try {
            registered = owner.register(project, server, List.of(opening(connection, true))).join();
        } catch (CompletionException failed) {
            closed(connection, true); // the owner may have registered it
            throw failed;
        }
        if (!registered.refused().isEmpty()) {
            remove(connection);
            return registered.refused();
        }
        connection.registered(registered.registration());
        synchronized (this) {
            registration = registered.registration();
            if (!polling) {
                polling = true;
                workers.execute(this::pollWhileConnected);
            }
        }
        return List.of();
    }

    private static Opening opening(ChannelConnection connection, boolean first) {
        ChannelToken token = connection.token();
        return new Opening(connection.id(), token.clientId(), token.expiresMicros(), first);
    }

    private synchronized void remove(ChannelConnection connection) {
        connections.remove(connection.id());
    }

    // ---- messages

    private void pollWhileConnected() {
        while (goesOn()) {
            try {
                registerAgain();
                report();
                long current = registration();
                Polled polled =
                        owner.poll(project, server, current, Cancellation.after(POLL_NANOS_MAX))
                                .orTimeout(POLL_NANOS_MAX, TimeUnit.NANOSECONDS)
                                .join();
                if (!arrived(current, polled)) {
                    pause();
                }
            } catch (CompletionException failed) {
                LOG.debug("cannot reach the owner of the channels of {}", project, failed);
                pause();
            }
        }
    }

    private synchronized boolean goesOn() {
        polling = !connections.isEmpty() && stopped.getCount() > 0;
        return polling;
    }

    private synchronized long registration() {
        return registration;
    }

    private void pause() {
        try {
            var _ = stopped.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    /** Registers connections that the present owner does not know. */
    private void registerAgain() {
        List<ChannelConnection> unknown = unknown();
        while (!unknown.isEmpty()) {
            Registered registered =
                    owner.register(
                                    project,
                                    server,
                                    unknown.stream().map(one -> opening(one, false)).toList())
                            .join();
            for (ChannelConnection one : unknown) {
                one.registered(registered.registration());
            }
            for (Refusal refusal : registered.refused()) {
                end(refusal.connection(), refusal.reason());
            }
            synchronized (this) {
                registration = registered.registration();
            }
            unknown = unknown();
        }
    }

    private synchronized List<ChannelConnection> unknown() {
        return connections.values().stream()
                .filter(one -> one.registration() != 0 && one.registration() != registration)
                .limit(REGISTERED_AT_ONCE)
                .toList();
    }

    /** False if the next poll should wait, because there is no memory for messages. */
    private boolean arrived(long current, Polled polled) {
        if (!polled.registered()) {
            synchronized (this) {
                if (registration == current) {
                    registration = -1; // no owner has this number: all are registered again
                }
            }
            return true;
        }
        polled.replaced().forEach(connection -> end(connection, End.REPLACED));
        boolean accepted = true;
        for (Delivery delivery : polled.deliveries()) {
            ChannelConnection connection = connection(delivery.connection());
            if (connection == null) {
                closed(delivery.connection(), false);
                continue;
            }
            Receipt refused = connection.arrive(current, delivery);
            if (refused != null) {
                accepted = false;
                written(refused, current);
            }
        }
        return accepted;
    }

    private void end(String connection, End reason) {
        ChannelConnection ended = connection(connection);
        if (ended != null) {
            ended.end(reason);
        }
    }

    private synchronized @Nullable ChannelConnection connection(String id) {
        return connections.get(id);
    }

    // ---- reports

    void written(Receipt receipt, long by) {
        synchronized (this) {
            if (by != registration) {
                return;
            }
            add(receipt);
        }
        report();
    }

    private void add(Receipt receipt) {
        receipts.merge(
                receipt.connection(),
                receipt,
                (former, latter) ->
                        new Receipt(
                                latter.connection(),
                                Math.max(former.written(), latter.written()),
                                Math.max(former.resendAfter(), latter.resendAfter())));
    }

    void closed(ChannelConnection connection, boolean clean) {
        closed(connection.id(), clean);
    }

    private void closed(String connection, boolean clean) {
        synchronized (this) {
            connections.remove(connection);
            closings.add(new Closing(connection, clean));
        }
        report();
    }

    private void report() {
        Report next;
        synchronized (this) {
            if (reporting || (receipts.isEmpty() && closings.isEmpty())) {
                return;
            }
            reporting = true;
            next = new Report(registration, List.copyOf(receipts.values()), closings);
            receipts = new HashMap<>();
            closings = new ArrayList<>();
        }
        var _ =
                owner.report(project, server, next)
                        .whenComplete((_, failure) -> reported(next, failure == null));
    }

    private void reported(Report report, boolean successfully) {
        synchronized (this) {
            reporting = false;
            if (!successfully) {
                keep(report);
                return;
            }
        }
        report();
    }

    /** For the next attempt, unless there is a new owner meanwhile. */
    private void keep(Report report) {
        if (report.registration() == registration && polling) {
            report.receipts().forEach(this::add);
            closings.addAll(report.closings());
        }
    }
}

package petrichor.services.channels;

import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import petrichor.base.MemoryBudget;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.channels.ChannelOwner.End;
import petrichor.services.channels.ChannelOwner.Refusal;

/** The connections of browsers to this server, of all apps. Thread-safe. */
public final class ChannelConnections implements AutoCloseable {
    private static final int ID_BYTES = 16;

    private final ChannelOwner owner;
    private final ChannelLimits limits;
    private final MemoryBudget memory;
    private final TimeSource time;
    private final RandomGenerator random;
    private final Executor workers;
    private final String server;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<String, ProjectConnections> projects = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, ChannelConnection> connections = new ConcurrentHashMap<>();

    /**
     * @param memory for connections and messages on their way to them
     * @param random cryptographically strong
     * @param workers threads that may block
     */
    public ChannelConnections(
            ChannelOwner owner,
            ChannelLimits limits,
            MemoryBudget memory,
            TimeSource time,
            RandomGenerator random,
            Executor workers) {
        this.owner = owner;
        this.limits = limits;
        this.memory = memory;
        this.time = time;
        this.random = random;
        this.workers = workers;
        this.server = id();
    }

    private String id() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** The outcome of {@link #open}. */
    public sealed interface Opened {
        /**
         * @param connection to be closed by the caller
         */
        record Connected(ChannelConnection connection) implements Opened {}

        /**
         * @param text for the client
         */
        record Refused(String text) implements Opened {}
    }

    /** Connects a client; its former connection ends. Blocks until the owner has answered. */
    public Opened open(ChannelToken token) {
        if (stopped.getCount() == 0) {
            return new Opened.Refused("the server stops; connect again");
        }
        if (open.incrementAndGet() > limits.connectionsMax()) {
            open.decrementAndGet();
            return new Opened.Refused("this server has as many connections as it may; retry later");
        }
        if (!memory.tryReserve(ChannelLimits.CONNECTION_BYTES)) {
            open.decrementAndGet();
            return new Opened.Refused("this server has no memory left; retry later");
        }
        ProjectConnections project = project(token.project());
        ChannelConnection connection =
                new ChannelConnection(id(), token, project, memory, time, this::closed);
        connections.put(connection.id(), connection);
        try {
            List<Refusal> refused = project.open(connection);
            if (!refused.isEmpty()) {
                closed(connection);
                return new Opened.Refused("the app has as many channels as it may; retry later");
            }
        } catch (CompletionException failed) {
            closed(connection);
            return refusal(failed);
        }
        if (stopped.getCount() == 0) {
            connection.end(End.STOPPING);
        }
        return new Opened.Connected(connection);
    }

    private static Opened refusal(CompletionException failed) {
        return switch (failed.getCause()) {
            case PetrichorException known -> new Opened.Refused(String.valueOf(known.getMessage()));
            case NotOwner _ -> new Opened.Refused("the app moves to another server; retry");
            case null, default -> throw failed;
        };
    }

    private ProjectConnections project(String name) {
        return projects.computeIfAbsent(
                name, _ -> new ProjectConnections(name, server, owner, workers, stopped));
    }

    private void closed(ChannelConnection connection) {
        if (connections.remove(connection.id()) != null) {
            memory.release(ChannelLimits.CONNECTION_BYTES);
            open.decrementAndGet();
        }
    }

    /** Connections at present. */
    public int open() {
        return open.get();
    }

    /** Ends all connections: their clients connect to other servers. */
    @Override
    public void close() {
        stopped.countDown();
        connections.values().forEach(connection -> connection.end(End.STOPPING));
    }
}

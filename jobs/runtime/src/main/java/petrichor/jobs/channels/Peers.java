package petrichor.jobs.channels;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * The connections of a process: one for each other process, opened by either side. If two processes
 * call each other at the same moment, the call of the one with the smaller address wins. Safe for
 * any thread.
 */
final class Peers {
    private static final Duration BETWEEN_CALLS = Duration.ofMillis(20);

    private final String ownAddress;
    private final Handshake handshake;
    private final ChannelLimits limits;
    private final BlockPool pool;
    private final TimeSource time;
    private final PendingChannels pending;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Connection> connections = new HashMap<>();

    /** Addresses that this process is calling. */
    private final Set<String> calling = new HashSet<>();

    /** Addresses whose call was accepted and whose connection is being set up. */
    private final Set<String> arriving = new HashSet<>();

    private boolean closed;

    Peers(
            String ownAddress,
            Handshake handshake,
            ChannelLimits limits,
            BlockPool pool,
            TimeSource time,
            PendingChannels pending) {
        this.ownAddress = ownAddress;
        this.handshake = handshake;
        this.limits = limits;
        this.pool = pool;
        this.time = time;
        this.pending = pending;
    }

    /** The connection to a process; if there is none, calls it, with retries. */
    Connection to(InetSocketAddress where, String address) {
        long begin = time.monotonicNanos();
        String lastFailure = "no answer";
        while (time.monotonicNanos() - begin < limits.opening().toNanos()) {
            Connection connection = existingOrMine(address);
            if (connection != null) {
                return connection;
            }
            try {
                Connection made = call(where, address);
                if (made != null) {
                    return made;
                }
            } catch (IOException e) {
                lastFailure = e.getMessage() == null ? e.toString() : e.getMessage();
            } finally {
                called(address);
            }
            pause();
        }
        throw PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "cannot reach the process at {peer} within {openingMillis} ms: {lastFailure}",
                "peer",
                address,
                "openingMillis",
                limits.opening().toMillis(),
                "lastFailure",
                lastFailure);
    }

    /** The open connection, or null once it is this thread's turn to call. */
    private @Nullable Connection existingOrMine(String address) {
        lock.lock();
        try {
            while (true) {
                refuseIfClosed();
                Connection connection = connections.get(address);
                if (connection != null && connection.usable()) {
                    return connection;
                }
                if (!arriving.contains(address) && calling.add(address)) {
                    return null;
                }
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void refuseIfClosed() {
        if (closed) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "the exchange at {ownAddress} was closed",
                    "ownAddress",
                    ownAddress);
        }
    }

    private @Nullable Connection call(InetSocketAddress where, String address) throws IOException {
        Socket socket = new Socket();
        boolean kept = false;
        try {
            int timeoutMillis = (int) limits.handshake().toMillis();
            socket.connect(where, timeoutMillis);
            socket.setSoTimeout(timeoutMillis);
            return switch (handshake.call(socket, ownAddress)) {
                case WELCOME -> {
                    Connection made = keep(socket, address, true);
                    kept = true;
                    yield made;
                }
                case HAVE_ONE -> null;
                case STRANGER ->
                        throw PetrichorException.of(
                                ErrorCode.UNAUTHENTICATED,
                                "the process at {address} does not accept this job's token",
                                "address",
                                address);
                case FULL ->
                        throw PetrichorException.of(
                                ErrorCode.RESOURCE_EXHAUSTED,
                                "the process at {address} has reached its connection limit",
                                "address",
                                address);
            };
        } finally {
            if (!kept) {
                socket.close();
            }
        }
    }

    private Connection keep(Socket socket, String address, boolean dialled) throws IOException {
        lock.lock();
        try {
            refuseIfClosed();
            Connection[] self = new Connection[1];
            Connection connection =
                    new Connection(
                            socket,
                            address,
                            dialled,
                            limits,
                            pool,
                            time,
                            pending,
                            () -> gone(address, self[0]));
            self[0] = connection;
            connections.put(address, connection);
            connection.start();
            return connection;
        } finally {
            lock.unlock();
        }
    }

    private void gone(String address, @Nullable Connection connection) {
        lock.lock();
        try {
            if (connection != null) {
                connections.remove(address, connection);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void called(String address) {
        lock.lock();
        try {
            calling.remove(address);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pause() {
        try {
            Thread.sleep(BETWEEN_CALLS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.ABORTED, "the call of another process was interrupted");
        }
    }

    /** Answers a call. Returns false if it was refused; then the caller closes the socket. */
    boolean answer(Socket socket) throws IOException {
        String caller = handshake.answer(socket, this::verdict);
        if (caller == null) {
            return false;
        }
        try {
            keep(socket, caller, false);
            return true;
        } finally {
            lock.lock();
            try {
                arriving.remove(caller);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    private Handshake.Verdict verdict(String caller) {
        Connection replaced;
        lock.lock();
        try {
            Connection existing = connections.get(caller);
            boolean mineCounts = ownAddress.compareTo(caller) < 0;
            boolean mine = existing != null && existing.usable() && existing.dialled();
            if (mineCounts && (mine || calling.contains(caller))) {
                return Handshake.Verdict.HAVE_ONE;
            }
            if (closed || connections.size() >= limits.connections()) {
                return Handshake.Verdict.FULL;
            }
            if (!arriving.add(caller)) {
                return Handshake.Verdict.HAVE_ONE;
            }
            replaced = existing;
        } finally {
            lock.unlock();
        }
        if (replaced != null) {
            replaced.fail(
                    PetrichorException.of(
                            ErrorCode.UNAVAILABLE,
                            "the process at {caller} reconnected: data of the previous connection"
                                    + " is lost",
                            "caller",
                            caller));
        }
        return Handshake.Verdict.WELCOME;
    }

    void close() {
        List<Connection> all;
        lock.lock();
        try {
            closed = true;
            all = new ArrayList<>(connections.values());
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        all.forEach(Connection::close);
    }

    /** Number of connected processes, for tests. */
    int count() {
        lock.lock();
        try {
            return connections.size();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until {@code count} connections are left, for tests. */
    boolean awaitCount(int count, Duration most) throws InterruptedException {
        lock.lock();
        try {
            long left = most.toNanos();
            while (connections.size() != count && left > 0) {
                left = changed.awaitNanos(left);
            }
            return connections.size() == count;
        } finally {
            lock.unlock();
        }
    }
}

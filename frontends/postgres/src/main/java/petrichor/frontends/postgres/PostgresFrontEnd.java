package petrichor.frontends.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.base.FileProblem;
import petrichor.sql.SqlException;
import petrichor.sql.SqlSession;

/**
 * Listens for PostgreSQL's clients. A connection starts, and requests for cancellation are served,
 * on a virtual thread; its session has a platform thread, since a statement that computes for long
 * would otherwise keep a processor from all virtual threads of the server. Thread-safe.
 */
public final class PostgresFrontEnd implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresFrontEnd.class);

    private final PostgresSettings settings;
    private final ServerSocket listening;
    private final Cancellations cancellations = new Cancellations();
    private final Startup startup;
    private final Semaphore free;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Thread accepting;
    private final ExecutorService sessions =
            Executors.newThreadPerTaskExecutor(
                    Thread.ofPlatform().name("postgres session ", 1).daemon().factory());
    private volatile boolean closed;

    private PostgresFrontEnd(PostgresSettings settings, Logins logins, ServerSocket listening) {
        this.settings = settings;
        this.listening = listening;
        this.free = new Semaphore(settings.connectionsMax());
        byte[] decoySecret = new byte[32];
        new SecureRandom().nextBytes(decoySecret);
        this.startup = new Startup(settings, logins, cancellations, decoySecret);
        this.accepting = Thread.ofPlatform().name("postgres").daemon().unstarted(this::accept);
    }

    public static PostgresFrontEnd open(PostgresSettings settings, Logins logins) {
        try {
            ServerSocket listening = new ServerSocket();
            listening.setReuseAddress(true);
            listening.bind(
                    new InetSocketAddress(InetAddress.getByName(settings.host()), settings.port()));
            PostgresFrontEnd opened = new PostgresFrontEnd(settings, logins, listening);
            opened.accepting.start();
            return opened;
        } catch (IOException failed) {
            throw FileProblem.of("cannot listen on port " + settings.port() + " for SQL", failed);
        }
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!closed) {
            Socket socket;
            try {
                socket = listening.accept();
            } catch (IOException failed) {
                if (!closed) {
                    LOG.warn("cannot accept a connection for SQL: {}", failed.toString());
                }
                continue;
            }
            open.add(socket);
            Thread.ofVirtual().name("postgres connection").start(() -> serve(socket));
        }
    }

    private void serve(Socket socket) {
        boolean admitted = free.tryAcquire();
        try (socket) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) settings.authenticationWithin().toMillis());
            if (admitted) {
                run(socket);
            } else {
                ServerMessages out = new ServerMessages(socket.getOutputStream());
                out.error(new SqlException("53300", "sorry, too many clients already"), true);
                out.flush();
            }
        } catch (IOException | java.io.UncheckedIOException disconnected) {
            LOG.debug("a connection for SQL ended: {}", disconnected.toString());
        } catch (SqlException malformed) {
            LOG.info("a connection for SQL was closed: {}", malformed.getMessage());
        } catch (RuntimeException | Error unexpected) {
            LOG.error("a connection for SQL failed", unexpected);
        } finally {
            open.remove(socket);
            if (admitted) {
                free.release();
            }
        }
    }

    private void run(Socket socket) throws IOException {
        Startup.Started started = startup.start(socket);
        if (started == null) {
            return;
        }
        socket.setSoTimeout(0);
        Future<?> session =
                sessions.submit(
                        () -> {
                            converse(started);
                            return null;
                        });
        try {
            session.get();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case IOException disconnected -> throw disconnected;
                case RuntimeException unexpected -> throw unexpected;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(failed);
            }
        }
    }

    private void converse(Startup.Started started) throws IOException {
        try (SqlSession session = started.database().connect(started.user(), started.rights())) {
            Cancellations.Key key = cancellations.add(session);
            try {
                new PostgresConnection(started, session).run(key);
            } catch (SqlException violation) {
                started.out().error(violation, true);
                started.out().flush();
            } finally {
                cancellations.remove(key);
            }
        }
    }

    /** Disconnects all clients. */
    @Override
    public void close() {
        closed = true;
        try {
            listening.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException failed) {
            LOG.debug("cannot close the port for SQL: {}", failed.toString());
        }
        sessions.shutdown();
    }
}

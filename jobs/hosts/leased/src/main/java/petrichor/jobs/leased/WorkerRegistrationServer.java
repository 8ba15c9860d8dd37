package petrichor.jobs.leased;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.cloud.leasing.Workers;
import petrichor.jobs.channels.ChannelToken;

/**
 * Accepts the registrations of machines' workers, on the loopback interface. Keeps the newest
 * worker of each machine. Safe for all threads.
 */
final class WorkerRegistrationServer implements Workers, AutoCloseable {
    /** Limit of the time in which a connection has to authenticate. */
    private static final int GREETING_MS_MAX = 10_000;

    private static final int BACKLOG = 64;

    private final ServerSocket listening;
    private final String token = ChannelToken.random().hex();
    private final Map<String, RegisteredWorker> newest = new ConcurrentHashMap<>();
    private final AtomicInteger taken = new AtomicInteger();
    private final Runnable news;

    private WorkerRegistrationServer(ServerSocket listening, Runnable news) {
        this.listening = listening;
        this.news = news;
    }

    /**
     * @param news is called when a worker has registered or ended
     */
    static WorkerRegistrationServer open(Runnable news) {
        try {
            WorkerRegistrationServer server =
                    new WorkerRegistrationServer(
                            new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), news);
            Thread.ofPlatform().daemon().name("workers register").start(server::accept);
            return server;
        } catch (IOException e) {
            throw FileProblem.of("cannot listen for workers", e);
        }
    }

    Coordinator coordinator() {
        return Coordinator.here(listening.getLocalPort(), token);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                Thread.ofVirtual().name("a worker registers").start(() -> register(socket));
            } catch (IOException closedOrGone) {
                // Accepts the next one, unless the server is closed.
            }
        }
    }

    private void register(Socket socket) {
        try {
            socket.setSoTimeout(GREETING_MS_MAX);
            socket.setTcpNoDelay(true);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            if (!isToken(in.readUTF())) {
                socket.close();
                return;
            }
            String instance = in.readUTF();
            RegisteredWorker worker = RegisteredWorker.of(instance, in.readLong(), socket);
            socket.setSoTimeout(0);
            newest.put(instance, worker);
            if (listening.isClosed()) {
                worker.close();
                return;
            }
            news.run();
            worker.awaitReady();
            news.run();
        } catch (IOException strangerOrGone) {
            try {
                socket.close();
            } catch (IOException e) {
                System.getLogger(WorkerRegistrationServer.class.getName())
                        .log(System.Logger.Level.DEBUG, "cannot close", e);
            }
        }
    }

    private boolean isToken(String said) {
        return MessageDigest.isEqual(
                said.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    }

    /** An idle worker of this machine; null if there is none. */
    @Nullable RegisteredWorker waiting(String instance) {
        RegisteredWorker worker = newest.get(instance);
        return worker != null && worker.isWaiting() ? worker : null;
    }

    @Override
    public boolean answers(String instance) {
        RegisteredWorker worker = newest.get(instance);
        return worker != null && worker.isAlive();
    }

    /**
     * Done as soon as its worker has finished its part of the stage: its output is in files, which
     * are kept.
     */
    @Override
    public boolean emptied(String instance, Instant by) {
        RegisteredWorker worker = newest.get(instance);
        return worker == null || !worker.works();
    }

    /**
     * The machine is about to be reclaimed: its worker may continue until then, and gets no more
     * work.
     */
    void leaves(String instance) {
        RegisteredWorker worker = newest.get(instance);
        if (worker != null && worker.works()) {
            worker.leaves();
            taken.incrementAndGet();
        }
    }

    /** Number of machines lost, or about to be, while they worked. */
    int taken() {
        return taken.get();
    }

    /** Closes the connections of all workers, which then end. */
    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw FileProblem.of("cannot close the registration server", e);
        }
        newest.values().forEach(RegisteredWorker::abandon);
    }
}

package petrichor.apps.instances;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;

/**
 * Carries out the {@link StartCheck} of one instance. Used by one thread, which may be interrupted.
 */
final class ReadinessCheck {
    /** Connections to a port that is not open fail at once. */
    private static final Duration INTERVAL = Duration.ofMillis(10);

    private static final int OK_FIRST = 200;
    private static final int OK_LAST = 299;
    private static final int NOT_FOUND = 404;

    /** How a check ended. */
    sealed interface Result {
        /**
         * @param note about the instance, for its log
         */
        record Passed(Optional<String> note) implements Result {}

        record Rejected(InstanceState.Failure failure, String reason) implements Result {}
    }

    private final StartCheck check;
    private final int port;
    private final OptionalInt user;
    private final LongPredicate own;
    private final long endNanos;
    private final Duration timeout;
    private boolean accepted;

    /**
     * @param user that must own the listening socket
     * @param own whether the instance may have the socket with this inode
     */
    ReadinessCheck(
            StartCheck check, int port, OptionalInt user, LongPredicate own, Duration timeout) {
        this.check = check;
        this.port = port;
        this.user = user;
        this.own = own;
        this.timeout = timeout;
        this.endNanos = System.nanoTime() + timeout.toNanos();
    }

    Result run() {
        while (!HttpGet.accepts(port, left())) {
            if (isOver()) {
                return late();
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
        }
        accepted = true;
        Optional<ListeningSocket> socket = ListeningSocket.on(port);
        if (socket.isPresent() && !isOwn(socket.get())) {
            return new Result.Rejected(
                    InstanceState.Failure.PORT_TAKEN,
                    "another process listens on its port " + port);
        }
        Result result =
                switch (check) {
                    case StartCheck.Listening _ -> new Result.Passed(Optional.empty());
                    case StartCheck.Answering(String path, Map<String, String> headers) ->
                            answer(path, headers).isPresent()
                                    ? new Result.Passed(Optional.empty())
                                    : late();
                    case StartCheck.Starting(String path, Map<String, String> headers) ->
                            started(path, answer(path, headers));
                };
        boolean open = socket.isPresent() && !socket.get().loopbackOnly();
        return open && result instanceof Result.Passed
                ? new Result.Passed(Optional.of(reachable()))
                : result;
    }

    /** The answers of another process would say nothing about the instance. */
    private boolean isOwn(ListeningSocket socket) {
        return (user.isEmpty() || socket.user() == user.getAsInt()) && own.test(socket.inode());
    }

    private String reachable() {
        return "listens on all addresses of the machine: other machines can connect to port "
                + port
                + " unless a firewall prevents it; listen on 127.0.0.1";
    }

    private Result started(String path, OptionalInt status) {
        if (status.isEmpty()) {
            return late();
        }
        int code = status.getAsInt();
        return (code >= OK_FIRST && code <= OK_LAST) || code == NOT_FOUND
                ? new Result.Passed(Optional.empty())
                : new Result.Rejected(
                        InstanceState.Failure.START_REFUSED,
                        "answered GET " + path + " with status " + code);
    }

    /** Repeats a request that gets no answer: the app may accept connections before it is ready. */
    private OptionalInt answer(String path, Map<String, String> headers) {
        while (true) {
            OptionalInt status = HttpGet.status(port, path, headers, left());
            if (status.isPresent() || isOver()) {
                return status;
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
        }
    }

    private boolean isOver() {
        return Thread.currentThread().isInterrupted() || left().isNegative();
    }

    private Duration left() {
        return Duration.ofNanos(endNanos - System.nanoTime());
    }

    private Result late() {
        String within = " within " + seconds(timeout);
        String reason =
                switch (check) {
                    case StartCheck.Listening _ -> notListening(within);
                    case StartCheck.Answering(String path, var _) ->
                            accepted ? "did not answer GET " + path + within : notListening(within);
                    case StartCheck.Starting(String path, var _) ->
                            accepted ? "did not answer GET " + path + within : notListening(within);
                };
        return new Result.Rejected(InstanceState.Failure.NOT_READY_IN_TIME, reason);
    }

    private String notListening(String within) {
        return "did not listen on $PORT (" + port + ")" + within;
    }

    static String seconds(Duration time) {
        return time.toMillis() % 1_000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
    }
}

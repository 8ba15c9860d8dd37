package petrichor.frontends.datastore;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.access.AccessTokens;

/**
 * How the front end listens and what it allows.
 *
 * @param addresses where to listen, at the same port of each; port 0 takes one that is free
 * @param tls null for clear text
 * @param tokens what callers must send one of, as {@code Authorization: Bearer …}
 * @param names under which clients reach this server, beside localhost and addresses; while there
 *     is no token, requests with another name in {@code Host} are refused
 */
public record FrontEndSettings(
        List<InetAddress> addresses,
        int port,
        @Nullable Tls tls,
        AccessTokens tokens,
        Set<String> names,
        Limits limits,
        Execution execution) {
    public FrontEndSettings {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("nowhere to listen");
        }
        addresses = List.copyOf(addresses);
        names = Set.copyOf(names);
    }

    /**
     * @param certificateChain PEM file
     * @param privateKey PEM file, PKCS 8, not encrypted
     */
    public record Tls(Path certificateChain, Path privateKey) {}

    /**
     * Limits for one client and for all clients together.
     *
     * @param requestBytesMax largest request message; Datastore's own limit is 10 MiB
     * @param bufferedBytesMax of requests that are being received or wait, over all connections
     * @param connectionsMax open at once
     * @param callsPerConnectionMax running at once on one gRPC connection
     * @param headerBytesMax of one request
     * @param firstBytesWithin time from accepting a connection to its first bytes
     * @param requestWithin time from a request's first byte to its last
     * @param idleWithin a connection without a request is closed after this
     * @param executionWithin a request is cancelled after this, regardless of its client's deadline
     */
    public record Limits(
            int requestBytesMax,
            int bufferedBytesMax,
            int connectionsMax,
            int callsPerConnectionMax,
            int headerBytesMax,
            Duration firstBytesWithin,
            Duration requestWithin,
            Duration idleWithin,
            Duration executionWithin) {
        public static final Limits DEFAULT =
                new Limits(
                        32 << 20,
                        128 << 20,
                        20_000,
                        1_000,
                        16 << 10,
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60),
                        Duration.ofMinutes(60),
                        Duration.ofSeconds(60));

        public Limits withConnectionsMax(int connections) {
            return new Limits(
                    requestBytesMax,
                    bufferedBytesMax,
                    connections,
                    callsPerConnectionMax,
                    headerBytesMax,
                    firstBytesWithin,
                    requestWithin,
                    idleWithin,
                    executionWithin);
        }
    }

    /**
     * Which threads do the work; an internal setting, chosen by measurement.
     *
     * @param networkThreads event loops
     * @param readThreads for reads outside transactions
     * @param writeThreads for commits and everything else that changes something
     * @param queuedCallsMax that may wait in each lane
     * @param readsOnNetworkThreads reads are run by the event loop that received them
     */
    public record Execution(
            int networkThreads,
            int readThreads,
            int writeThreads,
            int queuedCallsMax,
            boolean readsOnNetworkThreads) {
        private static final int WAITING_THREADS_MAX = 64;
        private static final int WAITING_THREADS_MIN = 8;

        /** Of the heap: each may hold the rows of one read of 25 entities of the largest size. */
        private static final long BYTES_PER_THREAD = 32 << 20;

        /** For a store behind the network: threads wait for it most of their time. */
        public static Execution forStoreElsewhere() {
            Execution here = forThisMachine();
            int threads =
                    Math.clamp(
                            Runtime.getRuntime().maxMemory() / BYTES_PER_THREAD,
                            WAITING_THREADS_MIN,
                            WAITING_THREADS_MAX);
            return new Execution(here.networkThreads, threads, threads, 20_000, false);
        }

        public static Execution forThisMachine() {
            int cores = Runtime.getRuntime().availableProcessors();
            return new Execution(cores, Math.max(2, cores), Math.max(4, 2 * cores), 20_000, false);
        }
    }
}

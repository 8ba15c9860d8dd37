package petrichor.frontends.datastore;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.frontends.access.AccessTokens;

/**
 * Addresses and limits of the front end.
 *
 * @param addresses to listen on, with the same port; port 0 picks a free one
 * @param tls null for plain text
 * @param tokens accepted in {@code Authorization: Bearer …}
 * @param names host names of this server, in addition to localhost and addresses; without tokens,
 *     requests with another {@code Host} are refused
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
            throw new IllegalArgumentException("no address to listen on");
        }
        addresses = List.copyOf(addresses);
        names = Set.copyOf(names);
    }

    /**
     * @param certificateChain PEM file
     * @param privateKey PEM file, PKCS 8, unencrypted
     */
    public record Tls(Path certificateChain, Path privateKey) {}

    /**
     * Limits per client and over all clients.
     *
     * @param requestBytesMax largest request message; Datastore's own limit is 10 MiB
     * @param bufferedBytesMax bytes of requests being received or queued, over all connections
     * @param connectionsMax open connections
     * @param callsPerConnectionMax concurrent calls per gRPC connection
     * @param headerBytesMax bytes of the headers of a request
     * @param firstBytesWithin time from accepting a connection to its first bytes
     * @param requestWithin time from a request's first byte to its last
     * @param idleWithin time after which an idle connection is closed
     * @param executionWithin time after which a request is cancelled, regardless of its client's
     *     deadline
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
     * Numbers of threads; an internal setting, chosen by measurement.
     *
     * @param networkThreads event loops
     * @param readThreads for reads outside transactions
     * @param writeThreads for commits and other changes
     * @param queuedCallsMax maximum queue length of each lane
     * @param readsOnNetworkThreads run reads on the event loop that received them
     */
    public record Execution(
            int networkThreads,
            int readThreads,
            int writeThreads,
            int queuedCallsMax,
            boolean readsOnNetworkThreads) {
        private static final int WAITING_THREADS_MAX = 64;
        private static final int WAITING_THREADS_MIN = 8;

        /** Heap per thread: each may hold the rows of one read of 25 entities of maximum size. */
        private static final long BYTES_PER_THREAD = 32 << 20;

        /** For a remote store, for which threads wait most of the time. */
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

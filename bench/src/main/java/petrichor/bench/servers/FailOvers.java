package petrichor.bench.servers;

import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import petrichor.bench.GrpcCalls;
import petrichor.bench.Progress;
import petrichor.bench.Report;
import petrichor.testing.process.PetrichorServer;

/**
 * Kills owners of databases repeatedly, each time with new databases, and measures how long it
 * takes until a client of another server has committed to the orphaned database, and whether
 * clients of databases with other owners notice.
 */
final class FailOvers {
    private static final double SECONDS_MAX = 3;
    private static final int DATABASES = 12;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** A slower commit counts as noticed by its client. */
    private static final double GAP_SECONDS_MAX = 0.5;

    private final ServerGroup servers;

    FailOvers(ServerGroup servers) {
        this.servers = servers;
    }

    void measure(Report report, int times, Progress progress) throws Exception {
        if (times == 0) {
            return;
        }
        double[] seconds = new double[times];
        double[] gaps = new double[times];
        for (int i = 0; i < times; i++) {
            progress.say("fail-over " + (i + 1) + " of " + times);
            once("fail-over-" + i + "-", i, seconds, gaps);
            servers.replace();
        }
        Arrays.sort(seconds);
        Arrays.sort(gaps);
        metric(report, "median of " + times, seconds[times / 2], SECONDS_MAX);
        metric(report, "longest of " + times, seconds[times - 1], SECONDS_MAX);
        report.add(
                new Report.Figure(
                        "meanwhile, longest wait for a commit elsewhere",
                        gaps[times - 1],
                        "s",
                        "at most 0.5",
                        gaps[times - 1] <= GAP_SECONDS_MAX));
    }

    private static void metric(Report report, String which, double value, double max) {
        report.add(
                new Report.Figure(
                        "from kill -9 of an owner to the next commit, " + which,
                        value,
                        "s",
                        "at most 3",
                        value <= max));
    }

    private void once(String prefix, int number, double[] seconds, double[] gaps) throws Exception {
        PetrichorServer survivor = servers.servers().getFirst();
        try (GrpcCalls client = new GrpcCalls("127.0.0.1", survivor.port())) {
            for (int i = 0; i < DATABASES; i++) {
                client.commit(Tenants.put(prefix + i, 1, 0));
            }
            Chosen chosen = choose(prefix, survivor);
            AtomicBoolean over = new AtomicBoolean();
            try (ExecutorService other = Executors.newSingleThreadExecutor()) {
                Future<Double> gap = other.submit(() -> longestGap(survivor, chosen.kept(), over));
                try {
                    servers.kill(chosen.victim());
                    long started = System.nanoTime();
                    while (!committed(client, chosen.lost())) {
                        if (System.nanoTime() - started > TIMEOUT.toNanos()) {
                            throw new IllegalStateException(
                                    "no server has taken over after " + TIMEOUT);
                        }
                    }
                    seconds[number] = (System.nanoTime() - started) / 1e9;
                } finally {
                    over.set(true);
                }
                gaps[number] = gap.get();
            }
        }
    }

    /**
     * @param lost a database of the victim
     * @param kept a database of the survivor
     */
    private record Chosen(PetrichorServer victim, String lost, String kept) {}

    private Chosen choose(String prefix, PetrichorServer survivor) throws Exception {
        String kept = "";
        String lost = "";
        PetrichorServer victim = survivor;
        for (int i = 0; i < DATABASES; i++) {
            PetrichorServer owner = servers.owner(prefix + i);
            if (owner.equals(survivor)) {
                kept = prefix + i;
            } else {
                lost = prefix + i;
                victim = owner;
            }
        }
        if (kept.isEmpty() || lost.isEmpty()) {
            throw new IllegalStateException(
                    DATABASES
                            + " databases are all owned by the same server, or none by the first");
        }
        return new Chosen(victim, lost, kept);
    }

    /** Failures meanwhile are retried, as in Google's clients. */
    private static boolean committed(GrpcCalls client, String database) {
        try {
            client.commit(Tenants.put(database, 1, 1));
            return true;
        } catch (StatusRuntimeException away) {
            return false;
        }
    }

    private static double longestGap(PetrichorServer at, String database, AtomicBoolean over) {
        long longest = 0;
        try (GrpcCalls client = new GrpcCalls("127.0.0.1", at.port())) {
            client.commit(Tenants.put(database, 2, 0));
            long last = System.nanoTime();
            for (long n = 1; !over.get(); n++) {
                client.commit(Tenants.put(database, 2, n));
                long now = System.nanoTime();
                longest = Math.max(longest, now - last);
                last = now;
            }
        }
        return longest / 1e9;
    }
}

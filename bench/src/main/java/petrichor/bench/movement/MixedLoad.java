package petrichor.bench.movement;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.LookupRequest;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.bench.GrpcCalls;
import petrichor.bench.SampleData;

/**
 * Clients that read and write single entities in a given proportion, at a limited rate. A request
 * that fails is counted, and not repeated.
 *
 * @param entities numbers of those that are read and replaced
 * @param readShare of the requests, from 0 to 1
 */
record MixedLoad(GrpcCalls calls, int clients, int entities, double readShare) {
    private static final double NANOS = 1e9;

    /**
     * What the clients saw.
     *
     * @param seconds that the run took
     * @param firstFailure null if no request failed
     */
    record Result(
            Latencies reads,
            Latencies writes,
            double seconds,
            long failures,
            @Nullable StatusRuntimeException firstFailure) {
        double perSecond() {
            return (reads.count() + writes.count()) / seconds;
        }
    }

    /** Runs for a time; without a limit of the rate if that is 0. */
    Result run(Duration length, double perSecondMax) throws Exception {
        long deadline = System.nanoTime() + length.toNanos();
        return run(() -> System.nanoTime() < deadline, perSecondMax);
    }

    /** Runs while a condition holds. */
    Result run(BooleanSupplier running, double perSecondMax) throws Exception {
        long began = System.nanoTime();
        List<Client> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                Client client = new Client(i, perSecondMax);
                all.add(client);
                done.add(threads.submit(() -> client.run(running)));
            }
            for (Future<?> one : done) {
                one.get();
            }
        }
        return new Result(
                Latencies.joined(all.stream().map(client -> client.reads).toList()),
                Latencies.joined(all.stream().map(client -> client.writes).toList()),
                (System.nanoTime() - began) / NANOS,
                all.stream().mapToLong(client -> client.failures).sum(),
                all.stream()
                        .flatMap(client -> Stream.ofNullable(client.first))
                        .findFirst()
                        .orElse(null));
    }

    /** One request at a time, on one thread. */
    private final class Client {
        private final Latencies reads = new Latencies();
        private final Latencies writes = new Latencies();
        private final SplittableRandom random;
        private final double paceNanos;
        private long failures;
        private @Nullable StatusRuntimeException first;

        Client(int number, double perSecondMax) {
            this.random = new SplittableRandom(number);
            this.paceNanos = perSecondMax <= 0 ? 0 : clients * NANOS / perSecondMax;
        }

        void run(BooleanSupplier running) {
            double due = System.nanoTime() + random.nextDouble() * paceNanos;
            while (running.getAsBoolean()) {
                long now = System.nanoTime();
                if (paceNanos > 0 && now < due) {
                    LockSupport.parkNanos((long) (due - now));
                    continue;
                }
                // From the time at which the request was due, to avoid coordinated omission.
                request(paceNanos > 0 ? (long) due : now);
                due += paceNanos;
            }
        }

        private void request(long began) {
            long number = random.nextLong(entities);
            boolean read = random.nextDouble() < readShare;
            try {
                if (read) {
                    LookupRequest request = SampleData.lookup(List.of(SampleData.key(number)));
                    if (calls.lookup(request).getFoundCount() != 1) {
                        throw new IllegalStateException("entity " + number + " is missing");
                    }
                } else {
                    Entity entity = SampleData.entity(number, random.nextLong(1 << 20));
                    var _ = calls.commit(SampleData.upserts(List.of(entity)));
                }
            } catch (StatusRuntimeException failed) {
                failures++;
                first = first == null ? failed : first;
            }
            (read ? reads : writes).add(System.nanoTime() - began);
        }
    }
}

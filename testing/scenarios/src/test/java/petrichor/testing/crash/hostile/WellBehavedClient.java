package petrichor.testing.crash.hostile;

import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.Value;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Puts and reads an entity repeatedly on one connection, and records the results. */
final class WellBehavedClient implements AutoCloseable {
    private static final int PAUSE_MILLIS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ManagedChannel channel;
    private final int number;
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
    private final List<String> refusals = Collections.synchronizedList(new ArrayList<>());
    private final Thread thread;

    WellBehavedClient(Target target, int number) {
        this.channel = target.channel();
        this.number = number;
        this.thread = Thread.ofPlatform().name("well-behaved-" + number).start(this::run);
    }

    private void run() {
        for (long round = 0; !over.get(); round++) {
            try {
                long started = System.nanoTime();
                put(round);
                nanos.add(System.nanoTime() - started);
                started = System.nanoTime();
                if (lookup().getFoundCount() != 1) {
                    refusals.add("round " + round + ": what was put is not there");
                }
                nanos.add(System.nanoTime() - started);
                Thread.sleep(PAUSE_MILLIS);
            } catch (StatusRuntimeException refused) {
                refusals.add(refused.getStatus().toString());
            } catch (InterruptedException interrupted) {
                return;
            } catch (RuntimeException unexpected) {
                refusals.add(unexpected.toString());
            }
        }
    }

    private void put(long round) {
        Entity.Builder entity = Entity.newBuilder().setKey(key());
        entity.putProperties("round", Value.newBuilder().setIntegerValue(round).build());
        var _ =
                Target.call(
                        channel,
                        "Commit",
                        CommitRequest.newBuilder()
                                .setProjectId("honest")
                                .setMode(CommitRequest.Mode.NON_TRANSACTIONAL)
                                .addMutations(Mutation.newBuilder().setUpsert(entity))
                                .build(),
                        CommitResponse.getDefaultInstance(),
                        TIMEOUT);
    }

    private LookupResponse lookup() {
        return Target.call(
                channel,
                "Lookup",
                LookupRequest.newBuilder().setProjectId("honest").addKeys(key()).build(),
                LookupResponse.getDefaultInstance(),
                TIMEOUT);
    }

    private Key key() {
        Key.Builder key = Key.newBuilder();
        key.addPathBuilder().setKind("Honest").setName("n" + number);
        return key.build();
    }

    /** Latencies of all answered calls. */
    List<Long> nanos() {
        synchronized (nanos) {
            return List.copyOf(nanos);
        }
    }

    List<String> refusals() {
        synchronized (refusals) {
            return List.copyOf(refusals);
        }
    }

    @Override
    public void close() {
        over.set(true);
        try {
            thread.join(TimeUnit.SECONDS.toMillis(60));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        channel.shutdownNow();
    }
}

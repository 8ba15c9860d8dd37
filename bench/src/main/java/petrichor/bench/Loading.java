package petrichor.bench;

import com.google.datastore.v1.Entity;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Loads a server with the sample entities 0 … n-1. */
public final class Loading {
    private static final int BATCH = 200;
    private static final int WRITERS = 8;

    private Loading() {}

    public static void load(GrpcCalls client, int entities) throws Exception {
        load(client, 0, entities);
    }

    /** The sample entities of a range of numbers. */
    public static void load(GrpcCalls client, int first, int entities) throws Exception {
        try (ExecutorService writers = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> done = new ArrayList<>();
            for (int from = first; from < first + entities; from += BATCH) {
                int start = from;
                int end = Math.min(first + entities, from + BATCH);
                done.add(
                        writers.submit(
                                () -> {
                                    List<Entity> batch = new ArrayList<>(BATCH);
                                    for (int n = start; n < end; n++) {
                                        batch.add(SampleData.entity(n, 0));
                                    }
                                    client.commit(SampleData.upserts(batch));
                                }));
            }
            for (Future<?> future : done) {
                future.get();
            }
        }
    }
}

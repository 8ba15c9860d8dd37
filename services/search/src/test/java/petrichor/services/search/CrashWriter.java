package petrichor.services.search;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.kv.KeyValueStore;
import petrichor.kv.rocksdb.RocksStore;

/**
 * A process that {@link KilledWriterTest} kills: puts, replaces and deletes documents, and prints
 * each acknowledged id with the version of its document, or -1 once it is deleted.
 */
final class CrashWriter {
    static final int THREADS = 4;
    static final int IDS = 50;

    private CrashWriter() {}

    /**
     * @param arguments the folder of the store, the folder of the copies, a seed
     */
    public static void main(String[] arguments) throws InterruptedException {
        KeyValueStore store = RocksStore.open(Path.of(arguments[0]));
        SearchSettings eager =
                new SearchSettings(
                        Path.of(arguments[1]),
                        SearchSettings.INDEX_BYTES_MAX,
                        SearchSettings.FIELD_NAMES_MAX,
                        SearchSettings.OPEN_INDEXES_MAX,
                        SearchSettings.BUFFER_MEGABYTES,
                        SearchSettings.OPEN_WAIT_MAX,
                        Duration.ZERO,
                        SearchSettings.IDLE_MAX,
                        20);
        Searches searches = new Searches(store, eager);
        AtomicLong versions = new AtomicLong(Long.parseLong(arguments[2]) * 1_000_000);
        Thread[] threads = new Thread[THREADS];
        for (int thread = 0; thread < THREADS; thread++) {
            int number = thread;
            threads[thread] =
                    Thread.ofPlatform()
                            .start(() -> write(searches, number, versions, arguments[2]));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void write(Searches searches, int thread, AtomicLong versions, String seed) {
        Random random = new Random(Long.parseLong(seed) * 100 + thread);
        while (true) {
            String id = thread + "-" + random.nextInt(IDS);
            long version = versions.incrementAndGet();
            if (random.nextInt(4) == 0) {
                version = -1;
                searches.service.delete(Searches.PROJECT, Searches.INDEX, List.of(id));
            } else {
                searches.put(
                        Searches.document(
                                id,
                                Searches.text("t", "word"),
                                Searches.number("version", (double) (version % 1_000_000_000))));
            }
            report(id, version);
            if (random.nextInt(40) == 0) {
                searches.service.tidy();
            }
        }
    }

    private static synchronized void report(String id, long version) {
        System.out.println(id + " " + version);
        System.out.flush();
    }
}

package petrichor.kv.testkit;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs tasks at the same time, one platform thread each. */
final class Threads {
    private Threads() {}

    /** Returns when all have ended; throws the first failure. */
    static void runAll(List<Callable<Void>> tasks) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            for (Future<Void> done : threads.invokeAll(tasks)) {
                done.get();
            }
        }
    }
}

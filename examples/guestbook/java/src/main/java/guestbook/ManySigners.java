package guestbook;

import com.google.cloud.datastore.Datastore;
import com.google.cloud.datastore.DatastoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Signs one guestbook from many threads; every greeting must be stored and counted exactly once.
 */
final class ManySigners {
    private static final int THREADS = 8;
    private static final int EACH = 5;
    private static final int ATTEMPTS_MAX = 50;

    private ManySigners() {}

    static void run(Datastore datastore) throws Exception {
        Guestbook book = new Guestbook(datastore, "test-" + UUID.randomUUID());
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> signing = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            String author = "t" + thread;
            signing.add(threads.submit(() -> sign(book, author)));
        }
        threads.shutdown();
        for (Future<?> one : signing) {
            one.get();
        }
        long count = book.count();
        long distinct =
                book.newest(1_000).stream().map(g -> g.author() + g.text()).distinct().count();
        if (count != THREADS * EACH || distinct != THREADS * EACH) {
            System.err.println("guestbook/java: counted " + count + ", found " + distinct);
            System.exit(1);
        }
        System.out.println(
                "guestbook/java: "
                        + distinct
                        + " greetings from "
                        + THREADS
                        + " threads, none lost, none counted twice");
    }

    private static void sign(Guestbook book, String author) {
        for (int i = 0; i < EACH; i++) {
            for (int attempt = 1; ; attempt++) {
                try {
                    book.sign(author, "greeting " + i);
                    break;
                } catch (DatastoreException conflict) {
                    // The client itself gives up after a few consecutive conflicts.
                    boolean aborted =
                            "ABORTED".equals(conflict.getReason()) || conflict.getCode() == 10;
                    if (!aborted || attempt == ATTEMPTS_MAX) {
                        throw conflict;
                    }
                }
            }
        }
    }
}

package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Query;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import petrichor.base.MemoryBudget;

/**
 * How far clients have read the results of queries. Google's servers keep this for each cursor, and
 * the SDK for Java relies on it: it sends the cursor of the first batch with every Next. Those for
 * Python and Go send the newest cursor, which contains the rest of the query ({@link
 * Continuation}), so only Next with a first cursor needs this. Least recently used queries are
 * forgotten. Thread-safe.
 */
final class OpenQueries {
    /** Of all apps; in particular those whose apps never asked for the second batch. */
    static final int QUERIES_MAX = 10_000;

    private final RandomGenerator chance;
    private final MemoryBudget memory;

    /** The rest of each query, least recently used first; guarded by this. */
    private final Map<Name, Query> rests = new LinkedHashMap<>(16, 0.75f, true);

    private record Name(String project, long number) {}

    /**
     * @param chance for numbers of queries
     * @param memory for all rests; queries are forgotten when it is exhausted
     */
    OpenQueries(RandomGenerator chance, MemoryBudget memory) {
        this.chance = chance;
        this.memory = memory;
    }

    /** The number of a query that has more results than its first batch. */
    synchronized long add(String project, Query rest) {
        while (true) {
            long number = chance.nextLong() >>> 1;
            if (number != 0 && !rests.containsKey(new Name(project, number))) {
                put(project, number, rest);
                return number;
            }
        }
    }

    /** What follows the batches that the client has read; null if it is not known. */
    synchronized @Nullable Query rest(String project, long number) {
        return rests.get(new Name(project, number));
    }

    /** Forgets it, too, if there is not enough memory for it alone. */
    synchronized void put(String project, long number, Query rest) {
        remove(project, number);
        while (rests.size() >= QUERIES_MAX || !memory.tryReserve(rest.getSerializedSize())) {
            if (rests.isEmpty()) {
                return;
            }
            Name eldest = rests.keySet().iterator().next();
            remove(eldest.project(), eldest.number());
        }
        rests.put(new Name(project, number), rest);
    }

    synchronized void remove(String project, long number) {
        Query rest = rests.remove(new Name(project, number));
        if (rest != null) {
            memory.release(rest.getSerializedSize());
        }
    }
}

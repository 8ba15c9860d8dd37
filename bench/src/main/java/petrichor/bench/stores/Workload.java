package petrichor.bench.stores;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import petrichor.base.PetrichorException;

/** An operation of the comparison. */
enum Workload {
    NOOP("noop", "no-op", false),
    GET("get", "get", true),
    PUT("put", "put", true),
    DELETE("delete", "delete", true),
    MIX("mix", "80 % get, 20 % put", true),
    ANCESTOR("query", "ancestor query", false),
    KINDLESS("query", "kindless query", false),
    PROPERTY("query", "property query", false),
    COMPOSITE("query", "composite query", false);

    /** The gets of {@link #MIX} use this many entities. */
    private static final int MIXED_ENTITIES = 1_000;

    private static final double GETS_OF_MIX = 0.8;

    private final String word;
    private final String title;
    private final boolean transactional;

    Workload(String word, String title, boolean transactional) {
        this.word = word;
        this.title = title;
        this.transactional = transactional;
    }

    /** Its name on the command line. */
    String displayName() {
        return word;
    }

    String title() {
        return title;
    }

    /** Whether it is also measured with transactions. */
    boolean transactional() {
        return transactional;
    }

    static List<String> words() {
        return Arrays.stream(values()).map(Workload::displayName).distinct().toList();
    }

    static List<Workload> of(String asked) {
        List<Workload> found =
                Arrays.stream(values())
                        .filter(one -> one.word.equals(asked.toLowerCase(Locale.ROOT)))
                        .toList();
        if (found.isEmpty()) {
            throw PetrichorException.invalid(
                    "--ops knows " + String.join(", ", words()) + ", not " + asked);
        }
        return found;
    }

    /**
     * The items that were put and not deleted yet, by number: puts create new ones, deletes remove
     * the oldest. Safe for any thread.
     */
    static final class Items {
        private final AtomicLong put = new AtomicLong();
        private final AtomicLong taken = new AtomicLong();

        long fresh() {
            return put.getAndIncrement();
        }

        /** Negative if none is left. */
        long eldest() {
            long next = taken.getAndIncrement();
            return next < put.get() ? next : -1;
        }

        long left() {
            return Math.max(0, put.get() - taken.get());
        }

        /** Numbers requested beyond the end can be put again. */
        void settle() {
            taken.set(Math.min(taken.get(), put.get()));
        }
    }

    /** Returns false if no entity is left for the operation. */
    boolean once(
            EntityCalls calls,
            Families families,
            Items items,
            boolean transaction,
            SplittableRandom random) {
        switch (this) {
            case NOOP -> calls.nothing();
            case GET -> get(calls, families, families.parents() * 100, transaction, random);
            case PUT -> put(calls, families, items, transaction);
            case MIX -> {
                if (random.nextDouble() < GETS_OF_MIX) {
                    get(calls, families, MIXED_ENTITIES, transaction, random);
                } else {
                    put(calls, families, items, transaction);
                }
            }
            case DELETE -> {
                long number = items.eldest();
                if (number < 0) {
                    return false;
                }
                if (transaction) {
                    calls.deleteInTransaction(families.itemKey(number));
                } else {
                    calls.delete(families.itemKey(number));
                }
            }
            case ANCESTOR -> calls.query(families.ancestor(random));
            case KINDLESS -> calls.query(families.kindless(random));
            case PROPERTY -> calls.query(families.property(random));
            case COMPOSITE -> calls.query(families.composite(random));
        }
        return true;
    }

    private static void get(
            EntityCalls calls,
            Families families,
            int among,
            boolean transaction,
            SplittableRandom random) {
        if (transaction) {
            calls.getInTransaction(families.someChild(random, among));
        } else {
            calls.get(families.someChild(random, among));
        }
    }

    private static void put(
            EntityCalls calls, Families families, Items items, boolean transaction) {
        if (transaction) {
            calls.putInTransaction(families.item(items.fresh()));
        } else {
            calls.put(List.of(families.item(items.fresh())));
        }
    }
}

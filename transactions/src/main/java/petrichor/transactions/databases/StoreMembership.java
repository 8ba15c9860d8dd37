package petrichor.transactions.databases;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.KeyValueStore;
import petrichor.transactions.log.LogStore;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.rows.TableLayout;

/**
 * A permanent row in each store that identifies the home to which it belongs. Databases of
 * different homes have the same numbers, so homes that shared a store would overwrite each other's
 * rows; and an empty store in place of the intended one would hide rows.
 *
 * <pre>
 *   meta     'h'   -> 'H' home(8)           this store is a home with other stores
 *   meta     'h'   -> 'P' home(8) store(8)  this store belongs to that home
 * </pre>
 */
public final class StoreMembership {
    private static final byte[] KEY = {'h'};
    private static final byte HOME = 'H';
    private static final byte PART = 'P';

    /** No database has this number. */
    private static final TableLayout NO_DATABASE = new TableLayout(0);

    private StoreMembership() {}

    /**
     * Claims unclaimed stores, and refuses stores that belong to another home.
     *
     * @return the placement and stores with which the databases must have been created
     */
    static String claim(RoutedStores stores, RandomGenerator chance) {
        byte[] home =
                stores.others().isEmpty()
                        ? stores.home().get(TableLayout.META, KEY)
                        : homeMark(stores.home(), chance);
        if (home != null && home[0] == PART) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store holds rows of databases whose home is another store; set store.url"
                            + " to that one.");
        }
        if (home == null) {
            return "";
        }
        StringBuilder rule = new StringBuilder(stores.rule());
        for (RoutedStores.Other other : stores.others()) {
            long part = claimPart(other, ByteBuffer.wrap(home).getLong(1), chance);
            rule.append(", ")
                    .append(other.name())
                    .append(" is ")
                    .append(HexFormat.of().toHexDigits(part));
        }
        return rule.toString();
    }

    private static byte[] homeMark(KeyValueStore home, RandomGenerator chance) {
        byte[] mark = home.get(TableLayout.META, KEY);
        return mark == null ? put(home, mark(HOME, chance.nextLong())) : mark;
    }

    /** Claims a store to which databases of the home can move. */
    static void join(RoutedStores stores, RoutedStores.Other other, RandomGenerator chance) {
        byte[] home = homeMark(stores.home(), chance);
        var _ = claimPart(other, ByteBuffer.wrap(home).getLong(1), chance);
    }

    private static long claimPart(RoutedStores.Other other, long home, RandomGenerator chance) {
        byte[] mark = other.store().get(TableLayout.META, KEY);
        if (mark == null && Catalog.names(other.store()).isEmpty()) {
            mark = put(other.store(), mark(PART, home, chance.nextLong()));
        }
        if (mark == null || mark[0] == HOME) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store \"{store}\" cannot be used for placement: it is the home of other"
                            + " databases. Use another name in its address.",
                    "store",
                    other.name());
        }
        if (mark[0] != PART || ByteBuffer.wrap(mark).getLong(1) != home) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The store \"{store}\" cannot be used for placement: it belongs to another"
                            + " home. Use another name in its address.",
                    "store",
                    other.name());
        }
        return ByteBuffer.wrap(mark).getLong(1 + Long.BYTES);
    }

    private static byte[] mark(byte kind, long... numbers) {
        ByteBuffer mark = ByteBuffer.allocate(1 + numbers.length * Long.BYTES).put(kind);
        Arrays.stream(numbers).forEach(mark::putLong);
        return mark.array();
    }

    /** The stored mark afterwards: ours, or that of a process that was faster. */
    private static byte[] put(KeyValueStore store, byte[] mark) {
        LogStore rows = LogStore.of(store, NO_DATABASE);
        DurableStep.Outcome outcome = rows.putIfAbsent(TableLayout.META, KEY, mark);
        byte[] there = rows.read(TableLayout.META, KEY);
        if (outcome == DurableStep.Outcome.UNKNOWN || there == null) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE, "The store failed while it was set up; retry.");
        }
        return there;
    }
}

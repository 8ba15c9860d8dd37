package petrichor.transactions.databases;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.kv.Reads;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;
import petrichor.transactions.Branch;
import petrichor.transactions.changes.KeptChanges;
import petrichor.transactions.log.RoutedStores;
import petrichor.transactions.rows.ParentRows;
import petrichor.transactions.rows.TableLayout;

/**
 * The branches among the databases of a store. A branch exists as soon as its catalog entry does:
 * the entry names the parent and the version. What the parent must keep for its branches is derived
 * from their entries, so a crash leaves nothing behind that would have to be cleaned up.
 * Thread-safe.
 */
final class Branches implements Lineage {
    /** Branches of branches: a row may be searched in so many databases. */
    static final int DEPTH_MAX = 8;

    /** Of one database. */
    static final int BRANCHES_MAX = 100;

    private final Catalog catalogue;
    private final RoutedStores stores;

    Branches(Catalog catalogue, RoutedStores stores) {
        this.catalogue = catalogue;
        this.stores = stores;
    }

    // ---- which there are

    /** All branches, by name. */
    List<Branch> all() {
        List<Branch> all = new ArrayList<>();
        KeyRange names = KeyRange.ofPrefix(TableLayout.nameKey(""));
        try (Scan scan = scan(names)) {
            while (scan.next()) {
                Catalog.Entry entry = Catalog.Entry.decode(scan.value());
                Catalog.Origin origin = entry.origin();
                if (origin != null) {
                    String name = new String(scan.key(), StandardCharsets.UTF_8).substring(1);
                    all.add(branch(name, entry.number(), origin));
                }
            }
        }
        return all;
    }

    private Scan scan(KeyRange range) {
        return stores.home().scan(TableLayout.META, range, Direction.FORWARD, Integer.MAX_VALUE);
    }

    private static Branch branch(String name, int number, Catalog.Origin origin) {
        return new Branch(name, origin.name(), origin.version(), number);
    }

    /** The branches of a database, as stored. */
    private List<Branch> of(TableLayout parent) {
        Map<Integer, String> linked = new TreeMap<>();
        try (Scan scan = scan(parent.branches())) {
            while (scan.next()) {
                byte[] key = scan.key();
                linked.put(
                        (int) TableLayout.longAt(key, key.length - Long.BYTES),
                        new String(scan.value(), StandardCharsets.UTF_8));
            }
        }
        List<Branch> branches = new ArrayList<>();
        linked.forEach(
                (number, name) -> {
                    Catalog.Entry entry = catalogue.find(name);
                    Catalog.Origin origin = entry == null ? null : entry.origin();
                    // A lost attempt may have left the link alone, also beside one with the name.
                    if (entry != null && origin != null && entry.number() == number) {
                        branches.add(branch(name, number, origin));
                    }
                });
        return branches;
    }

    /** The oldest version that branches share; {@code Long.MAX_VALUE} if there are none. */
    long heldFrom(TableLayout parent) {
        return of(parent).stream().mapToLong(Branch::version).min().orElse(Long.MAX_VALUE);
    }

    /** FAILED_PRECONDITION if there are any. */
    void requireNone(String database, TableLayout layout) {
        List<Branch> branches = of(layout);
        if (!branches.isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} has branches, which read its rows: {branches}. Drop"
                            + " them first.",
                    "database",
                    database,
                    "branches",
                    branches.stream().map(Branch::name).collect(Collectors.joining(", ")));
        }
    }

    void requireMovable(String database, TableLayout layout) {
        if (layout.isBranch()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is a branch, and cannot be moved to another store:"
                            + " it reads the rows of its parent. Export and import it.",
                    "database",
                    database);
        }
        requireNone(database, layout);
    }

    // ---- what they share

    @Override
    public @Nullable ParentRows of(String name, int number) {
        Catalog.Entry entry = catalogue.find(name);
        if (entry == null || entry.number() != number) {
            throw gone(name);
        }
        return of(name, entry);
    }

    /** What a database shares with its parent; null if it is not a branch. */
    @Nullable ParentRows of(String name, Catalog.Entry entry) {
        Catalog.Origin origin = entry.origin();
        if (origin == null) {
            return null;
        }
        Catalog.Entry parent = catalogue.find(origin.name());
        if (parent == null || parent.number() != origin.parent()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} cannot be read: it is a branch of {parent}, which no"
                            + " longer exists. Drop the branch.",
                    "database",
                    name,
                    "parent",
                    origin.name());
        }
        Reads reads = stores.reads();
        return ParentRows.of(parent.layout(), origin.version(), reads, of(origin.name(), parent));
    }

    private static PetrichorException gone(String name) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "The database {database} was dropped or created meanwhile; retry.",
                "database",
                name);
    }

    // ---- creation

    /**
     * Fails if a branch of this name and parent cannot be created.
     *
     * @param parent of the new branch; null if it does not exist
     */
    Catalog.Entry requireCreatable(String name, String of, Catalog.@Nullable Entry parent) {
        if (catalogue.find(name) != null) {
            throw exists(name);
        }
        if (parent == null) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND,
                    "There is no database {database} to branch; the first commit creates it.",
                    "database",
                    of);
        }
        ParentRows shared = of(of, parent);
        if (shared != null && shared.layouts().size() >= DEPTH_MAX) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is a branch of a branch, {depthMax} deep, which is"
                            + " the maximum: branch one of its parents.",
                    "database",
                    of,
                    "depthMax",
                    DEPTH_MAX);
        }
        if (of(parent.layout()).size() >= BRANCHES_MAX) {
            throw PetrichorException.of(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "The database {database} has {branchesMax} branches, the maximum. Drop one"
                            + " that is not used.",
                    "database",
                    of,
                    "branchesMax",
                    BRANCHES_MAX);
        }
        return parent;
    }

    private static PetrichorException exists(String name) {
        return PetrichorException.of(
                ErrorCode.ALREADY_EXISTS,
                "There is a database {database} already; choose another name, or drop it.",
                "database",
                name);
    }

    /**
     * Creates the entry of a branch. The caller holds a snapshot of the parent at this version, all
     * of which is in the store.
     *
     * @param holds fails if the parent is no longer as it was when the version was chosen
     */
    Branch create(
            String name, long salt, Catalog.Entry parent, Catalog.Origin origin, Runnable holds) {
        Catalog.Origin begin = parent.origin();
        if (begin != null && origin.version() < begin.version()) {
            // Nothing would make its parent keep that version.
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The database {database} is itself a branch, and began later; branch its"
                            + " parent {parent} instead.",
                    "database",
                    origin.name(),
                    "parent",
                    begin.name());
        }
        Catalog.Entry entry = catalogue.create(name, salt, parent.rule(), origin);
        if (entry.salt() != salt) {
            throw exists(name);
        }
        try {
            holds.run();
            requireKept(parent.layout(), origin);
        } catch (RuntimeException failed) {
            WriteBatch removal = new WriteBatch();
            catalogue.remove(name, entry, removal);
            if (!removal.isEmpty()) {
                stores.home().write(removal);
            }
            throw failed;
        }
        return branch(name, entry.number(), origin);
    }

    /** The parent's next owner may have removed history before it saw the branch. */
    private void requireKept(TableLayout parent, Catalog.Origin origin) {
        KeptChanges kept =
                KeptChanges.decode(stores.home().get(TableLayout.META, parent.meta('G')));
        if (origin.version() < kept.from()) {
            throw PetrichorException.invalid(
                    "The database {database} no longer has this version; choose a later time.",
                    "database",
                    origin.name());
        }
    }
}

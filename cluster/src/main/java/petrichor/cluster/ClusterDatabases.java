package petrichor.cluster;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import petrichor.base.TimeSource;
import petrichor.kv.Reads;
import petrichor.rpc.Routing;
import petrichor.transactions.Branch;
import petrichor.transactions.Database;
import petrichor.transactions.Databases;
import petrichor.transactions.NotSequencedHere;
import petrichor.transactions.databases.FollowerDatabase;
import petrichor.transactions.databases.RowDatabase;
import petrichor.transactions.databases.RowDatabases;

/**
 * The databases of the store as available to this server: full access to those that it owns, read
 * access to all others. Thread-safe. Owns the databases below.
 */
final class ClusterDatabases implements Databases {
    private final RowDatabases rows;
    private final Reads store;
    private final Ownership ownership;
    private final Routing routing;
    private final TimeSource time;
    private final Map<String, LeasedDatabase> leased = new ConcurrentHashMap<>();
    private final Map<String, FollowerDatabase> followed = new ConcurrentHashMap<>();
    private final LongAdder versionQuestions = new LongAdder();

    ClusterDatabases(
            RowDatabases rows, Reads store, Ownership ownership, Routing routing, TimeSource time) {
        this.rows = rows;
        this.store = store;
        this.ownership = ownership;
        this.routing = routing;
        this.time = time;
        rows.ownWhile(ownership::holds);
    }

    @Override
    public Database open(String name) {
        return ownership.claimed(name) ? owned(name) : followed(name);
    }

    /** {@link NotSequencedHere} if this server does not own it. */
    LeasedDatabase owned(String name) {
        if (!ownership.holds(name)) {
            LeasedDatabase known = leased.get(name);
            if (known == null || !ownership.claimed(name)) {
                throw new NotSequencedHere(name);
            }
            // Owned until now, and perhaps again; it refuses calls as needed. It must not be
            // reopened: that would fence out a new owner.
            return known;
        }
        RowDatabase open = rows.open(name);
        LeasedDatabase known = leased.get(name);
        if (known != null && known.rows().equals(open)) {
            return known;
        }
        return leased.compute(
                name,
                (_, other) ->
                        other != null && other.rows().equals(open)
                                ? other
                                : new LeasedDatabase(open, ownership));
    }

    /** An owned and open database; empty if there is nothing to drain. */
    Optional<LeasedDatabase> openHere(String name) {
        return Optional.ofNullable(leased.get(name));
    }

    private FollowerDatabase followed(String name) {
        return followed.computeIfAbsent(
                name,
                _ ->
                        new FollowerDatabase(
                                name,
                                store,
                                rows.lineage(),
                                new VersionRequests(name, routing, versionQuestions),
                                time));
    }

    /** Releases a database that this server no longer owns. */
    void release(String name) {
        leased.remove(name);
        rows.release(name);
    }

    long versionQuestions() {
        return versionQuestions.sum();
    }

    @Override
    public List<String> names() {
        return rows.names();
    }

    /** Only on the owner. */
    @Override
    public void drop(String name) {
        if (!ownership.holds(name)) {
            throw new NotSequencedHere(name);
        }
        leased.remove(name);
        rows.drop(name);
    }

    /** Only on the owner of the parent. */
    @Override
    public Branch branch(String name, String parent, OptionalLong at) {
        if (!ownership.holds(parent)) {
            throw new NotSequencedHere(parent);
        }
        return rows.branch(name, parent, at);
    }

    @Override
    public List<Branch> branches() {
        return rows.branches();
    }

    @Override
    public void close() {
        rows.close();
    }
}

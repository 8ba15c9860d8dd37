package petrichor.movement.upstream;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityRow;
import petrichor.entities.EntityWalk;
import petrichor.entities.KeyText;
import petrichor.entities.RowLayout;
import petrichor.entities.StoredEntities;
import petrichor.kv.Direction;
import petrichor.kv.KeyRange;
import petrichor.transactions.RowCursor;

/**
 * Compares all entities of both sides, value by value, in the order of keys. An entity that differs
 * may have been written a moment ago, so it is compared again, until no {@link CapturedWrites}
 * entry has its key. Entities that still differ are reported, and copied again. Confined to the
 * holder of the lock of the move.
 */
final class EntityComparison {
    /** Differing entities that are compared again; if there are more, these are reported. */
    private static final int DOUBTS_MAX = 20_000;

    private static final int ROUNDS_MAX = 20;
    private static final int RECHECKED_TOGETHER = 300;

    private final LocalCopy local;
    private final UpstreamEntities upstream;
    private final CapturedWrites captured;
    private final Follower follower;
    private final Iterator<String> namespaces;
    private final Set<Bytes> doubts = new TreeSet<>();
    private @Nullable String namespace;
    private byte @Nullable [] after;
    private long compared;
    private long mismatches;
    private final List<String> examples = new ArrayList<>();

    EntityComparison(
            LocalCopy local,
            UpstreamEntities upstream,
            CapturedWrites captured,
            Follower follower,
            Set<String> namespaces) {
        this.local = local;
        this.upstream = upstream;
        this.captured = captured;
        this.follower = follower;
        Set<String> all = new TreeSet<>(namespaces);
        try (EntityWalk walk = EntityWalk.open(local.database())) {
            all.addAll(walk.namespaces());
        }
        this.namespaces = all.iterator();
    }

    long compared() {
        return compared;
    }

    /** Compares a page; false when all pages have been compared. */
    boolean step() {
        if (namespace == null) {
            if (!namespaces.hasNext()) {
                return false;
            }
            namespace = namespaces.next();
            after = null;
        }
        byte[] start = after;
        UpstreamEntities.Page page =
                upstream.page(namespace, start == null ? null : upstream.key(start));
        Map<Bytes, Entity> theirs = new TreeMap<>();
        byte[] end = start;
        for (EntityResult result : page.results()) {
            Entity entity = local.own(result.getEntity());
            byte[] row = RowLayout.entityRow(entity.getKey());
            if (end != null && Bytes.compare(end, row) >= 0) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "The upstream does not return keys in their documented order at {key}; both"
                                + " sides cannot be compared.",
                        "key",
                        KeyText.of(entity.getKey()));
            }
            end = row;
            if (UpstreamEntities.moves(entity.getKey())) {
                theirs.put(Bytes.of(row), entity);
            }
        }
        compare(range(namespace, start, page.last() ? null : end), theirs);
        compared += theirs.size();
        after = end;
        if (page.last()) {
            namespace = null;
        }
        return true;
    }

    private static KeyRange range(
            String of, byte @Nullable [] afterRow, byte @Nullable [] throughRow) {
        KeyRange whole = RowLayout.entities(of);
        return new KeyRange(
                afterRow == null ? whole.from() : Bytes.successor(afterRow),
                throughRow == null ? whole.to() : Bytes.successor(throughRow));
    }

    private void compare(KeyRange range, Map<Bytes, Entity> theirs) {
        local.read(
                reader -> {
                    try (RowCursor cursor = reader.scan(range, Direction.FORWARD)) {
                        while (cursor.next()) {
                            Bytes row = Bytes.of(cursor.key());
                            Entity other = theirs.get(row);
                            if (other == null || !other.equals(EntityRow.entity(cursor.value()))) {
                                doubt(row);
                            }
                            if (other != null) {
                                theirs.put(row, SEEN);
                            }
                        }
                    }
                    return true;
                });
        theirs.forEach(
                (row, entity) -> {
                    if (!entity.equals(SEEN)) {
                        doubt(row);
                    }
                });
    }

    private static final Entity SEEN = Entity.getDefaultInstance();

    private void doubt(Bytes row) {
        if (doubts.size() < DOUBTS_MAX) {
            doubts.add(row);
        } else if (!doubts.contains(row)) {
            mismatch(row);
        }
    }

    private void mismatch(Bytes row) {
        mismatches++;
        if (examples.size() < DOUBTS_MAX) {
            examples.add(KeyText.of(upstream.key(row.array())));
        }
    }

    /** Compares again what differed, after all pages. Returns the result. */
    UpstreamState.Compared finish(long now) {
        for (int round = 0; round < ROUNDS_MAX && !doubts.isEmpty(); round++) {
            follower.catchUp();
            List<Bytes> rows = List.copyOf(doubts);
            for (int from = 0; from < rows.size(); from += RECHECKED_TOGETHER) {
                recheck(rows.subList(from, Math.min(rows.size(), from + RECHECKED_TOGETHER)));
            }
        }
        // What is left was written in each round: it is copied after each write.
        return new UpstreamState.Compared(now, compared, mismatches, examples);
    }

    private void recheck(List<Bytes> rows) {
        List<Key> keys = rows.stream().map(row -> upstream.key(row.array())).toList();
        Set<Bytes> moving = captured.rows();
        List<StoredEntities.State> theirs = upstream.states(keys);
        List<StoredEntities.State> wrong = new ArrayList<>();
        List<@Nullable Entity> ours =
                local.entities(theirs.stream().map(StoredEntities.State::row).toList());
        moving.addAll(captured.rows());
        for (int i = 0; i < theirs.size(); i++) {
            StoredEntities.State state = theirs.get(i);
            Bytes row = Bytes.of(state.row());
            if (moving.contains(row)) {
                continue;
            }
            doubts.remove(row);
            byte[] value = state.value();
            Entity other = value == null ? null : EntityRow.entity(value);
            Entity own = ours.get(i);
            boolean equal = other == null ? own == null : other.equals(own);
            if (!equal) {
                mismatch(row);
                wrong.add(state);
            }
        }
        if (!wrong.isEmpty()) {
            var _ = local.commit(new LocalCopy.Part(wrong, List.of()), state -> state);
        }
    }
}

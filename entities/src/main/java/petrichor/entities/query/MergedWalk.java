package petrichor.entities.query;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * Iterates over the results of all plans of a query, in order, each once. An entity that occurs
 * several times (it has several values of a sort property, or matches several conjunctions) counts
 * at its first position; {@link ResumedWalk} handles those that occurred before a walk's start.
 * Confined to one thread; holds resources until it is closed.
 */
final class MergedWalk implements Walk {
    /**
     * Paths that are remembered, about 100 bytes each. Beyond that the walk discards them and
     * continues as if it had started there: by reading the entities.
     */
    static final int REMEMBERED_MAX = 200_000;

    private final int rememberedMax;
    private final Shape shape;
    private final RowReader reader;
    private final Work work;
    private final FirstPosition firstPosition;
    private final PriorityQueue<JoinWalk> walks;
    private final List<JoinWalk> all = new ArrayList<>();

    /** Whether an entity may occur again, at another position. */
    private final boolean repeats;

    private final Set<Bytes> met = new HashSet<>();

    /** Entities up to here are not in {@link #met}; null if all are. */
    private byte @Nullable [] forgottenUntil;

    /** If the key orders first, only this has to be remembered. */
    private byte @Nullable [] previousPath;

    /** Advances only when the next result is requested. */
    private @Nullable JoinWalk current;

    private byte[] position = new byte[0];
    private byte[] path = new byte[0];
    private byte @Nullable [] distinct;
    private @Nullable Row entity;

    /**
     * @param start null for the start of the query
     * @param rememberedMax how many paths are kept, normally {@link #REMEMBERED_MAX}
     */
    MergedWalk(
            Shape shape,
            List<ScanPlan> plans,
            FirstPosition firstPosition,
            RowReader reader,
            @Nullable Point start,
            int rememberedMax,
            Work work) {
        this.rememberedMax = rememberedMax;
        this.shape = shape;
        this.reader = reader;
        this.work = work;
        this.firstPosition = firstPosition;
        // Without columns a position is the key alone, and duplicates are adjacent in the merge.
        this.repeats = shape.repeats();
        this.walks =
                new PriorityQueue<>(
                        Math.max(1, plans.size()),
                        (a, b) -> Bytes.compare(a.position(), b.position()));
        // A result before which the walk starts is still to come.
        byte[] after = start == null || start.before() ? null : start.position();
        this.previousPath = after == null ? null : new Position(shape).path(after);
        if (after != null && shape.distinctDemanded()) {
            distinct = Arrays.copyOf(after, new Position(shape).end(after, shape.distinct()));
        }
        for (ScanPlan plan : plans) {
            JoinWalk walk = new JoinWalk(shape, plan, reader, start, work);
            all.add(walk);
            if (walk.next()) {
                walks.add(walk);
            }
        }
    }

    @Override
    public boolean next() {
        while (true) {
            JoinWalk last = current;
            if (last != null && step(last)) {
                walks.add(last);
            }
            JoinWalk walk = walks.poll();
            current = walk;
            if (walk == null) {
                return false;
            }
            byte[] previous = position;
            position = walk.position();
            path = walk.path();
            entity =
                    walk.plan().scans().getFirst().source() == ScanPlan.Source.ENTITIES
                            ? new Row(path, walk.rowVersion(), walk.rowValue())
                            : null;
            if (!Arrays.equals(previous, position) && isFresh()) {
                return true;
            }
        }
    }

    /** Only the first result of a group counts: the rest is skipped. */
    private boolean step(JoinWalk walk) {
        return shape.distinctDemanded() ? walk.nextGroup(shape.distinct()) : walk.next();
    }

    private boolean isFresh() {
        if (shape.distinctDemanded()) {
            byte[] group =
                    Arrays.copyOf(position, new Position(shape).end(position, shape.distinct()));
            boolean fresh = distinct == null || !Arrays.equals(distinct, group);
            distinct = group;
            return fresh;
        }
        if (!repeats) {
            return true;
        }
        if (shape.keyFirst()) {
            boolean again = Arrays.equals(previousPath, path);
            previousPath = path;
            return !again;
        }
        byte[] until = forgottenUntil;
        boolean fresh =
                met.add(Bytes.of(path)) && (until == null || !metBefore(Point.after(until)));
        if (met.size() >= rememberedMax) {
            met.clear();
            forgottenUntil = position;
        }
        return fresh;
    }

    private boolean metBefore(Point start) {
        return firstPosition.isBefore(start, EntityRow.entity(entity().value()), path);
    }

    @Override
    public byte[] position() {
        return position;
    }

    @Override
    public byte[] path() {
        return path;
    }

    @Override
    public @Nullable Row fetched() {
        return entity;
    }

    private Row entity() {
        Row row = entity;
        if (row == null) {
            row = reader.get(RowLayout.entityRow(shape.namespace(), path));
            work.documentsScanned(1);
            if (row == null) {
                throw missing();
            }
            entity = row;
        }
        return row;
    }

    static PetrichorException missing() {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "An index names an entity that does not exist: the database is damaged; restore it"
                        + " or remove and rebuild the index.");
    }

    @Override
    public void close() {
        all.forEach(JoinWalk::close);
    }
}

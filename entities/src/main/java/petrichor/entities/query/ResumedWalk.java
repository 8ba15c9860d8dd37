package petrichor.entities.query;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.entities.EntityRow;
import petrichor.entities.RowLayout;
import petrichor.transactions.Row;
import petrichor.transactions.RowReader;

/**
 * A walk that starts at a cursor and skips entities that were results before the cursor. Only the
 * entities show this, so they are read, several at once. Confined to one thread.
 */
final class ResumedWalk implements Walk {
    private static final int ENTITIES_PER_READ = 50;

    private final Walk walk;
    private final Point start;
    private final String namespace;
    private final FirstPosition firstPosition;
    private final RowReader reader;
    private final Work work;
    private final Deque<Met> ahead = new ArrayDeque<>();
    private long wanted;
    private @Nullable Met current;

    private record Met(byte[] position, byte[] path, Row row) {}

    /**
     * @param walk starts at the cursor; closed with this one
     * @param wanted maximum number of results that the caller will take: limits the read-ahead
     */
    ResumedWalk(
            Walk walk,
            Point start,
            long wanted,
            String namespace,
            FirstPosition firstPosition,
            RowReader reader,
            Work work) {
        this.walk = walk;
        this.start = start;
        this.wanted = wanted;
        this.namespace = namespace;
        this.firstPosition = firstPosition;
        this.reader = reader;
        this.work = work;
    }

    @Override
    public boolean next() {
        while (ahead.isEmpty()) {
            if (!lookAhead()) {
                return false;
            }
        }
        current = ahead.remove();
        wanted--;
        return true;
    }

    /** Returns whether it found anything. */
    private boolean lookAhead() {
        List<byte[]> positions = new ArrayList<>();
        List<byte[]> paths = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        long count = Math.clamp(wanted, 1, ENTITIES_PER_READ);
        while (keys.size() < count && walk.next()) {
            positions.add(walk.position());
            paths.add(walk.path());
            keys.add(RowLayout.entityRow(namespace, walk.path()));
        }
        if (keys.isEmpty()) {
            return false;
        }
        work.documentsScanned(keys.size());
        int index = 0;
        for (Row row : reader.get(keys)) {
            if (row == null) {
                throw MergedWalk.missing();
            }
            Met met = new Met(positions.get(index), paths.get(index), row);
            index++;
            if (!firstPosition.isBefore(start, EntityRow.entity(row.value()), met.path())) {
                ahead.add(met);
            }
        }
        return true;
    }

    private Met current() {
        Met met = current;
        if (met == null) {
            throw new IllegalStateException("next() was not called");
        }
        return met;
    }

    @Override
    public byte[] position() {
        return current().position();
    }

    @Override
    public byte[] path() {
        return current().path();
    }

    @Override
    public Row fetched() {
        return current().row();
    }

    @Override
    public void close() {
        walk.close();
    }
}

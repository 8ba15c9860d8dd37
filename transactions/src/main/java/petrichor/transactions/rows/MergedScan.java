package petrichor.transactions.rows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.Direction;
import petrichor.kv.Scan;

/** Merges several scans by key. No key occurs in two of them. Closes them. */
public final class MergedScan implements Scan {
    private final List<Scan> scans;
    private final Direction direction;

    /** The current key of each scan; null at its end. */
    private final List<byte @Nullable []> heads;

    private int left;
    private int current = -1;
    private boolean started;

    public MergedScan(List<Scan> scans, Direction direction, int limit) {
        this.scans = scans;
        this.direction = direction;
        this.heads = new ArrayList<>(Collections.<byte @Nullable []>nCopies(scans.size(), null));
        this.left = limit;
    }

    @Override
    public boolean next() {
        if (!started) {
            started = true;
            for (int i = 0; i < heads.size() && left > 0; i++) {
                step(i);
            }
        } else if (current >= 0 && left > 0) {
            step(current);
        }
        current = left > 0 ? first() : -1;
        left--;
        return current >= 0;
    }

    private void step(int scan) {
        Scan one = scans.get(scan);
        heads.set(scan, one.next() ? one.key() : null);
    }

    private int first() {
        int first = -1;
        byte @Nullable [] best = null;
        for (int i = 0; i < heads.size(); i++) {
            byte[] head = heads.get(i);
            if (head != null && (best == null || isBefore(head, best))) {
                first = i;
                best = head;
            }
        }
        return first;
    }

    private boolean isBefore(byte[] key, byte[] other) {
        int order = Bytes.compare(key, other);
        return switch (direction) {
            case FORWARD -> order < 0;
            case REVERSE -> order > 0;
        };
    }

    @Override
    public byte[] key() {
        byte[] key = heads.get(current);
        if (key == null) {
            throw new IllegalStateException("there is no row here");
        }
        return key;
    }

    @Override
    public byte[] value() {
        return scans.get(current).value();
    }

    @Override
    public void close() {
        scans.forEach(Scan::close);
    }
}

package petrichor.kv.ranges;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;

/** The directory entries of one table at one moment; they have no gaps. */
final class RangeMap {
    private final TreeMap<byte[], RangeEntry> lines = new TreeMap<>(Bytes::compare);

    RangeMap(List<RangeEntry> directory) {
        for (RangeEntry line : directory) {
            lines.put(line.range().from(), line);
        }
        if (!lines.containsKey(KeyRange.ALL.from())) {
            throw new IllegalArgumentException("a directory must start with the empty key");
        }
    }

    private static RangeEntry present(Map.Entry<byte[], RangeEntry> line) {
        return line.getValue();
    }

    RangeEntry at(byte[] key) {
        return present(lines.floorEntry(key));
    }

    /** The last entry with keys below this one, which is not the empty key. */
    RangeEntry below(byte[] key) {
        return present(lines.lowerEntry(key));
    }

    RangeEntry last() {
        return present(lines.lastEntry());
    }

    /** The entries that intersect the range. */
    List<RangeEntry> in(KeyRange range) {
        byte[] first = at(range.from()).range().from();
        byte[] to = range.to();
        return List.copyOf(
                (to == null ? lines.tailMap(first, true) : lines.subMap(first, true, to, false))
                        .values());
    }

    boolean has(RangeEntry line) {
        RangeEntry there = lines.get(line.range().from());
        return there != null && there.partition() == line.partition();
    }

    List<RangeEntry> lines() {
        return List.copyOf(lines.values());
    }
}

package petrichor.kv.ranges;

import java.util.HexFormat;
import petrichor.kv.KeyRange;

/** A line of the directory: the keys of this range are stored in this partition. */
public record RangeEntry(KeyRange range, long partition) {
    @Override
    public String toString() {
        return range + " in " + HexFormat.of().toHexDigits(partition);
    }
}

package petrichor.kv.ranges;

import java.util.HexFormat;
import petrichor.kv.KeyRange;

/** An entry of the directory: maps a range of keys to the partition that stores it. */
public record RangeEntry(KeyRange range, long partition) {
    @Override
    public String toString() {
        return range + " in " + HexFormat.of().toHexDigits(partition);
    }
}

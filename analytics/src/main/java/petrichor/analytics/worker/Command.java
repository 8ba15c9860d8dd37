package petrichor.analytics.worker;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.analytics.SegmentSource;
import petrichor.analytics.Wire;
import petrichor.tables.ColumnType;
import petrichor.tables.DataType;
import petrichor.tables.StoredTable;
import petrichor.tables.TableTransfer;

/** What the server asks a session for. */
sealed interface Command {
    /** Zero for none. */
    long timeoutMs();

    /** Rows for a new segment, or changed rows for an existing one. */
    record Rows(
            boolean apply,
            long timeoutMs,
            boolean kept,
            String segment,
            SegmentSource source,
            String stream)
            implements Command {}

    record Drop(long timeoutMs, String segment) implements Command {}

    /**
     * @param segments in the order of the tables; empty if only the columns are wanted
     */
    record Query(
            long timeoutMs,
            Wire.Purpose purpose,
            String zone,
            List<String> searchPath,
            List<String> segments,
            List<StoredTable> tables,
            List<String> views,
            String text,
            List<@Nullable Object> parameters)
            implements Command {
        boolean describe() {
            return purpose == Wire.Purpose.COLUMNS;
        }
    }

    /** Reads what follows a tag. */
    static Command read(int tag, Wire wire) throws IOException {
        return switch (tag) {
            case Wire.LOAD, Wire.APPLY ->
                    new Rows(
                            tag == Wire.APPLY,
                            wire.in().readLong(),
                            wire.in().readBoolean(),
                            wire.takeText(),
                            SegmentSource.read(wire),
                            wire.takeText());
            case Wire.DROP -> new Drop(wire.in().readLong(), wire.takeText());
            case Wire.QUERY -> query(wire);
            default -> throw new IOException("unknown command " + tag);
        };
    }

    private static Query query(Wire wire) throws IOException {
        long timeoutMs = wire.in().readLong();
        Wire.Purpose purpose = Wire.Purpose.of(wire.in().readByte());
        String zone = wire.takeText();
        List<String> searchPath = new ArrayList<>();
        for (int rest = wire.in().readInt(); rest > 0; rest--) {
            searchPath.add(wire.takeText());
        }
        List<String> segments = new ArrayList<>();
        List<StoredTable> tables = new ArrayList<>();
        for (int rest = wire.in().readInt(); rest > 0; rest--) {
            segments.add(wire.takeText());
            tables.add(TableTransfer.decode(wire.takeBytes()));
        }
        List<String> views = new ArrayList<>();
        for (int rest = wire.in().readInt(); rest > 0; rest--) {
            views.add(wire.takeText());
        }
        String text = wire.takeText();
        List<@Nullable Object> parameters = new ArrayList<>();
        for (int rest = wire.in().readInt(); rest > 0; rest--) {
            List<ColumnType> type = List.of(ColumnType.of(DataType.BIGINT));
            parameters.add(TableTransfer.decodeValues(wire.takeBytes(), type)[0]);
        }
        return new Query(
                timeoutMs, purpose, zone, searchPath, segments, tables, views, text, parameters);
    }
}

package petrichor.kv.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/**
 * Encodes a batch as keys and arguments of {@link Script#APPLY}. Changes of different tables are
 * independent, and of several changes of one key between two range deletes only the last is kept:
 * so many short changes become few long commands. Confined to one thread.
 */
final class ScriptedBatch {
    /** Rows per command of the script. Lua's stack holds 8,000 arguments, and a row needs two. */
    static final int COMMAND_ROWS_MAX = 1000;

    private static final byte[] PUT = ascii("put");
    private static final byte[] DELETE = ascii("delete");
    private static final byte[] RANGE = ascii("range");
    private static final byte[] NO_FENCE = {};

    private final Keyspace names;
    private final List<String> tables = new ArrayList<>();
    private final List<byte[]> changes = new ArrayList<>();

    private ScriptedBatch(Keyspace names) {
        this.names = names;
    }

    static ScriptedBatch of(Keyspace names, WriteBatch batch) {
        Map<String, List<WriteBatch.Op>> byTable = new LinkedHashMap<>();
        for (WriteBatch.Op op : batch.ops()) {
            byTable.computeIfAbsent(op.table(), _ -> new ArrayList<>()).add(op);
        }
        ScriptedBatch scripted = new ScriptedBatch(names);
        byTable.forEach(scripted::addTable);
        return scripted;
    }

    private void addTable(String table, List<WriteBatch.Op> ops) {
        tables.add(table);
        byte[] number = ascii(tables.size());
        Map<Bytes, byte @Nullable []> rows = new LinkedHashMap<>();
        for (WriteBatch.Op op : ops) {
            switch (op) {
                case WriteBatch.Put(String _, byte[] key, byte[] value) ->
                        rows.put(Bytes.of(key), value);
                case WriteBatch.Delete(String _, byte[] key) -> rows.put(Bytes.of(key), null);
                case WriteBatch.DeleteRange(String _, KeyRange range) -> {
                    rows.keySet().removeIf(key -> range.contains(key.array()));
                    changes.add(RANGE);
                    changes.add(number);
                    changes.add(LexBounds.from(range));
                    changes.add(LexBounds.to(range));
                }
            }
        }
        addRows(number, rows);
    }

    private void addRows(byte[] table, Map<Bytes, byte @Nullable []> rows) {
        List<byte[]> puts = new ArrayList<>();
        List<byte[]> deletes = new ArrayList<>();
        rows.forEach(
                (key, value) -> {
                    if (value == null) {
                        deletes.add(key.array());
                    } else {
                        puts.add(key.array());
                        puts.add(value);
                    }
                });
        addCommands(PUT, table, puts, 2);
        addCommands(DELETE, table, deletes, 1);
    }

    private void addCommands(byte[] change, byte[] table, List<byte[]> rows, int width) {
        int step = COMMAND_ROWS_MAX * width;
        for (int from = 0; from < rows.size(); from += step) {
            List<byte[]> some = rows.subList(from, Math.min(rows.size(), from + step));
            changes.add(change);
            changes.add(table);
            changes.add(ascii(some.size() / width));
            changes.addAll(some);
        }
    }

    /** The n-th table in the numbering of the script, from 1. */
    String table(long n) {
        return tables.get(Math.toIntExact(n) - 1);
    }

    List<String> tables() {
        return tables;
    }

    byte[][] keys() {
        List<byte[]> keys = new ArrayList<>();
        keys.add(names.fences());
        keys.add(names.tables());
        keys.add(names.writes());
        for (String table : tables) {
            keys.add(names.order(table));
            keys.add(names.values(table));
        }
        return keys.toArray(byte[][]::new);
    }

    /** The arguments of a write without a fence. */
    byte[][] arguments() {
        return arguments(new byte[0], NO_FENCE);
    }

    byte[][] arguments(byte[] domain, long fence) {
        return arguments(domain, ascii(fence));
    }

    private byte[][] arguments(byte[] domain, byte[] fence) {
        List<byte[]> arguments = new ArrayList<>(3 + tables.size() + changes.size());
        arguments.add(domain);
        arguments.add(fence);
        arguments.add(ascii(tables.size()));
        tables.forEach(table -> arguments.add(ascii(table)));
        arguments.addAll(changes);
        return arguments.toArray(byte[][]::new);
    }

    private static byte[] ascii(long number) {
        return ascii(Long.toString(number));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }
}

package petrichor.jobs.formats;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/** Parses separated text into records, scanning no more columns than necessary. One thread. */
final class CsvLine {
    private static final long QUOTES = Words.pattern('"');

    private final CsvSource source;
    private final long separator;
    private final boolean skipsBlank;

    /** The columns in ascending order, and the field of each. */
    private final int[] indexes;

    private final int[] fields;
    private final FieldType[] types;
    private final Slice value = new Slice();
    private byte[] unquoted = new byte[64];

    /** Number of columns in the header; 0 if lines may have any number of them. */
    private final int width;

    /** Position of the current record, for failures. */
    private Supplier<String> place = () -> "a line";

    CsvLine(CsvSource source, CsvSource.Part part) {
        this.source = source;
        this.separator = Words.pattern(source.dialect().separator());
        this.skipsBlank = part.skipsBlank();
        this.width = part.width();
        this.fields =
                IntStream.range(0, part.indexes().size())
                        .boxed()
                        .sorted(Comparator.comparing(part.indexes()::get))
                        .mapToInt(Integer::intValue)
                        .toArray();
        this.indexes = IntStream.of(fields).map(part.indexes()::get).toArray();
        this.types =
                IntStream.of(fields)
                        .mapToObj(field -> source.columns().fields().get(field).type())
                        .toArray(FieldType[]::new);
    }

    void readAt(Supplier<String> where) {
        place = where;
    }

    /**
     * Parses the bytes from (inclusive) to to (exclusive), without the line terminator.
     *
     * @param plain whether there are no quotes among them
     */
    void record(byte[] bytes, int from, int to, boolean plain, Out out) {
        if (from == to && skipsBlank) {
            return;
        }
        RecordBuilder builder = out.record();
        int at = from;
        int column = 0;
        for (int i = 0; i < indexes.length; i++) {
            if (column < indexes[i]) {
                at =
                        plain
                                ? behind(bytes, at, to, indexes[i] - column)
                                : behindQuoted(bytes, at, to, indexes[i] - column);
                column = indexes[i];
            }
            if (at > to) {
                throw PetrichorException.invalid(
                        "{place} has {columns} columns, but not column {name}",
                        "place",
                        place.get(),
                        "columns",
                        columns(bytes, from, to),
                        "name",
                        name(i));
            }
            int end = plain ? Words.find(bytes, at, to, separator) : end(bytes, at, to);
            field(builder, i, bytes, at, end);
            at = end + 1;
            column++;
        }
        if (width > 0) {
            checkWidth(bytes, from, at, to, column, plain);
        }
        builder.emit();
    }

    /**
     * A line with more columns than the header may be shifted: any of them could be the surplus
     * one.
     */
    private void checkWidth(byte[] bytes, int from, int at, int to, int before, boolean plain) {
        int column = before;
        if (plain) {
            column += at > to ? 0 : 1 + count(bytes, at, to);
        } else {
            for (int next = at; next <= to; column++) {
                next = end(bytes, next, to) + 1;
            }
        }
        if (column > width) {
            throw PetrichorException.invalid(
                    "{place} has {columns} columns, but the header has {width}: put values that"
                            + " contain the separator in double quotes, or read the columns by"
                            + " position",
                    "place",
                    place.get(),
                    "columns",
                    columns(bytes, from, to),
                    "width",
                    width);
        }
    }

    /** Number of separators between from and to. */
    private int count(byte[] bytes, int from, int to) {
        int count = 0;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            count += Long.bitCount(Words.matches(Words.int64(bytes, at), separator));
        }
        for (; at < to; at++) {
            count += bytes[at] == (byte) separator ? 1 : 0;
        }
        return count;
    }

    /** Start of the field after this many fields from here. */
    private int behind(byte[] bytes, int from, int to, int count) {
        int left = count;
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            long found = Words.matches(Words.int64(bytes, at), separator);
            int here = Long.bitCount(found);
            if (here >= left) {
                for (; left > 1; left--) {
                    found &= found - 1;
                }
                return at + Words.first(found) + 1;
            }
            left -= here;
        }
        for (; left > 0 && at <= to; left--) {
            at = Words.find(bytes, at, to, separator) + 1;
        }
        return at;
    }

    /** The same where separators may be in quotes. */
    private int behindQuoted(byte[] bytes, int from, int to, int count) {
        int at = from;
        for (int i = 0; i < count && at <= to; i++) {
            at = end(bytes, at, to) + 1;
        }
        return at;
    }

    private int columns(byte[] bytes, int from, int to) {
        int columns = 0;
        for (int at = from; at <= to; columns++) {
            at = end(bytes, at, to) + 1;
        }
        return columns;
    }

    /** End of the field that starts here: at a separator, or the record's end. */
    private int end(byte[] bytes, int at, int to) {
        return end(bytes, at, to, separator);
    }

    private static int end(byte[] bytes, int at, int to, long separator) {
        if (at >= to || bytes[at] != '"') {
            return at >= to ? at : Words.find(bytes, at, to, separator);
        }
        int quote = Words.find(bytes, at + 1, to, QUOTES);
        while (quote + 1 < to && bytes[quote + 1] == '"') {
            quote = Words.find(bytes, quote + 2, to, QUOTES);
        }
        if (quote >= to) {
            throw PetrichorException.invalid("a quote is not closed");
        }
        int end = quote + 1;
        if (end < to && bytes[end] != (byte) separator) {
            throw PetrichorException.invalid(
                    "text follows a closing quote: '{text}'; a quote within quotes is written"
                            + " twice",
                    "text",
                    text(bytes, at, Math.min(to, end + 10)));
        }
        return end;
    }

    /** All fields of a record. */
    static List<String> texts(byte[] bytes, int from, int to, char separator) {
        long pattern = Words.pattern(separator);
        List<String> texts = new ArrayList<>();
        for (int at = from; at <= to; ) {
            int end = end(bytes, at, to, pattern);
            boolean quoted = at < end && bytes[at] == '"';
            texts.add(
                    quoted
                            ? text(bytes, at + 1, end - 1).replace("\"\"", "\"")
                            : text(bytes, at, end));
            at = end + 1;
        }
        return texts;
    }

    private static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }

    private void field(RecordBuilder builder, int i, byte[] bytes, int from, int to) {
        boolean quoted = from < to && bytes[from] == '"';
        if (quoted) {
            unquote(bytes, from + 1, to - 1);
        } else {
            value.over(bytes, from, to - from);
        }
        int field = fields[i];
        boolean text = types[i].isVariable();
        if (value.isEmpty() && !(text && quoted)) {
            // Null: only a text can be empty, and is then quoted.
            return;
        }
        try {
            switch (types[i]) {
                case TEXT, BYTES -> builder.text(field, value);
                case INT32, INT64 -> builder.int64(field, value.parseInt64());
                case FLOAT64 -> builder.float64(field, value.parseFloat64());
                case BOOLEAN -> builder.bool(field, truth());
            }
        } catch (PetrichorException e) {
            throw PetrichorException.invalid(
                    "column {field} ({name}): {reason}",
                    "field",
                    indexes[i],
                    "name",
                    name(i),
                    "reason",
                    e.getMessage());
        }
    }

    private String name(int i) {
        return source.columns().fields().get(fields[i]).name();
    }

    private boolean truth() {
        return switch (value.toString()) {
            case "true", "1", "t" -> true;
            case "false", "0", "f" -> false;
            case String other ->
                    throw PetrichorException.invalid(
                            "'{other}' is neither true nor false", "other", other);
        };
    }

    private void unquote(byte[] bytes, int from, int to) {
        if (unquoted.length < to - from) {
            unquoted = new byte[2 * (to - from)];
        }
        int length = 0;
        for (int i = from; i < to; i++) {
            unquoted[length++] = bytes[i];
            if (bytes[i] == '"') {
                i++;
            }
        }
        value.over(unquoted, 0, length);
    }
}

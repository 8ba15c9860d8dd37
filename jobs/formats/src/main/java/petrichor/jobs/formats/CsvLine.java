package petrichor.jobs.formats;

import petrichor.base.PetrichorException;
import petrichor.jobs.records.FieldType;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.Slice;
import petrichor.jobs.records.Words;

/** Makes records of separated lines, looking at no more columns than it needs. One thread. */
final class CsvLine implements LineReader.LineFormat {
    private static final long QUOTES = Words.pattern('"');

    private final CsvSource source;
    private final long separator;
    private final int[] indexes;
    private final FieldType[] types;
    private final Slice value = new Slice();
    private byte[] unquoted = new byte[64];
    private boolean header;

    CsvLine(CsvSource source) {
        this.source = source;
        this.separator = Words.pattern(source.dialect().separator());
        this.indexes = source.columns().stream().mapToInt(CsvColumn::index).toArray();
        this.types = source.columns().stream().map(c -> c.field().type()).toArray(FieldType[]::new);
    }

    /** The next line names the columns. */
    void skipHeader() {
        header = true;
    }

    @Override
    public void line(byte[] bytes, int from, int to, Out out) {
        if (header) {
            header = false;
            return;
        }
        RecordBuilder builder = out.record();
        int at = from;
        int column = 0;
        for (int i = 0; i < indexes.length; i++) {
            if (column < indexes[i]) {
                at = behind(bytes, at, to, indexes[i] - column);
                column = indexes[i];
            }
            if (at > to) {
                throw PetrichorException.invalid(
                        "a line has "
                                + columns(bytes, from, to)
                                + " columns and not the one of "
                                + source.columns().get(i).field().name());
            }
            int end = end(bytes, at, to);
            field(builder, i, bytes, at, end);
            at = end + 1;
            column++;
        }
        builder.emit();
    }

    /** Where the field begins that comes behind so many from here. */
    private int behind(byte[] bytes, int from, int to, int fields) {
        int left = fields;
        for (int at = from; at + Long.BYTES <= to; at += Long.BYTES) {
            long word = Words.int64(bytes, at);
            if (Words.matches(word, QUOTES) != 0) {
                break;
            }
            long found = Words.matches(word, separator);
            int count = Long.bitCount(found);
            if (count >= left) {
                for (; left > 1; left--) {
                    found &= found - 1;
                }
                return at + Words.first(found) + 1;
            }
            left -= count;
        }
        return behindOneByOne(bytes, from, to, fields);
    }

    /** The same where a separator may stand in quotes, and near the end of the line. */
    private int behindOneByOne(byte[] bytes, int from, int to, int fields) {
        int at = from;
        for (int i = 0; i < fields && at <= to; i++) {
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

    /** The end of the field that begins here: a separator, or the line's end. */
    private int end(byte[] bytes, int at, int to) {
        if (at < to && bytes[at] == '"') {
            int quote = at + 1;
            while (quote < to && (bytes[quote] != '"' || doubled(bytes, quote, to))) {
                quote += bytes[quote] == '"' ? 2 : 1;
            }
            if (quote >= to) {
                throw PetrichorException.invalid("a quote is not closed in its line");
            }
            return Words.find(bytes, quote, to, separator);
        }
        return at > to ? at : Words.find(bytes, at, to, separator);
    }

    private static boolean doubled(byte[] bytes, int quote, int to) {
        return quote + 1 < to && bytes[quote + 1] == '"';
    }

    private void field(RecordBuilder builder, int field, byte[] bytes, int from, int to) {
        if (from < to && bytes[from] == '"') {
            unquote(bytes, from + 1, to - 1);
        } else {
            value.over(bytes, from, to - from);
        }
        try {
            switch (types[field]) {
                case TEXT, BYTES -> builder.text(field, value);
                case INT32, INT64 -> {
                    if (!value.isEmpty()) {
                        builder.int64(field, value.parseInt64());
                    }
                }
                case FLOAT64 -> {
                    if (!value.isEmpty()) {
                        builder.float64(field, value.parseFloat64());
                    }
                }
                case BOOLEAN -> {
                    if (!value.isEmpty()) {
                        builder.bool(field, truth());
                    }
                }
            }
        } catch (PetrichorException e) {
            throw PetrichorException.invalid(
                    "column "
                            + indexes[field]
                            + " ("
                            + source.columns().get(field).field().name()
                            + "): "
                            + e.getMessage());
        }
    }

    private boolean truth() {
        return switch (value.toString()) {
            case "true", "1", "t" -> true;
            case "false", "0", "f" -> false;
            case String other ->
                    throw PetrichorException.invalid("'" + other + "' is neither true nor false");
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

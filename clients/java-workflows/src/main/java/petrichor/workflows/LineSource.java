package petrichor.workflows;

import com.google.gson.JsonElement;
import com.google.gson.reflect.TypeToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lines of objects. A split is a list of ranges of bytes; a line is in the range that has its first byte. */
record LineSource(StoredObjects storage, List<String> objects) implements SourceReader {
    private static final int READ_BYTES = 512 << 10;
    private static final int LINE_BYTES_MAX = 16 << 20;

    private record Range(String object, long from, long to) {}

    /** The range of a split, and the offset of the next line in it. */
    private record Position(int range, long offset) {}

    @Override
    public Splits splits(int shards, Optional<JsonElement> progress) {
        List<Range> whole = new ArrayList<>();
        try {
            for (String object : objects) {
                whole.add(new Range(object, 0, storage.bytes(object)));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        long total = whole.stream().mapToLong(Range::to).sum();
        long share = Math.max(1, (total + shards - 1) / shards);
        List<List<Range>> splits = new ArrayList<>(List.of(new ArrayList<>()));
        long left = share; // bytes that the last split can still take
        for (Range range : whole) {
            for (long from = 0; from < range.to(); ) {
                if (left == 0) {
                    splits.add(new ArrayList<>());
                    left = share;
                }
                long to = Math.min(range.to(), from + left);
                splits.get(splits.size() - 1).add(new Range(range.object(), from, to));
                left -= to - from;
                from = to;
            }
        }
        return Splits.of(splits.stream().map(Values::encode).toList());
    }

    @Override
    public boolean read(JsonElement split, Optional<JsonElement> position, Visitor visitor) throws Exception {
        List<Range> ranges = Values.decode(split, new TypeToken<List<Range>>() {}.getType());
        Position start =
                position.map(stored -> Values.<Position>decode(stored, Position.class))
                        .orElse(new Position(0, -1));
        for (int number = start.range(); number < ranges.size(); number++) {
            Range range = ranges.get(number);
            boolean resumes = number == start.range() && start.offset() >= 0;
            // The line that contains the byte before the range belongs to the previous one.
            long from =
                    resumes
                            ? start.offset()
                            : range.from() == 0
                                    ? 0
                                    : new Lines(range.object(), range.from() - 1).skip();
            Lines lines = new Lines(range.object(), from);
            while (lines.offset < range.to()) {
                Line line = lines.next();
                if (line == null) {
                    break;
                }
                if (!visitor.visit(line, Values.encode(new Position(number, lines.offset)))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Reads the lines of an object in order. */
    private final class Lines {
        private final String object;
        private long offset; // of the next line
        private byte[] buffer = new byte[0];
        private int position; // in the buffer, of the next line

        Lines(String object, long offset) {
            this.object = object;
            this.offset = offset;
        }

        /** The offset after the next end of a line. */
        long skip() throws IOException, InterruptedException {
            next();
            return offset;
        }

        /** Null at the end of the object. */
        Line next() throws IOException, InterruptedException {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            long start = offset;
            while (true) {
                int end = position;
                while (end < buffer.length && buffer[end] != '\n') {
                    end++;
                }
                line.write(buffer, position, end - position);
                offset += end - position;
                if (line.size() > LINE_BYTES_MAX) {
                    throw new Abort(
                            object
                                    + " has a line of more than "
                                    + LINE_BYTES_MAX
                                    + " bytes at "
                                    + start);
                }
                if (end < buffer.length) {
                    position = end + 1;
                    offset++;
                    return line(start, line);
                }
                buffer = storage.read(object, offset, READ_BYTES);
                position = 0;
                if (buffer.length == 0) {
                    return line.size() == 0 ? null : line(start, line);
                }
            }
        }

        private Line line(long start, ByteArrayOutputStream bytes) {
            String text = bytes.toString(StandardCharsets.UTF_8);
            return new Line(
                    object,
                    start,
                    text.endsWith("\r") ? text.substring(0, text.length() - 1) : text);
        }
    }
}

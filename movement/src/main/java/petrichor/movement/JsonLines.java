package petrichor.movement;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads a file of newline JSON with one entity per line, plain or {@code .gz}; ignores empty lines.
 * A line longer than {@link #LINE_BYTES_MAX} is an invalid record: it is read to its end and
 * discarded.
 */
public final class JsonLines implements EntitySource {
    /** An entity of 1 MiB with every character escaped to six, and a margin. */
    public static final int LINE_BYTES_MAX = 16 << 20;

    private static final int BUFFER_BYTES = 1 << 16;

    private final String file;
    private final CountingStream raw;
    private final InputStream in;
    private final long bytesTotal;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long number;

    private JsonLines(String file, CountingStream raw, InputStream in, long bytesTotal) {
        this.file = file;
        this.raw = raw;
        this.in = in;
        this.bytesTotal = bytesTotal;
    }

    public static JsonLines open(Path path) {
        try {
            CountingStream raw = new CountingStream(Files.newInputStream(path));
            InputStream in =
                    path.toString().endsWith(".gz") ? new GZIPInputStream(raw, BUFFER_BYTES) : raw;
            return new JsonLines(
                    path.toString(), raw, new BufferedInputStream(in, BUFFER_BYTES), size(path));
        } catch (IOException unreadable) {
            throw FileProblem.of("cannot read " + path, unreadable);
        }
    }

    /** Reads a stream of unknown length, e.g. standard input. */
    public static JsonLines of(String name, InputStream stream) {
        CountingStream raw = new CountingStream(stream);
        return new JsonLines(name, raw, new BufferedInputStream(raw, BUFFER_BYTES), -1);
    }

    @Override
    public @Nullable Entry next() {
        try {
            while (readLine()) {
                number++;
                Place place = new Place(file, number);
                if (line.size() > LINE_BYTES_MAX) {
                    return new Bad(
                            place,
                            "the line is longer than "
                                    + LINE_BYTES_MAX
                                    + " bytes, the limit for an entity",
                            "");
                }
                byte[] bytes = line.toByteArray();
                Entry record = record(place, bytes);
                if (record != null) {
                    return record;
                }
            }
            return null;
        } catch (IOException broken) {
            throw FileProblem.of("cannot read " + file + " after line " + number, broken);
        }
    }

    private static @Nullable Entry record(Place place, byte[] bytes) {
        String text;
        try {
            text =
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString()
                            .strip();
        } catch (CharacterCodingException notUtf8) {
            return new Bad(place, "the line is not UTF-8", "");
        }
        if (text.isEmpty()) {
            return null;
        }
        try {
            return new Good(place, EntityJson.parse(text), bytes.length);
        } catch (PetrichorException notAnEntity) {
            return new Bad(place, String.valueOf(notAnEntity.getMessage()), text);
        }
    }

    /** Reads a line into {@link #line}, without its newline; false at the end. */
    private boolean readLine() throws IOException {
        line.reset();
        int next = in.read();
        if (next < 0) {
            return false;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            // One byte beyond the limit is kept, which marks the line as too long.
            if (line.size() <= LINE_BYTES_MAX) {
                line.write(next);
            }
        }
        return true;
    }

    @Override
    public long bytesTotal() {
        return bytesTotal;
    }

    @Override
    public long bytesRead() {
        return raw.count();
    }

    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException ignored) {
            // All data was read, or a failure was reported.
        }
    }

    private static long size(Path path) throws IOException {
        return Files.isRegularFile(path) ? Files.size(path) : -1;
    }
}

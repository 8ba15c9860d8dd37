package petrichor.jobs.mapreduce;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A run of sorted pairs in memory or in a file, positioned at its first remaining pair. */
final class SortedRun implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int END = -1;

    /** A serialized pair. */
    record Pair(byte[] key, byte[] value) {}

    /** A sequence of pairs; null after the last. */
    interface Pairs {
        @Nullable Pair next() throws IOException;
    }

    private final int number;
    private final Pairs pairs;
    private final @Nullable DataInputStream in;
    private @Nullable Pair head;

    private SortedRun(int number, Pairs pairs, @Nullable DataInputStream in) {
        this.number = number;
        this.pairs = pairs;
        this.in = in;
    }

    static SortedRun open(int number, Path file) throws IOException {
        DataInputStream in =
                new DataInputStream(
                        new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
        return new SortedRun(number, () -> read(in), in);
    }

    /** Pairs in memory, to be merged directly or to be written. */
    static Pairs of(List<Pair> sorted) {
        Iterator<Pair> rest = sorted.iterator();
        return () -> rest.hasNext() ? rest.next() : null;
    }

    static SortedRun of(int number, List<Pair> sorted) {
        return new SortedRun(number, of(sorted), null);
    }

    static void write(Pairs sorted, Path file) throws IOException {
        try (DataOutputStream out =
                new DataOutputStream(
                        new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES))) {
            for (Pair pair = sorted.next(); pair != null; pair = sorted.next()) {
                out.writeInt(pair.key().length);
                out.writeInt(pair.value().length);
                out.write(pair.key());
                out.write(pair.value());
            }
            out.writeInt(END);
        }
    }

    private static @Nullable Pair read(DataInputStream in) throws IOException {
        int keyBytes = in.readInt();
        if (keyBytes == END) {
            return null;
        }
        byte[] value = new byte[in.readInt()];
        byte[] key = in.readNBytes(keyBytes);
        if (key.length < keyBytes) {
            throw new EOFException("a sorted run ends within a key");
        }
        in.readFully(value);
        return new Pair(key, value);
    }

    /** The run's number: among equal keys, lower runs come first. */
    int number() {
        return number;
    }

    boolean advance() throws IOException {
        head = pairs.next();
        return head != null;
    }

    Pair head() {
        Pair pair = head;
        if (pair == null) {
            throw new IllegalStateException("no record is current");
        }
        return pair;
    }

    @Override
    public void close() throws IOException {
        if (in != null) {
            in.close();
        }
    }
}

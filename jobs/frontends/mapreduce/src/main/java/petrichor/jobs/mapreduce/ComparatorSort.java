package petrichor.jobs.mapreduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.jspecify.annotations.Nullable;

/**
 * External merge sort of one reduce's pairs by a user-defined comparator: in memory, spilling
 * sorted runs that are merged while they are read. Stable: pairs with equal keys keep their order
 * of arrival. Belongs to one thread; closing it removes its files.
 */
final class ComparatorSort implements AutoCloseable {
    /** Object overhead of a pair, in addition to its bytes. */
    private static final int PAIR_BYTES = 64;

    /** Divisor of the heap for one sort: several reduces may run in a process at the same time. */
    private static final int HEAP_SHARE = 16;

    private static final long MEMORY_BYTES_MIN = 1 << 20;
    private static final long MEMORY_BYTES_MAX = 256 << 20;

    /** Maximum fan-in: number of files open at the same time; more are merged first. */
    static final int FILES_MAX = 64;

    private final RawComparator<?> comparator;
    private final long memoryBytes;
    private final List<Path> files = new ArrayList<>();
    private final List<SortedRun> open = new ArrayList<>();
    private @Nullable Path folder;
    private int made;

    ComparatorSort(RawComparator<?> comparator, long memoryBytes) {
        this.comparator = comparator;
        this.memoryBytes = memoryBytes;
    }

    static ComparatorSort of(Program program) {
        long share = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        return new ComparatorSort(
                program.sorting(), Math.clamp(share, MEMORY_BYTES_MIN, MEMORY_BYTES_MAX));
    }

    /** Reads all pairs, and returns them in order. May be called once. */
    RawKeyValueIterator sorted(RawKeyValueIterator pairs) throws IOException {
        List<SortedRun.Pair> held = new ArrayList<>();
        long bytes = 0;
        while (pairs.next()) {
            SortedRun.Pair pair = new SortedRun.Pair(copy(pairs.getKey()), copy(pairs.getValue()));
            held.add(pair);
            bytes += PAIR_BYTES + pair.key().length + pair.value().length;
            if (bytes >= memoryBytes) {
                held.sort(this::compare);
                files.add(write(SortedRun.of(held)));
                held.clear();
                bytes = 0;
            }
        }
        held.sort(this::compare);
        while (files.size() > FILES_MAX) {
            // The oldest are merged to the oldest, to keep the sort stable.
            List<Path> some = List.copyOf(files.subList(0, FILES_MAX));
            Merge merge = merge(some);
            Path merged = write(merge);
            closeOpen();
            for (Path each : some) {
                Files.delete(each);
            }
            files.subList(0, FILES_MAX).clear();
            files.addFirst(merged);
        }
        Merge all = merge(files);
        all.add(SortedRun.of(files.size(), held));
        return new RawPairs(
                (key, value) -> {
                    SortedRun.Pair pair = all.next();
                    if (pair == null) {
                        return false;
                    }
                    key.reset(pair.key(), pair.key().length);
                    value.reset(pair.value(), pair.value().length);
                    return true;
                });
    }

    private int compare(SortedRun.Pair left, SortedRun.Pair right) {
        return comparator.compare(
                left.key(), 0, left.key().length, right.key(), 0, right.key().length);
    }

    private static byte[] copy(DataInputBuffer buffer) {
        int at = buffer.getPosition();
        return java.util.Arrays.copyOfRange(buffer.getData(), at, buffer.getLength());
    }

    private Path write(SortedRun.Pairs sorted) throws IOException {
        Path in = folder;
        if (in == null) {
            in = Files.createTempDirectory("petrichor-reduce-");
            folder = in;
        }
        Path file = in.resolve("run-" + made++);
        SortedRun.write(sorted, file);
        return file;
    }

    private Merge merge(List<Path> of) throws IOException {
        Merge merge = new Merge();
        for (int i = 0; i < of.size(); i++) {
            SortedRun run = SortedRun.open(i, of.get(i));
            open.add(run);
            merge.add(run);
        }
        return merge;
    }

    private void closeOpen() throws IOException {
        for (SortedRun run : open) {
            run.close();
        }
        open.clear();
    }

    @Override
    public void close() throws IOException {
        closeOpen();
        Path in = folder;
        if (in != null) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.delete(in);
        }
    }

    /** Merges several runs. */
    private final class Merge implements SortedRun.Pairs {
        private final PriorityQueue<SortedRun> runs =
                new PriorityQueue<>(
                        (left, right) -> {
                            int order = compare(left.head(), right.head());
                            return order != 0
                                    ? order
                                    : Integer.compare(left.number(), right.number());
                        });

        void add(SortedRun run) throws IOException {
            if (run.advance()) {
                runs.add(run);
            }
        }

        @Override
        public SortedRun.@Nullable Pair next() throws IOException {
            SortedRun least = runs.poll();
            if (least == null) {
                return null;
            }
            SortedRun.Pair pair = least.head();
            add(least);
            return pair;
        }
    }
}

package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.Direction;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.KeyRange;
import petrichor.kv.Scan;
import petrichor.kv.WriteBatch;

/**
 * Repeatedly kills a process that commits from several threads to the same folder, and verifies:
 * every acknowledged commit is complete, and every other one complete or absent.
 */
class CrashTest {
    private static final int WRITERS = 4;

    /** Small, so that kills also occur during flushes and compactions. */
    private static final RocksOptions SMALL_BUFFERS =
            RocksOptions.DEFAULT.withWriteBufferBytes(1 << 20);

    private static final int VALUE_BYTES = 4096;

    /** Maximum commits of a round before the kill. */
    private static final int COMMITS_MAX = 400;

    @TempDir Path folder;

    @Test
    void killedProcessLosesNoAcknowledgedCommitAndTearsNone() throws Exception {
        killAndCheck(4, 1);
    }

    @Test
    @Tag("slow")
    void noCommitIsLostOrTornByAHundredKills() throws Exception {
        killAndCheck(100, 2);
    }

    private void killAndCheck(int rounds, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        AtomicIntegerArray acknowledged = new AtomicIntegerArray(WRITERS);
        for (int round = 1; round <= rounds; round++) {
            int commits = 1 + random.nextInt(COMMITS_MAX);
            int[] found = new int[WRITERS];
            try (ChildJvm child = ChildJvm.start(Writer.class, folder.toString())) {
                for (int i = 0; i < commits; i++) {
                    note(child.line(), acknowledged);
                }
                child.kill().stream()
                        // The kill may have cut the last line.
                        .filter(line -> line.endsWith("."))
                        .forEach(line -> note(line, acknowledged));
            }
            try (RocksStore store = RocksStore.open(folder, SMALL_BUFFERS)) {
                for (int writer = 0; writer < WRITERS; writer++) {
                    String about = "seed " + seed + ", round " + round + ", writer " + writer;
                    found[writer] = lastCommit(store, "left", writer);
                    assertThat(found[writer])
                            .as(about + ": acknowledged commits exist")
                            .isGreaterThanOrEqualTo(acknowledged.get(writer));
                    assertThat(found[writer])
                            .as(about + ": at most the commit under way is there, too")
                            .isLessThanOrEqualTo(acknowledged.get(writer) + 1);
                    assertThat(lastCommit(store, "right", writer))
                            .as(about + ": both rows of a commit or none")
                            .isEqualTo(found[writer]);
                    acknowledged.set(writer, found[writer]);
                }
            }
        }
        assertThat(acknowledged.get(0)).as("commits of the first writer").isPositive();
    }

    private static void note(String line, AtomicIntegerArray acknowledged) {
        String[] words = line.substring(0, line.length() - 1).split(" ", -1);
        acknowledged.set(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    }

    /** The number of the writer's last row; all earlier rows must exist and be complete. */
    private static int lastCommit(RocksStore store, String table, int writer) {
        if (!store.tables().contains(table)) {
            return 0;
        }
        int last = 0;
        byte[] prefix = bytes("writer " + writer + " ");
        try (Scan scan =
                store.scan(
                        table, KeyRange.ofPrefix(prefix), Direction.FORWARD, Integer.MAX_VALUE)) {
            while (scan.next()) {
                last++;
                assertThat(scan.key()).isEqualTo(key(writer, last));
                assertThat(scan.value()).isEqualTo(value(writer, last));
            }
        }
        return last;
    }

    private static byte[] key(int writer, int commit) {
        return bytes(String.format("writer %d commit %08d", writer, commit));
    }

    private static byte[] value(int writer, int commit) {
        byte[] value = new byte[VALUE_BYTES];
        new SplittableRandom(writer * 1_000_003L + commit).nextBytes(value);
        return value;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** The process to kill: commits as fast as it can, and prints acknowledged commits. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws Exception {
            try (RocksStore store = RocksStore.open(Path.of(arguments[0]), SMALL_BUFFERS);
                    ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
                store.createTable("left");
                store.createTable("right");
                DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) store.durableStep();
                List<Callable<Void>> writers = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    int number = writer;
                    writers.add(() -> commitForEver(store, step, number));
                }
                threads.invokeAll(writers);
            }
        }

        private static Void commitForEver(
                RocksStore store, DurableStep.AtomicBatch step, int writer) throws IOException {
            byte[] domain = {(byte) writer};
            long fence = step.takeFence(domain);
            for (int commit = lastCommit(store, "left", writer) + 1; ; commit++) {
                WriteBatch batch =
                        new WriteBatch()
                                .put("left", key(writer, commit), value(writer, commit))
                                .put("right", key(writer, commit), value(writer, commit));
                if (step.commit(domain, fence, batch) != Outcome.DONE) {
                    throw new IOException("a commit failed on a healthy disk");
                }
                System.out.println(writer + " " + commit + ".");
            }
        }
    }
}

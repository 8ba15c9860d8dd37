package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.DurableStep.Outcome;
import petrichor.kv.WriteBatch;

/**
 * The disk is full: the store reports it, keeps acknowledged writes, and continues to serve reads.
 */
class FullDiskTest {
    private static final int VALUE_BYTES = 64 << 10;
    private static final int DISK_MIB = 32;
    private static final int BALLAST_MIB = 12;

    /**
     * More than RocksDB's library, which the child unpacks; less than the size to which a log
     * grows.
     */
    private static final int FILE_KIB = 24 << 10;

    private static final byte[] DOMAIN = {'d'};

    @TempDir Path temporary;

    @Test
    void fullDiskEndsWritesAndKeepsReads() throws Exception {
        Path disk = Files.createDirectory(temporary.resolve("disk"));
        boolean mounted = run("mount", "-t", "tmpfs", "-o", "size=" + DISK_MIB + "m", "none", disk);
        assumeTrue(mounted, "NOT TESTED: a full disk. Mounting a small one needs root");
        try {
            Path ballast = Files.write(disk.resolve("ballast"), new byte[BALLAST_MIB << 20]);
            Path folder = disk.resolve("data");
            int acknowledged;
            try (RocksStore store = RocksStore.open(folder)) {
                acknowledged = commitUntilUnknown(store);
                assertThat(acknowledged).isGreaterThan(10);
                assertThatThrownBy(() -> store.write(batch(acknowledged + 2)))
                        .hasMessageContaining("full")
                        .hasMessageContaining(folder.toString());
                assertRefusesWritesAndReads(store, acknowledged);
            }
            assertThatThrownBy(() -> RocksStore.open(folder).close())
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("full");
            Files.delete(ballast);
            assertContinuesAfterReopening(folder, acknowledged);
        } finally {
            assertThat(run("umount", disk)).isTrue();
        }
    }

    @Test
    void refusedWriteEndsWritesAndKeepsReads() throws Exception {
        Path folder = temporary.resolve("data");
        try (ChildJvm child =
                ChildJvm.startWithFileLimit(FILE_KIB, Filler.class, folder.toString())) {
            int acknowledged = Integer.parseInt(child.line());
            assertThat(acknowledged).isGreaterThan(10);
            assertThat(child.waitForEnd()).isZero();
            assertContinuesAfterReopening(folder, acknowledged);
        }
    }

    /** Runs in a process with a file size limit. */
    static final class Filler {
        private Filler() {}

        public static void main(String[] arguments) {
            try (RocksStore store = RocksStore.open(Path.of(arguments[0]))) {
                int acknowledged = commitUntilUnknown(store);
                assertRefusesWritesAndReads(store, acknowledged);
                System.out.println(acknowledged);
            }
        }
    }

    private static int commitUntilUnknown(RocksStore store) {
        store.createTable("rows");
        DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) store.durableStep();
        long fence = step.takeFence(DOMAIN);
        int acknowledged = 0;
        Outcome outcome = step.commit(DOMAIN, fence, batch(1));
        while (outcome == Outcome.DONE) {
            acknowledged++;
            outcome = step.commit(DOMAIN, fence, batch(acknowledged + 1));
        }
        assertThat(outcome).isEqualTo(Outcome.UNKNOWN);
        return acknowledged;
    }

    private static void assertRefusesWritesAndReads(RocksStore store, int acknowledged) {
        DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) store.durableStep();
        assertUnavailable(() -> store.write(batch(acknowledged + 2)));
        assertUnavailable(() -> step.takeFence(DOMAIN));
        assertUnavailable(() -> store.createTable("more"));
        assertThat(store.metrics().writesRefused()).isNotNull();
        for (int i = 1; i <= acknowledged; i++) {
            assertThat(store.get("rows", key(i))).isEqualTo(value(i));
        }
        assertThat(store.get("rows", key(acknowledged + 2))).isNull();
    }

    private static void assertUnavailable(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("nothing was written");
    }

    private static void assertContinuesAfterReopening(Path folder, int acknowledged) {
        try (RocksStore store = RocksStore.open(folder)) {
            for (int i = 1; i <= acknowledged; i++) {
                assertThat(store.get("rows", key(i))).isEqualTo(value(i));
            }
            DurableStep.AtomicBatch step = (DurableStep.AtomicBatch) store.durableStep();
            long fence = step.takeFence(DOMAIN);
            assertThat(step.commit(DOMAIN, fence, batch(acknowledged + 3))).isEqualTo(Outcome.DONE);
        }
    }

    private static WriteBatch batch(int number) {
        return new WriteBatch().put("rows", key(number), value(number));
    }

    private static byte[] key(int number) {
        return String.format("%08d", number).getBytes(UTF_8);
    }

    /** Random, so that compression does not save space. */
    private static byte[] value(int number) {
        byte[] value = new byte[VALUE_BYTES];
        new SplittableRandom(number).nextBytes(value);
        return value;
    }

    private static boolean run(Object... command) throws IOException, InterruptedException {
        String[] words = new String[command.length];
        for (int i = 0; i < command.length; i++) {
            words[i] = command[i].toString();
        }
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        process.inputReader().readAllLines();
        return process.waitFor() == 0;
    }
}

package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;

/** A missing or truncated write-ahead log is refused, and nothing in the folder is changed. */
class LostLogTest {
    private static final int ROWS = 200;

    @TempDir Path parent;

    private Path folder() {
        return parent.resolve("data");
    }

    /** The state after kill -9: nothing of the store was closed. */
    private void writeAndKill() throws Exception {
        try (ChildJvm child = ChildJvm.start(Writer.class, folder().toString())) {
            for (int row = 0; row < ROWS; row++) {
                assertThat(child.line()).isEqualTo("row " + row);
            }
            child.kill();
        }
    }

    @Test
    void aLogThatIsMissingAfterAKillIsRefusedUntilItIsBack() throws Exception {
        writeAndKill();
        Path log = log();
        Path aside = parent.resolve("aside");
        Files.move(log, aside);
        assertRefusedUnchanged("none");
        Files.move(aside, log);
        assertAllThere();
    }

    @Test
    void aLogThatWasCutAfterAKillIsRefusedUntilItIsWhole() throws Exception {
        writeAndKill();
        Path log = log();
        byte[] whole = Files.readAllBytes(log);
        for (int bytes : new int[] {whole.length / 2, whole.length - 1, 0}) {
            Files.write(log, Arrays.copyOf(whole, bytes));
            assertRefusedUnchanged(log.getFileName() + " of " + bytes + " bytes");
        }
        Files.write(log, whole);
        assertAllThere();
    }

    @Test
    void aLogThatIsMissingAfterACleanShutdownIsRefused() throws Exception {
        write(0);
        Files.delete(log());
        assertRefusedUnchanged("none");
    }

    @Test
    void aFolderThatLostAllButTheNoteIsRefused() throws Exception {
        write(0);
        for (String name : contents().keySet()) {
            if (!name.equals(AcknowledgedWrites.FILE)) {
                Files.delete(folder().resolve(name));
            }
        }
        assertRefusedUnchanged("none");
    }

    @Test
    void aLossIsAcceptedByEmptyingTheNote() throws Exception {
        write(0);
        Files.delete(log());
        assertRefusedUnchanged("making the file " + folder().resolve(AcknowledgedWrites.FILE));
        Files.write(folder().resolve(AcknowledgedWrites.FILE), new byte[0]);
        try (RocksStore store = RocksStore.open(folder())) {
            assertThat(store.tables()).contains("rows");
            assertThat(store.get("rows", key(0))).isNull();
        }
        write(0);
        assertAllThere();
    }

    @Test
    void aNoteThatIsMissingOrDamagedIsRefused() throws Exception {
        write(0);
        Path note = folder().resolve(AcknowledgedWrites.FILE);
        byte[] bytes = Files.readAllBytes(note);
        bytes[3] ^= 1;
        Files.write(note, bytes);
        assertRefusedUnchanged("is damaged, so that the data may be incomplete");
        Files.delete(note);
        assertRefusedUnchanged("is missing, so that the data may be incomplete");
    }

    @Test
    void droppedTablesAreNotReportedAsMissing() throws Exception {
        write(0);
        try (RocksStore store = RocksStore.open(folder())) {
            store.createTable("other");
            store.write(new WriteBatch().put("other", key(1), key(1)));
            store.dropTable("other");
        }
        assertAllThere();
    }

    @Test
    void droppedTablesAreNotReportedAsMissingAfterAKill() throws Exception {
        write(0);
        try (ChildJvm child = ChildJvm.start(Dropper.class, folder().toString())) {
            assertThat(child.line()).isEqualTo("dropped");
            child.kill();
        }
        assertAllThere();
    }

    @Test
    void withoutSyncsWritesAreNotedOnClose() throws Exception {
        try (RocksStore store = RocksStore.open(folder(), RocksOptions.DEFAULT.withSync(false))) {
            store.createTable("rows");
            byte[] before = Files.readAllBytes(folder().resolve(AcknowledgedWrites.FILE));
            store.write(new WriteBatch().put("rows", key(0), key(0)));
            assertThat(Files.readAllBytes(folder().resolve(AcknowledgedWrites.FILE)))
                    .isEqualTo(before);
        }
        Files.delete(log());
        assertRefusedUnchanged("none");
    }

    @Test
    void aFolderOfTheFirstFormatIsUpgraded() throws Exception {
        write(0);
        Files.delete(folder().resolve(DataFormat.FILE));
        Files.delete(folder().resolve(AcknowledgedWrites.FILE));
        assertAllThere();
        assertThat(DataFormat.require(folder())).isEqualTo(DataFormat.CURRENT);
        write(0);
        Files.delete(log());
        assertRefusedUnchanged("none");
    }

    @Test
    void anInterruptedUpgradeIsResumed() throws Exception {
        write(0);
        // The note is written first.
        Files.delete(folder().resolve(DataFormat.FILE));
        Files.writeString(folder().resolve(DataFormat.FILE + ".new"), "petri");
        Files.writeString(folder().resolve(AcknowledgedWrites.FILE + ".new"), "x");
        assertAllThere();
        assertThat(DataFormat.require(folder())).isEqualTo(DataFormat.CURRENT);
    }

    @Test
    void aNewerFormatIsRefusedBeforeAnythingIsRead() throws Exception {
        write(0);
        Files.writeString(folder().resolve(DataFormat.FILE), "petrichor data folder, format 3\n");
        Map<String, Long> before = contents();
        assertThatThrownBy(() -> RocksStore.open(folder()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.FAILED_PRECONDITION))
                .hasMessage(
                        "the data folder "
                                + folder()
                                + " has format 3, but this version supports formats up"
                                + " to 2; start a newer version, or export the data with it and"
                                + " import them into an empty folder");
        assertThat(contents()).isEqualTo(before);
        Files.writeString(folder().resolve(DataFormat.FILE), "something else");
        assertRefusedUnchanged("does not name the format");
    }

    @Test
    void theFolderIsInaccessibleToOtherUsers() throws Exception {
        Files.createDirectory(
                folder(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        write(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())))
                .isEqualTo("rwx------");
    }

    /** Opens and upgrades an old folder, and is killed at a random moment, repeatedly. */
    @Test
    @Tag("slow")
    void anUpgradeKilledAtAnyMomentLosesNothing() throws Exception {
        write(0);
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 100; round++) {
            Files.deleteIfExists(folder().resolve(DataFormat.FILE));
            if (random.nextBoolean()) {
                Files.deleteIfExists(folder().resolve(AcknowledgedWrites.FILE));
            }
            try (ChildJvm child = ChildJvm.start(Opener.class, folder().toString())) {
                assertThat(child.line()).isEqualTo("opening");
                // Opening takes some 50 ms.
                LockSupport.parkNanos(random.nextLong(100_000_000));
                child.kill();
            }
            assertAllThere();
            write(0);
        }
    }

    private void assertRefusedUnchanged(String text) throws IOException {
        Map<String, Long> before = contents();
        assertThatThrownBy(() -> RocksStore.open(folder()))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.INTERNAL))
                .hasMessageContaining(folder().toString())
                .hasMessageContaining("restore a backup")
                .hasMessageContaining(text);
        Map<String, Long> after = contents();
        // RocksDB's own messages.
        before.keySet().removeIf(name -> name.startsWith("LOG"));
        after.keySet().removeIf(name -> name.startsWith("LOG"));
        assertThat(after).isEqualTo(before);
    }

    private void assertAllThere() {
        try (RocksStore store = RocksStore.open(folder())) {
            for (int row = 0; row < ROWS; row++) {
                assertThat(store.get("rows", key(row))).as("row %d", row).isNotNull();
            }
        }
    }

    /** Names and sizes. */
    private Map<String, Long> contents() throws IOException {
        TreeMap<String, Long> contents = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder())) {
            for (Path file : files) {
                contents.put(file.getFileName().toString(), Files.size(file));
            }
        }
        return contents;
    }

    /** The newest log. */
    private Path log() throws IOException {
        return folder().resolve(
                        contents().keySet().stream()
                                .filter(name -> name.endsWith(".log"))
                                .reduce((older, newer) -> newer)
                                .orElseThrow());
    }

    private static byte[] key(int row) {
        return String.format("%04d", row).getBytes(UTF_8);
    }

    private void write(int from) {
        try (RocksStore store = RocksStore.open(folder())) {
            store.createTable("rows");
            for (int row = from; row < ROWS; row++) {
                store.write(new WriteBatch().put("rows", key(row), key(row)));
            }
        }
    }

    /** The process to kill once it has written all rows. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) throws Exception {
            RocksStore store = RocksStore.open(Path.of(arguments[0]));
            store.createTable("rows");
            for (int row = 0; row < ROWS; row++) {
                store.write(new WriteBatch().put("rows", key(row), key(row)));
                System.out.println("row " + row);
            }
            Thread.currentThread().join();
        }
    }

    /** The process to kill when it has dropped the table of its newest writes. */
    static final class Dropper {
        private Dropper() {}

        public static void main(String[] arguments) throws Exception {
            RocksStore store = RocksStore.open(Path.of(arguments[0]));
            store.createTable("other");
            for (int row = 0; row < ROWS; row++) {
                store.write(new WriteBatch().put("other", key(row), key(row)));
            }
            store.dropTable("other");
            System.out.println("dropped");
            Thread.currentThread().join();
        }
    }

    /** The process to kill while it opens. */
    static final class Opener {
        private Opener() {}

        public static void main(String[] arguments) throws Exception {
            NativeLibrary.load();
            System.out.println("opening");
            RocksStore.open(Path.of(arguments[0])).close();
            Thread.currentThread().join();
        }
    }
}

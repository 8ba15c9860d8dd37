package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import petrichor.base.PetrichorException;
import petrichor.kv.WriteBatch;

/** The process runs out of file handles: writes fail until the store is reopened. */
class FileHandlesTest {
    private static final int VALUE_BYTES = 64 << 10;
    private static final int HANDLES = 400;

    @TempDir Path temporary;

    @Test
    void writesContinueAfterReopening() throws Exception {
        try (ChildJvm child =
                ChildJvm.startWithHandles(
                        HANDLES, Exhausting.class, temporary.resolve("data").toString())) {
            assertThat(child.line()).startsWith("refused: ").contains("too many open files");
            assertThat(child.line()).isEqualTo("reopening helps: true");
            assertThat(child.line()).isEqualTo("accepted again");
            assertThat(child.line()).isEqualTo("all acknowledged rows are there");
            assertThat(child.waitForEnd()).isZero();
        }
    }

    /** Writes while it holds every available file handle, then without. */
    static final class Exhausting {
        public static void main(String[] arguments) throws IOException {
            RocksOptions options = RocksOptions.DEFAULT.withWriteBufferBytes(1 << 20);
            List<Integer> acknowledged = new ArrayList<>();
            List<FileInputStream> handles = new ArrayList<>();
            String refusal = "none";
            try (RocksStore store = RocksStore.open(Path.of(arguments[0]), options)) {
                store.createTable("t");
                store.write(row(800));
                loadWhatFailuresNeed();
                takeAll(handles);
                for (int next = 0; next < 400; next++) {
                    try {
                        store.write(row(next));
                        acknowledged.add(next);
                    } catch (PetrichorException refused) {
                        refusal = refused.getMessage();
                    }
                }
                for (FileInputStream handle : handles) {
                    handle.close();
                }
                System.out.println("refused: " + refusal);
                System.out.println("reopening helps: " + store.reopeningHelps());
            }
            try (RocksStore store = RocksStore.open(Path.of(arguments[0]), options)) {
                for (int next = 400; next < 800; next++) {
                    store.write(row(next));
                    acknowledged.add(next);
                }
                System.out.println("accepted again");
                for (int one : acknowledged) {
                    if (store.get("t", key(one)) == null) {
                        System.out.println("row " + one + " is lost");
                    }
                }
                System.out.println("all acknowledged rows are there");
            }
        }

        /**
         * A class cannot be loaded from a folder without a handle; a server's come from open jars.
         */
        private static void loadWhatFailuresNeed() {
            RocksDBException failure = new RocksDBException("Too many open files");
            PetrichorException _ = new WriteRefusal(Path.of("elsewhere")).after(failure);
        }

        private static void takeAll(List<FileInputStream> handles) {
            try {
                while (true) {
                    handles.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException none) {
                return; // that was the last one
            }
        }

        private static WriteBatch row(int number) {
            WriteBatch batch = new WriteBatch();
            batch.add(new WriteBatch.Put("t", key(number), new byte[VALUE_BYTES]));
            return batch;
        }

        private static byte[] key(int number) {
            return String.format("%06d", number).getBytes(UTF_8);
        }
    }
}

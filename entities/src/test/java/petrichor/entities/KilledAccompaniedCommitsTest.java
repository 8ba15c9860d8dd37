package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.upsert;

import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.protobuf.ByteString;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.kv.rocksdb.RocksStore;
import petrichor.transactions.RowWrite;
import petrichor.transactions.Snapshot;

/** A process that is killed while it commits leaves both an entity and its row, or neither. */
class KilledAccompaniedCommitsTest {
    private static final int ROUNDS = 4;
    private static final int COMMITS_BEFORE_KILL = 60;

    @TempDir Path folder;

    @Test
    void bothOrNeither() throws Exception {
        int next = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int acknowledged = killWhileCommitting(next);
            assertThat(acknowledged).isGreaterThan(next);
            next = requireBothOrNeither(acknowledged);
        }
    }

    /** Returns the number of the last commit whose acknowledgement was seen. */
    private int killWhileCommitting(int from) throws IOException, InterruptedException {
        Process writer =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Writer.class.getName(),
                                folder.toString(),
                                Integer.toString(from))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        int last = from;
        try (BufferedReader out = writer.inputReader()) {
            String line;
            for (int i = 0; i < COMMITS_BEFORE_KILL && (line = out.readLine()) != null; i++) {
                last = Integer.parseInt(line);
            }
            // Unlike the method of the process, this leaves its output readable.
            writer.toHandle().destroyForcibly();
            while ((line = out.readLine()) != null) {
                last = Integer.parseInt(line);
            }
        } finally {
            writer.destroyForcibly().waitFor();
        }
        return last;
    }

    /** Returns the number of the last commit that was found. */
    private int requireBothOrNeither(int acknowledged) {
        try (Entities entities = new Entities(RocksStore.open(folder))) {
            int found = 0;
            for (int i = 1; i <= acknowledged + COMMITS_BEFORE_KILL; i++) {
                boolean entity = entities.find(entityKey(i)) != null;
                assertThat(hasRow(entities, i)).as("row of entity %d", i).isEqualTo(entity);
                assertThat(entity || i > acknowledged).as("acknowledged entity %d", i).isTrue();
                found = entity ? i : found;
            }
            return found;
        }
    }

    private static boolean hasRow(Entities entities, int number) {
        try (Snapshot snapshot = entities.database().rows().snapshot()) {
            return snapshot.get(row(number)) != null;
        }
    }

    private static com.google.datastore.v1.Key entityKey(int number) {
        return key("Order", "n" + number);
    }

    private static byte[] row(int number) {
        return ("Q/" + number).getBytes(StandardCharsets.UTF_8);
    }

    /** Commits transactions until it is killed, and prints the number of each. */
    static final class Writer {
        private Writer() {}

        public static void main(String[] arguments) {
            Entities entities = new Entities(RocksStore.open(Path.of(arguments[0])));
            for (int i = Integer.parseInt(arguments[1]) + 1; ; i++) {
                commit(entities, i);
                System.out.println(i);
            }
        }

        private static void commit(Entities entities, int number) {
            ByteString transaction =
                    entities.datastore
                            .beginTransaction(
                                    BeginTransactionRequest.newBuilder()
                                            .setProjectId(Entities.PROJECT)
                                            .build())
                            .getTransaction();
            var _ =
                    entities.datastore
                            .commit(
                                    CommitRequest.newBuilder()
                                            .setProjectId(Entities.PROJECT)
                                            .setTransaction(transaction)
                                            .addMutations(upsert(entity(entityKey(number))))
                                            .build(),
                                    List.of(new RowWrite(row(number), new byte[] {1}, null)))
                            .join();
        }
    }
}

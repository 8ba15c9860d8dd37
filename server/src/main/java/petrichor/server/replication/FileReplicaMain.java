package petrichor.server.replication;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.movement.duckdb.DuckReplica;
import petrichor.movement.duckdb.ParquetFiles;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;
import petrichor.server.backups.BackupTargets;

/**
 * The process of a replica in files. Reads requests from standard input and writes the answers to
 * standard output, each with its length in front; an answer starts with the name of an error code,
 * or an empty text. Ends with its input, or when there was no request for a while.
 */
final class FileReplicaMain {
    static final int MESSAGE_BYTES_MAX = 128 << 20;

    private static final long IDLE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final long WATCH_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long BUSY = Long.MAX_VALUE;

    private FileReplicaMain() {}

    /**
     * @param arguments the DuckDB file, the interval in milliseconds, and the place of Parquet
     *     files, empty for none
     */
    public static void main(String[] arguments) throws IOException {
        AtomicLong idleSince = new AtomicLong(System.nanoTime());
        Thread.ofPlatform().daemon().name("idle").start(() -> endWhenIdle(idleSince));
        Path file = Path.of(arguments[0]);
        // Other output would be taken for answers.
        DataOutputStream out =
                new DataOutputStream(
                        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)));
        System.setOut(System.err);
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        Optional<ParquetFiles> parquet =
                arguments[2].isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                new ParquetFiles(
                                        BackupTargets.open(arguments[2]),
                                        file.resolveSibling(file.getFileName() + ".upload")));
        try (DuckReplica replica =
                new DuckReplica(file, Duration.ofMillis(Long.parseLong(arguments[1])), parquet)) {
            while (true) {
                byte[] request = in.readNBytes(length(in));
                idleSince.set(BUSY);
                answer(replica, request, out);
                idleSince.set(System.nanoTime());
            }
        } catch (EOFException ended) {
            // The server has ended, or no longer needs the replica.
        }
    }

    private static void endWhenIdle(AtomicLong idleSince) {
        while (true) {
            LockSupport.parkNanos(WATCH_NANOS);
            long since = idleSince.get();
            if (since != BUSY && System.nanoTime() - since > IDLE_NANOS) {
                // A transaction is never open between two requests.
                Runtime.getRuntime().halt(0);
            }
        }
    }

    static int length(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > MESSAGE_BYTES_MAX) {
            throw new IOException("a message of " + length + " bytes");
        }
        return length;
    }

    private static void answer(DuckReplica replica, byte[] request, DataOutputStream out)
            throws IOException {
        String code = "";
        byte[] content;
        try {
            ReplicationResponse response = replica.ask(ReplicationRequest.parseFrom(request));
            content = response.toByteArray();
        } catch (PetrichorException failed) {
            code = failed.code().name();
            content = String.valueOf(failed.getMessage()).getBytes(StandardCharsets.UTF_8);
        } catch (RuntimeException unexpected) {
            code = ErrorCode.INTERNAL.name();
            content = String.valueOf(unexpected).getBytes(StandardCharsets.UTF_8);
            unexpected.printStackTrace();
        }
        out.writeUTF(code);
        out.writeInt(content.length);
        out.write(content);
        out.flush();
    }
}

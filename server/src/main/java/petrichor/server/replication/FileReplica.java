package petrichor.server.replication;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.rpc.v1.ReplicationRequest;
import petrichor.rpc.v1.ReplicationResponse;

/**
 * A replica in files, written by a process that starts with the first request and ends when there
 * is none for a minute. A request that fails in an unexpected way ends it; the next one starts
 * another process. Thread-safe; requests run one after the other.
 */
final class FileReplica implements AutoCloseable {
    /** On top of DuckDB's own memory. */
    private static final int HEAP_MIB = 1_024;

    /** A large table is written as one Parquet file. */
    private static final Duration CALL_MAX = Duration.ofMinutes(10);

    private final FilePlace place;
    private final ReentrantLock turn = new ReentrantLock();
    private volatile @Nullable Process process;

    FileReplica(FilePlace place) {
        this.place = place;
    }

    /**
     * @param waitMax for another request to end
     */
    ReplicationResponse ask(ReplicationRequest request, Duration waitMax) {
        try {
            if (!turn.tryLock(waitMax.toNanos(), TimeUnit.NANOSECONDS)) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "{target} is being written for more than {seconds} s; try again later.",
                        "target",
                        place,
                        "seconds",
                        waitMax.toSeconds());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        }
        try {
            return asked(request);
        } finally {
            turn.unlock();
        }
    }

    private ReplicationResponse asked(ReplicationRequest request) {
        byte[] content = request.toByteArray();
        Process started;
        try {
            // Not by the task, which would start another one after an interruption.
            started = started();
        } catch (IOException failed) {
            throw unavailable(String.valueOf(failed.getMessage()), failed);
        }
        FutureTask<Answer> call = new FutureTask<>(() -> exchanged(started, content));
        var _ = Thread.ofVirtual().name("file-replica").start(call);
        try {
            Answer answer = call.get(CALL_MAX.toNanos(), TimeUnit.NANOSECONDS);
            if (!answer.code.isEmpty()) {
                throw new PetrichorException(
                        ErrorCode.valueOf(answer.code),
                        new String(answer.content, StandardCharsets.UTF_8));
            }
            return ReplicationResponse.parseFrom(answer.content);
        } catch (TimeoutException late) {
            close();
            throw unavailable("it did not answer for " + CALL_MAX.toSeconds() + " s", late);
        } catch (InterruptedException interrupted) {
            // Its answer would be taken for that of the next request.
            close();
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.UNAVAILABLE, "The server is shutting down.");
        } catch (ExecutionException failed) {
            close();
            throw unavailable(String.valueOf(failed.getCause()), failed);
        } catch (IOException malformed) {
            close();
            throw unavailable("its answer is malformed", malformed);
        }
    }

    private PetrichorException unavailable(String reason, Exception cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "The process that writes {target} failed, and is started again: {reason}",
                "target",
                place,
                "reason",
                reason);
    }

    private record Answer(String code, byte[] content) {}

    private static Answer exchanged(Process process, byte[] request) throws IOException {
        DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
        out.writeInt(request.length);
        out.write(request);
        out.flush();
        DataInputStream in = new DataInputStream(new BufferedInputStream(process.getInputStream()));
        String code = in.readUTF();
        return new Answer(code, in.readNBytes(FileReplicaMain.length(in)));
    }

    private Process started() throws IOException {
        Process known = process;
        if (known != null && known.isAlive()) {
            return known;
        }
        Process started =
                new ProcessBuilder(
                                List.of(
                                        System.getProperty("java.home") + "/bin/java",
                                        "--enable-native-access=ALL-UNNAMED",
                                        "-XX:+UseSerialGC",
                                        "-Xmx" + HEAP_MIB + "m",
                                        "-XX:+ExitOnOutOfMemoryError",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        FileReplicaMain.class.getName(),
                                        place.file().toString(),
                                        Long.toString(place.interval().toMillis()),
                                        place.parquet()))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        process = started;
        return started;
    }

    /** Kills the process: what it has not committed is sent again. */
    @Override
    public void close() {
        Process known = process;
        process = null;
        if (known != null) {
            known.destroyForcibly();
        }
    }
}

package petrichor.analytics;

import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import petrichor.sql.SqlException;
import petrichor.sql.entities.PropertyType;

/**
 * A connection to the worker that sends commands and waits for their answers. Confined to one
 * thread, except {@link #cancel} and {@link #close}.
 */
final class WorkerLink implements AutoCloseable {
    private final Worker worker;
    private final Wire wire;
    private boolean canceled;

    private WorkerLink(Worker worker, Wire wire) {
        this.worker = worker;
        this.wire = wire;
    }

    /** A command's bytes. */
    interface Message {
        void write(DataOutputStream out) throws IOException;
    }

    static WorkerLink open(Worker worker, String database) {
        try {
            WorkerLink link = new WorkerLink(worker, worker.connect());
            link.wire.out().writeByte(Wire.SESSION);
            link.wire.putText(database);
            return link;
        } catch (IOException failed) {
            throw AnalyticsFailures.workerEnded(worker.ending(), failed);
        }
    }

    Wire wire() {
        return wire;
    }

    /** What a load or change of a segment resulted in. */
    record Loaded(long rows, long bytesUsed) {}

    /**
     * Starts a load; its rows can be streamed when this returns.
     *
     * @param command {@link Wire#LOAD} or {@link Wire#APPLY}
     * @param kept after the end of this connection
     * @param stream id of the streams of rows
     */
    void load(
            int command,
            String segment,
            boolean kept,
            SegmentSource source,
            String stream,
            long timeoutMs) {
        send(
                command,
                out -> {
                    out.writeLong(timeoutMs);
                    out.writeBoolean(kept);
                    wire.putText(segment);
                    source.write(wire);
                    wire.putText(stream);
                });
        expect(Wire.READY);
    }

    /** Reads an answer without content. */
    void expect(int tag) {
        try {
            int answer = answer();
            if (answer != tag) {
                throw new IOException("unexpected answer " + answer);
            }
        } catch (IOException failed) {
            throw ended(failed);
        }
    }

    void drop(String segment) {
        send(
                Wire.DROP,
                out -> {
                    out.writeLong(0);
                    wire.putText(segment);
                });
        Loaded _ = loaded();
    }

    void send(int command, Message message) {
        try {
            synchronized (this) {
                if (canceled) {
                    throw AnalyticsFailures.canceled();
                }
                wire.out().writeByte(command);
                message.write(wire.out());
                wire.out().flush();
            }
        } catch (IOException failed) {
            throw ended(failed);
        }
    }

    Loaded loaded() {
        expect(Wire.DONE);
        try {
            return new Loaded(wire.in().readLong(), wire.in().readLong());
        } catch (IOException failed) {
            throw ended(failed);
        }
    }

    /** The tag of the next answer, unless it is a failure. */
    int answer() throws IOException {
        int answer = wire.in().readByte();
        if (answer == Wire.FAILED) {
            String state = wire.takeText();
            String message = wire.takeText();
            throw new SqlException(state, message);
        }
        if (answer == Wire.MISFITS) {
            Map<String, PropertyType> types = new HashMap<>();
            for (int rest = wire.in().readInt(); rest > 0; rest--) {
                types.put(wire.takeText(), SegmentSource.readType(wire));
            }
            throw new ValuesMisfit(types);
        }
        return answer;
    }

    SqlException ended(IOException failed) {
        synchronized (this) {
            if (canceled && worker.alive()) {
                return AnalyticsFailures.canceled();
            }
        }
        return AnalyticsFailures.workerEnded(worker.ending(), failed);
    }

    void cancel() {
        synchronized (this) {
            if (canceled) {
                return;
            }
            canceled = true;
            try {
                wire.out().writeByte(Wire.CANCEL);
                wire.out().flush();
            } catch (IOException ended) {
                // So has what was to be canceled.
            }
        }
    }

    @Override
    public void close() {
        wire.close();
    }
}

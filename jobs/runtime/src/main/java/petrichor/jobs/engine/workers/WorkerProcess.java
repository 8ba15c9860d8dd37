package petrichor.jobs.engine.workers;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A worker process, as seen from the job master. Messages are read on a thread of its own. */
final class WorkerProcess implements AutoCloseable {
    private final int number;
    private final WorkerLink link;
    private @Nullable ObjectOutputStream to;

    /** Number of consecutive checks by {@link #isSilent} since its last message. */
    private final AtomicInteger silences = new AtomicInteger();

    /** A message is being processed, and more may be waiting. */
    private volatile boolean heard;

    private volatile boolean silent;

    /** Receives a worker's messages, and the end of its connection. */
    interface Listener {
        void said(WorkerProcess worker, WorkerMessage message);

        void gone(WorkerProcess worker);
    }

    WorkerProcess(int number, WorkerLink link) {
        this.number = number;
        this.link = link;
    }

    void listen(Listener listener) {
        Thread.ofVirtual().name("worker " + number).start(() -> read(listener));
    }

    private void read(Listener listener) {
        try {
            // Not closed: the process may serve another job through the same pipe.
            ObjectInputStream in = new ObjectInputStream(link.from());
            while (true) {
                WorkerMessage message = (WorkerMessage) in.readObject();
                heard = true;
                listener.said(this, message);
                silences.set(0);
                heard = false;
                if (message instanceof WorkerMessage.Released) {
                    // The following messages belong to another job.
                    return;
                }
            }
        } catch (IOException | ClassNotFoundException e) {
            listener.gone(this);
        }
    }

    /** Sends a message; if that fails the process is ended, which its reader reports. */
    synchronized void send(WorkerMessage message) {
        try {
            ObjectOutputStream out = to;
            if (out == null) {
                out = new ObjectOutputStream(link.to());
                to = out;
            }
            // Not after the message: nothing may follow the last one.
            out.reset();
            out.writeObject(message);
            out.flush();
        } catch (IOException e) {
            link.abandon();
        }
    }

    /**
     * Called at equal intervals: whether it has sent nothing during {@code asked} of them.
     * Intervals are counted, because by the clock a worker would be silent whenever this process
     * was suspended.
     */
    boolean isSilent(int asked) {
        return !heard && silences.incrementAndGet() > asked;
    }

    /** Ends a hanging process, without waiting. */
    void endSilent() {
        silent = true;
        link.abandon();
    }

    boolean wasSilent() {
        return silent;
    }

    /** Whether its end was announced in advance. */
    boolean isLeaving() {
        return link.isLeaving();
    }

    int number() {
        return number;
    }

    long pid() {
        return link.pid();
    }

    /** How it ended, as text; ends it if it has not. */
    String end() {
        close();
        return link.isAlive() ? "and did not end" : link.ending();
    }

    /** Whether it is still running, although it was asked to end. */
    boolean isAlive() {
        return link.isAlive();
    }

    /** Ends the process, which has no state to save. */
    @Override
    public void close() {
        link.close();
    }
}

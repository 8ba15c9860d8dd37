package petrichor.jobs.engine.workers;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A worker process, seen from the coordinator. Messages are read on a thread of its own. */
final class WorkerProcess implements AutoCloseable {
    private final int number;
    private final WorkerLink link;
    private @Nullable ObjectOutputStream to;

    /** How often {@link #isSilent} was asked since it last said something. */
    private final AtomicInteger silences = new AtomicInteger();

    /** What it said is being looked at: it may have said more. */
    private volatile boolean heard;

    private volatile boolean silent;

    /** Takes what a worker says, and that it stopped talking. */
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
                    // What follows belongs to another job.
                    return;
                }
            }
        } catch (IOException | ClassNotFoundException e) {
            listener.gone(this);
        }
    }

    /** Says something to the process; one that cannot listen is ended, which is heard of. */
    synchronized void send(WorkerMessage message) {
        try {
            ObjectOutputStream out = to;
            if (out == null) {
                out = new ObjectOutputStream(link.to());
                to = out;
            }
            // Not behind a message: nothing may follow the last one.
            out.reset();
            out.writeObject(message);
            out.flush();
        } catch (IOException e) {
            link.abandon();
        }
    }

    /**
     * Asked again and again at equal intervals: whether it has said nothing for so many of them.
     * They are counted, because by the clock a worker would be silent whenever this process was.
     */
    boolean isSilent(int asked) {
        return !heard && silences.incrementAndGet() > asked;
    }

    /** It hangs: ends it without a wait. */
    void endSilent() {
        silent = true;
        link.abandon();
    }

    boolean wasSilent() {
        return silent;
    }

    /** Whether it was known that it would have to go. */
    boolean isLeaving() {
        return link.isLeaving();
    }

    int number() {
        return number;
    }

    long pid() {
        return link.pid();
    }

    /** How it ended, in words; ends it if it has not. */
    String end() {
        close();
        return link.isAlive() ? "and did not end" : link.ending();
    }

    /** Whether it is still there, although it was told to end. */
    boolean isAlive() {
        return link.isAlive();
    }

    /** Ends the process; there is nothing in it to be saved. */
    @Override
    public void close() {
        link.close();
    }
}

package petrichor.jobs.engine;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.jspecify.annotations.Nullable;

/** A worker process, seen from the coordinator. Messages are read on a thread of its own. */
final class WorkerProcess implements AutoCloseable {
    private final int number;
    private final WorkerLink link;
    private @Nullable ObjectOutputStream to;

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
        try (ObjectInputStream in = new ObjectInputStream(link.from())) {
            while (true) {
                listener.said(this, (WorkerMessage) in.readObject());
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
            out.writeObject(message);
            out.flush();
            out.reset();
        } catch (IOException e) {
            link.abandon();
        }
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
        return link.isAlive() ? "and does not end" : link.ending();
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

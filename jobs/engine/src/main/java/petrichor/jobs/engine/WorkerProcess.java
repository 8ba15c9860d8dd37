package petrichor.jobs.engine;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A worker process, seen from the coordinator. Messages are read on a thread of its own. */
final class WorkerProcess implements AutoCloseable {
    private static final long END_WAIT_S = 10;

    /** The status of a process that signal 9 has ended. */
    private static final int KILLED = 128 + 9;

    private final int number;
    private final Process process;
    private final ObjectOutputStream to;

    /** Takes what a worker says, and that it stopped talking. */
    interface Listener {
        void said(WorkerProcess worker, WorkerMessage message);

        void gone(WorkerProcess worker);
    }

    private WorkerProcess(int number, Process process) throws IOException {
        this.number = number;
        this.process = process;
        this.to = new ObjectOutputStream(process.getOutputStream());
        this.to.flush();
    }

    static WorkerProcess start(int number, Workers wanted) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        // Compression of channels is native code.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(wanted.jvmArguments());
        command.addAll(List.of("-cp", wanted.classPath(), WorkerMain.class.getName()));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        return new WorkerProcess(number, process);
    }

    void listen(Listener listener) {
        Thread.ofVirtual().name("worker " + number).start(() -> read(listener));
    }

    private void read(Listener listener) {
        try (ObjectInputStream in = new ObjectInputStream(process.getInputStream())) {
            while (true) {
                listener.said(this, (WorkerMessage) in.readObject());
            }
        } catch (IOException | ClassNotFoundException e) {
            listener.gone(this);
        }
    }

    /** Says something to the process; one that cannot listen is ended, which is heard of. */
    void send(WorkerMessage message) {
        try {
            synchronized (to) {
                to.writeObject(message);
                to.flush();
                to.reset();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        }
    }

    int number() {
        return number;
    }

    long pid() {
        return process.pid();
    }

    /** How it ended, in words; ends it if it has not. */
    String end() {
        close();
        if (process.isAlive()) {
            return "and does not end";
        }
        int status = process.exitValue();
        return status == KILLED ? "it was killed" : "exit status " + status;
    }

    /** Whether it is still there, although it was told to end. */
    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process; there is nothing in it to be saved. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(END_WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

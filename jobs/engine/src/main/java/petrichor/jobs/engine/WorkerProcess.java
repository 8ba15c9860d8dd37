package petrichor.jobs.engine;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** A worker process, seen from the coordinator. Messages are read on a thread of its own. */
final class WorkerProcess implements AutoCloseable {
    private static final long END_WAIT_S = 10;

    private final int number;
    private final Process process;
    private final ObjectOutputStream to;

    /** Takes what a worker says, and why it stopped talking. */
    interface Listener {
        void said(int worker, WorkerMessage message);

        void gone(int worker, PetrichorException reason);
    }

    private WorkerProcess(int number, Process process) throws IOException {
        this.number = number;
        this.process = process;
        this.to = new ObjectOutputStream(process.getOutputStream());
        this.to.flush();
    }

    static WorkerProcess start(int number, List<String> jvmArguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        // Compression of channels is native code.
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(jvmArguments);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), WorkerMain.class.getName()));
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
                listener.said(number, (WorkerMessage) in.readObject());
            }
        } catch (IOException | ClassNotFoundException e) {
            listener.gone(
                    number,
                    new PetrichorException(
                            ErrorCode.UNAVAILABLE,
                            "worker "
                                    + (number + 1)
                                    + " (process "
                                    + process.pid()
                                    + ") died while the job ran"));
        }
    }

    void send(WorkerMessage message) {
        try {
            synchronized (to) {
                to.writeObject(message);
                to.flush();
                to.reset();
            }
        } catch (IOException e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "worker "
                            + (number + 1)
                            + " (process "
                            + process.pid()
                            + ") does not listen: "
                            + e);
        }
    }

    long pid() {
        return process.pid();
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

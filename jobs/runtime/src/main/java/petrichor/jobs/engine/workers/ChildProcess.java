package petrichor.jobs.engine.workers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A worker started by this process, reached by its standard streams. */
final class ChildProcess implements WorkerLink {
    private static final long END_WAIT_S = 10;

    /** Exit status of a process that was ended by signal 9. */
    private static final int KILLED = 128 + 9;

    private final Process process;
    private final TemporaryFolder temporary;

    private ChildProcess(Process process, TemporaryFolder temporary) {
        this.process = process;
        this.temporary = temporary;
    }

    static ChildProcess start(Workers wanted) throws IOException {
        TemporaryFolder temporary = TemporaryFolder.create();
        try {
            List<String> command = wanted.command(WorkerMain.class);
            command.add(1, temporary.jvmArgument());
            return new ChildProcess(
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start(),
                    temporary);
        } catch (IOException e) {
            temporary.close();
            throw e;
        }
    }

    @Override
    public InputStream from() {
        return process.getInputStream();
    }

    @Override
    public OutputStream to() {
        return process.getOutputStream();
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public String ending() {
        int status = process.exitValue();
        return status == KILLED ? "it was killed" : "exit status " + status;
    }

    @Override
    public void abandon() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(END_WAIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        temporary.close();
    }
}

package petrichor.jobs.leased;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import petrichor.base.LinuxProcesses;
import petrichor.jobs.engine.workers.WorkerLink;

/**
 * A worker that has registered: it waits until it is called, works, and ends. Its process runs on
 * this machine.
 */
final class RegisteredWorker implements WorkerLink {
    private static final long END_WAIT_NANOS = 10_000_000_000L;
    private static final long POLL_NANOS = 2_000_000;
    private static final int CALL = 1;

    private final String instance;
    private final long pid;
    private final long started;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final CountDownLatch settled = new CountDownLatch(1);
    private volatile boolean called;
    private volatile boolean gone;
    private volatile boolean leaving;

    private RegisteredWorker(String instance, long pid, Socket socket) throws IOException {
        this.instance = instance;
        this.pid = pid;
        this.started = LinuxProcesses.startTicks(pid);
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    static RegisteredWorker of(String instance, long pid, Socket socket) throws IOException {
        return new RegisteredWorker(instance, pid, socket);
    }

    /** Blocks until it was called and is ready, or is gone. */
    void awaitReady() {
        try {
            gone = in.read() != LeasedWorkerMain.READY;
        } catch (IOException e) {
            gone = true;
        }
        settled.countDown();
    }

    boolean isWaiting() {
        return !called && !gone && !leaving && isAlive();
    }

    /** Calls it to work. */
    void call() {
        called = true;
        try {
            out.write(CALL);
            out.flush();
        } catch (IOException e) {
            gone = true;
        }
    }

    /** Whether it works, and must not be interrupted. */
    boolean works() {
        return called && isAlive();
    }

    /** Its machine is about to be reclaimed. */
    void leaves() {
        leaving = true;
    }

    @Override
    public boolean isLeaving() {
        return leaving;
    }

    String instance() {
        return instance;
    }

    /** Only after it is ready: earlier bytes belong to the registration. */
    @Override
    public InputStream from() {
        try {
            settled.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return in;
    }

    @Override
    public OutputStream to() {
        return out;
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public boolean isAlive() {
        return started >= 0 && LinuxProcesses.startTicks(pid) == started;
    }

    @Override
    public String ending() {
        return "on machine " + instance;
    }

    @Override
    public void abandon() {
        gone = true;
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger(RegisteredWorker.class.getName())
                    .log(
                            System.Logger.Level.DEBUG,
                            "cannot close the connection to process {0}: {1}",
                            Long.toString(pid),
                            e);
        }
        if (isAlive()) {
            LinuxProcesses.kill(pid);
        }
    }

    @Override
    public void close() {
        abandon();
        long startNanos = System.nanoTime();
        while (isAlive() && System.nanoTime() - startNanos < END_WAIT_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }
}

package petrichor.jobs.python;

import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * A Python process that works for one subtask. It belongs to the thread of the subtask, which may
 * be interrupted while it waits here. Two threads of its own read and write frames, so that the two
 * processes cannot deadlock on full pipes, and a third one forwards the output of user code.
 *
 * <p>A function that raises, and a process that ends early, fail the current call with all that is
 * known about the cause. {@link #close} ends the process in any state.
 */
final class Worker implements AutoCloseable {
    /** Batches that may be sent before one of them is acknowledged. */
    static final int BATCHES_AHEAD = 2;

    /** Received frames that wait to be processed. */
    private static final int FRAMES_WAITING_MAX = 4;

    private static final int BUFFER_BYTES = 64 << 10;
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(5);

    private final String step;
    private final Process process;
    private final ProcessOutput said;
    private final BlockingQueue<Frame> outgoing = new ArrayBlockingQueue<>(BATCHES_AHEAD + 2);
    private final BlockingQueue<Frame> incoming = new ArrayBlockingQueue<>(FRAMES_WAITING_MAX);
    private final Thread sender;
    private final Thread receiver;
    private volatile boolean closing;
    private int ahead;
    private boolean finished;

    /** Receives results of a worker, one Arrow message per call. */
    interface Results {
        void accept(byte[] message) throws Exception;
    }

    Worker(String step, Interpreter interpreter, String setup) throws InterruptedException {
        this.step = step;
        this.process = interpreter.start();
        this.said = ProcessOutput.by(process, step);
        this.sender = thread("to", this::send);
        this.receiver = thread("from", this::receive);
        outgoing.put(Frame.of(Frame.Kind.SETUP, setup));
    }

    private Thread thread(String direction, Runnable work) {
        return Thread.ofPlatform()
                .name("frames " + direction + " the worker of " + step)
                .daemon()
                .start(work);
    }

    /** Sends records to the function, and passes on the results received so far. */
    void send(byte[] batch, Results results) throws Exception {
        outgoing.put(new Frame(Frame.Kind.BATCH, batch));
        ahead++;
        while (ahead >= BATCHES_AHEAD) {
            settle(incoming.take(), results);
        }
        for (var frame = incoming.poll(); frame != null; frame = incoming.poll()) {
            settle(frame, results);
        }
    }

    /** End of the records: waits for all remaining results of the function. */
    void finish(Results results) throws Exception {
        outgoing.put(new Frame(Frame.Kind.END, new byte[0]));
        while (!finished) {
            settle(incoming.take(), results);
        }
    }

    private void settle(Frame frame, Results results) throws Exception {
        switch (frame.kind()) {
            case TAKEN -> ahead--;
            case BATCH -> results.accept(frame.content());
            case END -> finished = true;
            case FAILED -> throw FunctionFailure.parse(frame.text());
            case GONE ->
                    throw new PetrichorException(
                            ErrorCode.INVALID_ARGUMENT, frame.text(), Map.of("step", step));
            case SETUP -> throw new IllegalStateException("a worker sent a setup");
        }
    }

    private void send() {
        try (var out = new BufferedOutputStream(process.getOutputStream(), BUFFER_BYTES)) {
            for (var frame = outgoing.take(); ; frame = outgoing.take()) {
                frame.write(out);
            }
        } catch (IOException gone) {
            // The reading thread sees the same, and reports it.
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void receive() {
        try (var in = process.getInputStream()) {
            Frame frame;
            do {
                frame = Frame.read(in);
                incoming.put(frame);
            } while (frame.kind() != Frame.Kind.END && frame.kind() != Frame.Kind.FAILED);
        } catch (EOFException gone) {
            tell(null);
        } catch (IOException broken) {
            tell(broken.getMessage());
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private void tell(@Nullable String broken) {
        if (closing) {
            return;
        }
        try {
            incoming.put(Frame.of(Frame.Kind.GONE, broken == null ? howItEnded() : broken));
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private String howItEnded() throws InterruptedException {
        String who = "its Python worker (process " + process.pid() + ") ";
        if (!process.waitFor(END_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
            return who + "closed its output, which functions must not use";
        }
        int code = process.exitValue();
        String how =
                code > 128 ? "was killed by signal " + (code - 128) : "exited with code " + code;
        return who + how + said.atItsEnd();
    }

    /** Ends the process and waits for its end. Not interruptible. */
    @Override
    public void close() {
        closing = true;
        if (!finished) {
            process.destroyForcibly();
        }
        sender.interrupt();
        receiver.interrupt();
        process.onExit()
                .completeOnTimeout(process, END_WAIT_MAX.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        if (process.isAlive()) {
            // User code may keep the process alive although it has emitted everything.
            process.destroyForcibly().onExit().join();
        }
        said.awaitEnd();
    }
}

package petrichor.jobs.engine.workers;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.ChannelLimits;
import petrichor.jobs.channels.ChannelToken;
import petrichor.jobs.channels.Exchange;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.channels.SpillFolder;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JarClasses;
import petrichor.jobs.engine.assembly.JobAssembly;
import petrichor.jobs.engine.assembly.SubtaskPlacement;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.engine.memory.Workspace;
import petrichor.jobs.engine.operators.Subtask;

/**
 * A worker process of a job. It receives messages on its standard input, or by a connection, and
 * answers there (user code that prints prints to standard error). It ends with the first failure or
 * when its job master is gone: it has no state to save. A released worker serves another job, with
 * new object streams.
 */
public final class WorkerMain {
    private static final int FAILED = 1;
    private static final Duration MEASURED_EVERY = Duration.ofMillis(250);

    /** Several of these may be late before the job master considers the worker to hang. */
    private static final Duration ALIVE_EVERY = Duration.ofSeconds(1);

    private final ObjectOutputStream out;
    private final JobControl control = new JobControl();
    private final BlockPool pool = new BlockPool();
    private @Nullable JobAssembly assembly;

    /** No further message is sent. Guarded by {@link #out}. */
    private boolean released;

    private WorkerMain(ObjectOutputStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = System.out;
        System.setOut(System.err);
        serve(System.in, answers);
    }

    /**
     * Serves the job master at the other end of these streams. Does not return: the process ends
     * with its work.
     */
    public static void serve(InputStream orders, OutputStream answers) throws IOException {
        ClassLoader classes = JarClasses.ofThisProcess();
        // Threads that are started here inherit it.
        Thread.currentThread().setContextClassLoader(classes);
        while (true) {
            ObjectOutputStream out = new ObjectOutputStream(answers);
            out.flush();
            WorkerMain worker = new WorkerMain(out);
            try {
                worker.work(new Orders(orders, classes));
            } catch (EOFException e) {
                // No other job follows.
                end(0);
            }
        }
    }

    private static void end(int status) {
        TemporaryFolder.removeOwn();
        Runtime.getRuntime().halt(status);
    }

    /** Works until it is released. */
    private void work(ObjectInputStream in) {
        control.onStop(this::fail);
        try {
            Exchange exchange = open(in);
            while (true) {
                switch ((WorkerMessage) in.readObject()) {
                    case WorkerMessage.Assign assign -> assign(assign, exchange);
                    case WorkerMessage.RunStage(var stage) ->
                            Thread.ofPlatform().name("stage").start(() -> run(stage));
                    case WorkerMessage.Release _ -> {
                        release(exchange);
                        return;
                    }
                    case WorkerMessage.Cuts(var edge, var cuts) -> assembly().settle(edge, cuts);
                    case WorkerMessage other ->
                            throw new IllegalStateException("not a message for a worker: " + other);
                }
            }
        } catch (IOException e) {
            // The job master is gone, or needs this worker no more.
            end(0);
        } catch (Throwable e) {
            control.stop(e);
        }
    }

    /** Its subtasks have ended, and those of all workers. */
    private void release(Exchange exchange) throws IOException {
        synchronized (out) {
            out.writeObject(new WorkerMessage.Released());
            out.flush();
            released = true;
        }
        exchange.close();
    }

    private Exchange open(ObjectInputStream in) throws IOException, ClassNotFoundException {
        if (!((WorkerMessage) in.readObject() instanceof WorkerMessage.Hello(var token))) {
            throw new IllegalStateException("the first message to a worker must be its greeting");
        }
        Exchange exchange =
                Exchange.open(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        ChannelToken.parse(token),
                        ChannelLimits.DEFAULT,
                        pool,
                        TimeSource.SYSTEM);
        send(new WorkerMessage.Here(exchange.address()));
        Thread.ofPlatform().daemon().name("alive").start(this::sayAlive);
        return exchange;
    }

    /** On a thread of its own, so that subtasks cannot delay it. */
    private void sayAlive() {
        do {
            LockSupport.parkNanos(ALIVE_EVERY.toNanos());
        } while (send(new WorkerMessage.Alive()));
    }

    private void assign(WorkerMessage.Assign assign, Exchange exchange) {
        EngineOptions options =
                new EngineOptions(
                        assign.memoryBytes(),
                        Path.of(assign.spillFolder()),
                        assign.spillBytesMax(),
                        assign.profiled());
        SubtaskPlacement placement =
                new WorkerPlacement(
                        assign.worker(),
                        assign.addresses(),
                        assign.slots(),
                        assign.graph(),
                        exchange,
                        SpillFolder.join(
                                options.spillFolder(),
                                options.spillBytesMax(),
                                pool,
                                TimeSource.SYSTEM));
        assembly =
                new JobAssembly(
                        assign.graph(),
                        options.memoryBytes(),
                        options.profiled(),
                        new Workspace(
                                control,
                                pool,
                                new SpillArea(options.spillFolder(), options.spillBytesMax())),
                        (subtask, to, why) -> send(new WorkerMessage.Moved(subtask, to, why)),
                        placement,
                        (edge, sample) -> send(new WorkerMessage.Sample(edge, sample)));
    }

    private JobAssembly assembly() {
        JobAssembly assigned = assembly;
        if (assigned == null) {
            throw new IllegalStateException("nothing was assigned to this worker");
        }
        return assigned;
    }

    private void run(int stage) {
        try {
            List<Thread> threads = new ArrayList<>();
            for (Subtask subtask : assembly().subtasks(stage)) {
                threads.add(Thread.ofPlatform().name(subtask.name()).start(subtask));
            }
            for (Thread thread : threads) {
                while (!thread.join(MEASURED_EVERY)) {
                    measure();
                }
            }
            measure();
            if (!control.stopped()) {
                send(new WorkerMessage.StageDone(stage, assembly().spilledBytes()));
            }
        } catch (Throwable e) {
            control.stop(e);
        }
    }

    private void measure() {
        send(new WorkerMessage.Measured(new TreeMap<>(assembly().measured())));
    }

    /** False if the worker has been released; the message is dropped. */
    private boolean send(WorkerMessage message) {
        try {
            synchronized (out) {
                if (released) {
                    return false;
                }
                // Not after the message: nothing may follow the last one.
                out.reset();
                out.writeObject(message);
                out.flush();
            }
        } catch (IOException e) {
            end(FAILED);
        }
        return true;
    }

    /** Reports the failure, and ends this process; the job master ends the others. */
    private void fail() {
        Throwable reason = control.reason();
        boolean sent =
                send(
                        reason instanceof PetrichorException known
                                ? new WorkerMessage.Failed(
                                        known.code(), String.valueOf(known.getMessage()))
                                : new WorkerMessage.Failed(
                                        ErrorCode.INTERNAL, String.valueOf(reason)));
        if (sent) {
            Runtime.getRuntime().halt(FAILED);
        }
    }
}

package petrichor.jobs.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ExitCall;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.workers.TemporaryFolder;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.Jobs;

/**
 * The process of one job. The first line of standard input is its assignment; the line {@code
 * cancel} cancels the job, and the end of the input ends the process at once, because its parent is
 * gone. Events and the output of user code go to standard output, one per line; the errors of user
 * code go to standard error.
 */
public final class JobProcessMain {
    static final String CANCEL = "cancel";

    /** The line that reports that the process is ready for its assignment. */
    static final String READY = "ready";

    private static final Duration ALIVE_EVERY = Duration.ofSeconds(1);

    private final PrintStream out;
    private final PrintedStream printed =
            new PrintedStream(text -> send(EventMessages.printed(false, text)));
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable ProgramRun run;

    /** Starts the program and waits for its end. */
    private volatile @Nullable Thread runner;

    /** Completed when {@link #run} is known, or when there will be none. */
    private final CountDownLatch started = new CountDownLatch(1);

    private volatile Progress.Event.@Nullable End end;
    private boolean cancelled;

    private JobProcessMain(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out =
                new PrintStream(
                        new java.io.FileOutputStream(java.io.FileDescriptor.out),
                        false,
                        StandardCharsets.UTF_8);
        JobProcessMain process = new JobProcessMain(out);
        System.setOut(new PrintStream(process.printed, true, StandardCharsets.UTF_8));
        process.work();
    }

    private void work() throws IOException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            // User code that reads standard input finds it empty.
            System.setIn(InputStream.nullInputStream());
            JvmWarmup.take();
            say(READY);
            String first = in.readLine();
            if (first != null) {
                Assignment assignment = Assignment.parse(first);
                Thread.ofPlatform().name("alive").daemon().start(this::liveOn);
                Runtime.getRuntime().addShutdownHook(new Thread(this::codeExits, "end of job"));
                Thread.ofPlatform().name("job").daemon().start(() -> run(assignment));
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    if (line.equals(CANCEL)) {
                        cancel();
                    }
                }
            }
        }
        TemporaryFolder.removeOwn();
        Runtime.getRuntime().halt(0);
    }

    private void liveOn() {
        while (true) {
            send(EventMessages.alive());
            try {
                Thread.sleep(ALIVE_EVERY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void run(Assignment assignment) {
        long startNanos = System.nanoTime();
        runner = Thread.currentThread();
        try {
            end = work(assignment, startNanos);
        } catch (Throwable e) {
            end = ended(e, startNanos);
        }
        started.countDown();
        if (!exits()) {
            finish();
        }
        ended.countDown();
    }

    /** Reports the end of the job and ends the process. */
    private void finish() {
        System.out.flush();
        printed.end();
        send(EventMessages.ended(Objects.requireNonNull(end)));
        Runtime.getRuntime().halt(0);
    }

    private static boolean exits() {
        return ExitCall.find().isPresent();
    }

    /** A shutdown hook: user code has called {@code System.exit}. */
    private void codeExits() {
        ExitCall call = ExitCall.find().orElse(null);
        if (call == null) {
            return;
        }
        ProgramRun running = call.thread().equals(runner) ? null : awaitRun();
        if (running == null) {
            if (end == null) {
                end = ended(ProgramRun.exited(call), System.nanoTime());
            }
            finish();
            return;
        }
        boolean endsMain = running.endsMain(call);
        if (!endsMain) {
            running.stop(call);
        }
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (endsMain && Objects.requireNonNull(end).getState() == Progress.Job.State.FINISHED) {
            System.out.flush();
            printed.end();
            send(EventMessages.exiting(Objects.requireNonNull(end)));
        } else {
            finish();
        }
    }

    /** A plan's code may exit before the thread that started the plan knows its run. */
    private @Nullable ProgramRun awaitRun() {
        try {
            started.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return run;
    }

    private Progress.Event.End work(Assignment assignment, long startNanos) {
        // Neither this nor the class loaders of tasks are closed: the process ends with the job.
        JobJar jar = JobJar.open(assignment.jar());
        Submission submission = assignment.submission();
        if (submission.execution() instanceof Execution.OtherRuntime) {
            Backends.silence();
        }
        if (assignment.clean()) {
            clean(assignment, jar);
            return EventMessages.end(JobState.FINISHED, null, null, since(startNanos));
        }
        return start(assignment, jar).await();
    }

    /**
     * A {@code main} is not resumed: it would repeat everything that it does before it submits its
     * job.
     */
    private static void clean(Assignment assignment, JobJar jar) {
        Submission submission = assignment.submission();
        if (jar.main(submission.program()) == null) {
            jobs(assignment, null)
                    .clean(jar.plan(submission.program(), Arguments.of(submission.arguments())));
        }
    }

    private static Jobs jobs(Assignment assignment, @Nullable WorkerSource leased) {
        Submission submission = assignment.submission();
        return submission.jobs(
                assignment.jar(),
                EngineOptions.ofThisProcess().withSpillFolder(assignment.folder()),
                submission.runtime(assignment.jar()),
                leased);
    }

    /**
     * Machines that this process leased are released by its parent when the process has ended, for
     * any reason.
     */
    private static @Nullable WorkerSource leased(Assignment assignment) {
        LeaseTerms terms = assignment.submission().cloud();
        if (terms == null) {
            return null;
        }
        Path folder = assignment.leases();
        Path kept = assignment.kept();
        LeasedMachines machines =
                LeasedMachines.open(
                        terms.in(folder).withJars(List.of(assignment.jar())),
                        String.valueOf(folder.getFileName()),
                        System.err::println);
        return kept == null ? machines : machines.resumable(ResumePoint.in(kept));
    }

    private ProgramRun start(Assignment assignment, JobJar jar) {
        Jobs jobs = jobs(assignment, leased(assignment));
        ProgramRun program = ProgramRun.start(jar, assignment.submission(), jobs, this::send);
        synchronized (this) {
            run = program;
            if (cancelled) {
                program.cancel();
            }
        }
        started.countDown();
        return program;
    }

    private synchronized void cancel() {
        cancelled = true;
        ProgramRun running = run;
        if (running != null) {
            running.cancel();
        } else {
            // The program is still writing its plan, or has none: nothing was started.
            send(
                    EventMessages.ended(
                            EventMessages.end(
                                    JobState.CANCELED,
                                    ErrorCode.ABORTED,
                                    "the job was cancelled before its plan was built",
                                    Duration.ZERO)));
            Runtime.getRuntime().halt(0);
        }
    }

    private synchronized Progress.Event.End ended(Throwable e, long startNanos) {
        ErrorCode code =
                switch (e) {
                    case PetrichorException known -> known.code();
                    case VirtualMachineError _ -> ErrorCode.RESOURCE_EXHAUSTED;
                    case Throwable _ -> ErrorCode.INTERNAL;
                };
        String why = e instanceof PetrichorException ? e.getMessage() : e.toString();
        boolean wanted = cancelled && code == ErrorCode.ABORTED;
        Progress.Event.End known =
                EventMessages.end(
                        wanted ? JobState.CANCELED : JobState.FAILED, code, why, since(startNanos));
        boolean isWrongLine =
                e instanceof PetrichorException refused
                        && refused.facts().containsKey(Arguments.FACT);
        return isWrongLine ? EventMessages.exited(known, EventMessages.USAGE) : known;
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private void send(Progress.Event event) {
        say(ProgressJson.of(event).toString());
    }

    private void say(String line) {
        synchronized (out) {
            out.print(line + "\n");
            out.flush();
        }
    }
}

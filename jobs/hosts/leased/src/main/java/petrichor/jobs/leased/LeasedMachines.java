package petrichor.jobs.leased;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.cloud.Cloud;
import petrichor.cloud.InstanceType;
import petrichor.cloud.leasing.CostReport;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.Leasing;
import petrichor.cloud.leasing.LeasingLimits;
import petrichor.cloud.leasing.LeasingLoop;
import petrichor.cloud.leasing.StageId;
import petrichor.cloud.local.LocalCloud;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.engine.workers.JobWorkers;
import petrichor.jobs.engine.workers.WorkerSource;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.ExecutionStage;
import petrichor.jobs.jobgraph.JobGraph;

/**
 * The machines of one job, leased when a stage starts and released when it ends. The engine gets
 * its workers from them.
 *
 * <p>Opening this takes over the machines that an earlier process left leased in the same folder:
 * they are used, or released. Only one process at a time may have it open. {@link #close} releases
 * all machines; those that the cloud has not ended by then are found by the next process that opens
 * it.
 *
 * <p>Safe for all threads. The stages are guarded by the monitor; callbacks run without it.
 */
public final class LeasedMachines implements WorkerSource, AutoCloseable {
    /** Environment variable of every process on a leased machine. */
    public static final String PROCESS_MARK = LocalCloud.MARK;

    static final String OWNER = "petrichor-jobs";

    /** The journal of the leases, next to the machines' folders. */
    private static final String LEASES = "leases";

    private static final String JOBS = "jobs";

    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);
    private static final Duration LIST_EVERY = Duration.ofSeconds(5);
    private static final Duration DRAIN_MAX = Duration.ofSeconds(5);
    private static final Duration CAPACITY_PAUSE = Duration.ofSeconds(2);
    private static final int BOOT_TIMES_MAX = 1;
    private static final int END_TRIES = 4;

    /**
     * A job that lost this many machines to the market while they worked uses on-demand machines
     * only.
     */
    private static final int TAKEN_MAX = 3;

    /** The cloud ends a machine within 5 s. */
    private static final Duration GIVE_BACK_MAX = Duration.ofSeconds(20);

    private final LeaseSetting setting;
    private final String job;
    private final Consumer<String> messages;
    private final Cloud cloud;
    private final LeaseJournal journal;
    private final WorkerRegistrationServer registrations;
    private final Leasing leasing;
    private final LeasingLoop loop;
    private final List<LeasedStage> stages = new ArrayList<>();
    private volatile @Nullable ResumePoint point;
    private int stagesBefore;
    private @Nullable CostReport cost;
    private List<LeaseLine> leases = List.of();

    private LeasedMachines(
            LeaseSetting setting,
            String job,
            Consumer<String> messages,
            Cloud cloud,
            LeaseJournal journal) {
        this.setting = setting;
        this.job = job;
        this.messages = messages;
        this.cloud = cloud;
        this.journal = journal;
        this.registrations = WorkerRegistrationServer.open(this::workersChanged);
        registrations.coordinator().write(setting.folder().toAbsolutePath().normalize());
        SpotBids bids = new SpotBids(cloud, InstantSource.system());
        this.leasing =
                new Leasing(
                        Leasing.Parts.of(cloud, OWNER, journal, registrations)
                                .with(
                                        (type, work) ->
                                                registrations.taken() < TAKEN_MAX
                                                        ? bids.bid(type, work)
                                                        : Optional.empty()),
                        limits(setting));
        this.loop = LeasingLoop.start(leasing, InstantSource.system(), this::demands);
    }

    static LeasingLimits limits(LeaseSetting setting) {
        return new LeasingLimits(
                POLL_INTERVAL,
                LIST_EVERY,
                setting.waitMax(),
                DRAIN_MAX,
                setting.silentMax(),
                BOOT_TIMES_MAX,
                CAPACITY_PAUSE,
                END_TRIES);
    }

    /**
     * @param job name for its costs: letters, digits and {@code . _ -}
     * @param messages receives messages about new and lost machines, and why a stage waits
     */
    public static LeasedMachines open(LeaseSetting setting, String job, Consumer<String> messages) {
        LeaseJournal journal = journal(setting.folder());
        try {
            LocalCloud cloud = LocalMachines.open(setting);
            LocalMachines.endWorkers(cloud, OWNER);
            return new LeasedMachines(setting, job, messages, cloud, journal);
        } catch (RuntimeException e) {
            journal.close();
            throw e;
        }
    }

    static LeaseJournal journal(Path folder) {
        return LeaseJournal.open(folder.resolve(LEASES), Instant.now());
    }

    @Override
    public int attemptsMax() {
        return ExecutionGraph.ATTEMPTS_MAX;
    }

    @Override
    public Duration silentMax() {
        return setting.hangMax();
    }

    /**
     * If a stage gets no machines in time, or this process is killed, the job's files stay in the
     * cloud's folder: the same plan under the same name then resumes after the last stage that
     * ended. A plan with iterations restarts from the beginning.
     */
    public LeasedMachines resumable() {
        return resumable(resumePoint(setting.folder(), job));
    }

    /** As {@link #resumable()}, with the files elsewhere. */
    public LeasedMachines resumable(ResumePoint at) {
        point = at;
        return this;
    }

    @Override
    public Optional<ResumePoint> resumePoint() {
        return Optional.ofNullable(point);
    }

    /** The resume point of a job that leases machines in this folder. */
    public static ResumePoint resumePoint(Path folder, String job) {
        return ResumePoint.in(jobs(folder).resolve(job));
    }

    /**
     * Discards a stopped job's files, unless a job is running in this folder.
     *
     * @param before runs first, to remove the job's output elsewhere
     */
    public static void giveUp(Path folder, String job, Runnable before) {
        LeaseJournal journal = journal(folder);
        try {
            before.run();
            resumePoint(folder, job).remove();
        } finally {
            journal.close();
        }
    }

    /** Contains a folder for each job that can be resumed, and for the running one. */
    public static Path jobs(Path folder) {
        return folder.resolve(JOBS);
    }

    @Override
    public JobGraph prepared(JobGraph graph) {
        return setting.cut().of(graph);
    }

    @Override
    public JobWorkers open(JobGraph graph, EngineOptions options) {
        List<InstanceType> types = cloud.types();
        List<LeasedStage> own = new ArrayList<>();
        synchronized (this) {
            for (ExecutionStage stage : ExecutionGraph.of(graph).stages()) {
                own.add(
                        new LeasedStage(
                                new StageId(job, stagesBefore + stage.number()),
                                MachinePlan.of(graph, stage, types, setting.machinesMax()),
                                registrations,
                                messages));
            }
            stagesBefore += own.size();
            stages.addAll(own);
        }
        return new StagesOfJob(own);
    }

    private synchronized Collection<LeasedStage> demands() {
        return List.copyOf(stages);
    }

    private synchronized void remove(List<LeasedStage> ended) {
        stages.removeAll(ended);
    }

    /** A worker has registered or ended. */
    private void workersChanged() {
        demands().forEach(LeasedStage::form);
        LeasingLoop running = loop;
        if (running != null) {
            running.wake();
        }
    }

    /** The stages of one job graph. */
    private final class StagesOfJob implements JobWorkers {
        private final List<LeasedStage> own;

        StagesOfJob(List<LeasedStage> own) {
            this.own = own;
        }

        @Override
        public boolean byStage() {
            return true;
        }

        @Override
        public CompletableFuture<Gathered> gather(int stage) {
            LeasedStage wanted = own.get(stage);
            CompletableFuture<Gathered> coming;
            synchronized (LeasedMachines.this) {
                // At once, so that the next stage can reuse the machines.
                stages.removeAll(own.subList(0, stage));
                coming = wanted.want();
            }
            loop.wake();
            wanted.form();
            return coming;
        }

        @Override
        public void close() {
            remove(own);
            own.forEach(LeasedStage::forget);
            loop.wake();
        }
    }

    /** The cost of the job, final after {@link #close}. */
    public synchronized CostReport cost() {
        CostReport known = cost;
        if (known == null) {
            throw new IllegalStateException("machines are still leased");
        }
        return known;
    }

    /** The lease history of every machine, in order of time; complete after {@link #close}. */
    public synchronized List<LeaseLine> leases() {
        return leases;
    }

    @Override
    public void close() {
        synchronized (this) {
            stages.clear();
        }
        loop.close();
        try (journal;
                cloud;
                registrations) {
            giveBack();
            CostReport report = CostReport.of(job, journal.lines(), cloud, Instant.now());
            synchronized (this) {
                leases = journal.lines();
                cost = report;
            }
        }
    }

    private void giveBack() {
        long started = System.nanoTime();
        do {
            leasing.step(List.of());
            LockSupport.parkNanos(POLL_INTERVAL.toNanos() / 5);
        } while (!leasing.quiet() && System.nanoTime() - started < GIVE_BACK_MAX.toNanos());
        for (Leasing.StageStatus left : leasing.statuses()) {
            messages.accept(
                    "machine "
                            + left.token()
                            + " ("
                            + left.type()
                            + ") did not stop; the next job with this folder stops it");
        }
    }
}

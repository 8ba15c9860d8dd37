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
 * The machines of one job, leased when a stage starts and given back when it ends. Workers come
 * from them, as the engine asks for them.
 *
 * <p>Whoever opens this takes over what an earlier process left behind in the same folder: machines
 * are used, or given back. Only one process at a time may have it open. {@link #close} gives back
 * all machines; what the cloud does not end by then is found by the next one that opens it.
 *
 * <p>Safe for all threads. The stages belong to the monitor; nobody is told anything under it.
 */
public final class LeasedMachines implements WorkerSource, AutoCloseable {
    /** In the environment of every process on a leased machine. */
    public static final String PROCESS_MARK = LocalCloud.MARK;

    static final String OWNER = "petrichor-jobs";

    /** What lies beside the machines: which of them are leased. */
    private static final String LEASES = "leases";

    private static final String JOBS = "jobs";

    private static final Duration LOOK_EVERY = Duration.ofMillis(250);
    private static final Duration LIST_EVERY = Duration.ofSeconds(5);
    private static final Duration DRAIN_MAX = Duration.ofSeconds(5);
    private static final Duration CAPACITY_PAUSE = Duration.ofSeconds(2);
    private static final int BOOT_TIMES_MAX = 1;
    private static final int END_TRIES = 4;

    /** A job that lost so many machines to the market in the middle of its work pays for others. */
    private static final int TAKEN_MAX = 3;

    /** The cloud ends a machine within 5 s. */
    private static final Duration GIVE_BACK_MAX = Duration.ofSeconds(20);

    private final LeaseSetting setting;
    private final String job;
    private final Consumer<String> told;
    private final Cloud cloud;
    private final LeaseJournal journal;
    private final WorkerRegistrationServer door;
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
            Consumer<String> told,
            Cloud cloud,
            LeaseJournal journal) {
        this.setting = setting;
        this.job = job;
        this.told = told;
        this.cloud = cloud;
        this.journal = journal;
        this.door = WorkerRegistrationServer.open(this::workersChanged);
        door.coordinator().write(setting.folder().toAbsolutePath().normalize());
        SpotBids bids = new SpotBids(cloud, InstantSource.system());
        this.leasing =
                new Leasing(
                        Leasing.Parts.of(cloud, OWNER, journal, door)
                                .with(
                                        (type, work) ->
                                                door.taken() < TAKEN_MAX
                                                        ? bids.bid(type, work)
                                                        : Optional.empty()),
                        limits(setting));
        this.loop = LeasingLoop.start(leasing, InstantSource.system(), this::demands);
    }

    static LeasingLimits limits(LeaseSetting setting) {
        return new LeasingLimits(
                LOOK_EVERY,
                LIST_EVERY,
                setting.waitMax(),
                DRAIN_MAX,
                setting.silentMax(),
                BOOT_TIMES_MAX,
                CAPACITY_PAUSE,
                END_TRIES);
    }

    /**
     * @param job by which its costs are found: letters, digits and {@code . _ -}
     * @param told hears of machines that come, of machines that are lost, and why a stage waits
     */
    public static LeasedMachines open(LeaseSetting setting, String job, Consumer<String> told) {
        LeaseJournal journal = journal(setting.folder());
        try {
            LocalCloud cloud = LocalMachines.open(setting);
            LocalMachines.endWorkers(cloud, OWNER);
            return new LeasedMachines(setting, job, told, cloud, journal);
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
     * cloud's folder: the same plan under the same name then goes on after the last stage that
     * ended. A plan with iterations begins anew.
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

    /** Where the files of a job are kept that leases machines in this folder. */
    public static ResumePoint resumePoint(Path folder, String job) {
        return ResumePoint.in(jobs(folder).resolve(job));
    }

    /**
     * Removes what a job keeps, unless a job runs in this folder.
     *
     * @param before is done first: what the job has written elsewhere is to be removed, too
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

    /** Has a folder for each job that can be gone on with, and for the one that runs. */
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
                                door,
                                told));
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

    /** A worker has come or gone. */
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
                // At once, so that the machines of one stage can be those of the next.
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

    /** What the job has cost; there is one when this is closed. */
    public synchronized CostReport cost() {
        CostReport known = cost;
        if (known == null) {
            throw new IllegalStateException("machines are still leased");
        }
        return known;
    }

    /** What became of every machine, by moments; known when this is closed. */
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
                door) {
            giveBack();
            CostReport report = CostReport.of(job, journal.lines(), cloud, Instant.now());
            synchronized (this) {
                leases = journal.lines();
                cost = report;
            }
        }
    }

    private void giveBack() {
        long begun = System.nanoTime();
        do {
            leasing.step(List.of());
            LockSupport.parkNanos(LOOK_EVERY.toNanos() / 5);
        } while (!leasing.quiet() && System.nanoTime() - begun < GIVE_BACK_MAX.toNanos());
        for (Leasing.Standing left : leasing.standings()) {
            told.accept(
                    "machine "
                            + left.token()
                            + " ("
                            + left.type()
                            + ") did not stop; the next job with this folder stops it");
        }
    }
}

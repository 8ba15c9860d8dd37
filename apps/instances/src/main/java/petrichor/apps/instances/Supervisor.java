package petrichor.apps.instances;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Carries one instance through its states, on its own virtual thread: only this thread changes the
 * state, so that states cannot overtake each other.
 */
final class Supervisor implements Runnable {
    private static final System.Logger LOG = System.getLogger(Supervisor.class.getName());

    /** For the kernel to end killed processes. */
    private static final Duration KILL_TIME_MAX = Duration.ofSeconds(20);

    /** For output that was written before the end. */
    private static final Duration OUTPUT_TIME_MAX = Duration.ofSeconds(2);

    private static final long MEGABYTE = 1 << 20;

    private final Instance instance;
    private final Place place;
    private final StartSlots slots;
    private final InstanceLog log;
    private final RecentLines recent = new RecentLines();
    private @Nullable InstanceProcess process;
    private volatile List<OutputReader> readers = List.of();

    Supervisor(Instance instance, Place place, StartSlots slots, InstanceLog log) {
        this.instance = instance;
        this.place = place;
        this.slots = slots;
        this.log = log;
    }

    @Override
    public void run() {
        instance.measuredBy(this::usage);
        InstanceState end;
        try {
            end = live();
        } catch (IOException e) {
            end = notLaunched(FileProblem.reason(e));
        } catch (InterruptedException e) {
            end = notLaunched("the platform is ending");
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the supervision of " + instance + " failed", e);
            end = notLaunched(String.valueOf(e.getMessage()));
        }
        release();
        note(
                switch (end) {
                    case InstanceState.Failed(var _, String reason) ->
                            "failed: " + reason.lines().findFirst().orElse(reason);
                    case InstanceState.Stopped(String reason) -> "stopped: " + reason;
                    case InstanceState.Starting _,
                            InstanceState.Ready _,
                            InstanceState.Draining _ ->
                            "ended";
                });
        instance.enter(end);
    }

    private InstanceState.Failed notLaunched(String reason) {
        return new InstanceState.Failed(InstanceState.Failure.LAUNCH, "could not run: " + reason);
    }

    private InstanceState live() throws IOException, InterruptedException {
        StartSlots.Slot slot = slots.take();
        try {
            await(null, slot.granted(), instance.stopOrder());
            if (instance.stopOrder().isDone()) {
                return new InstanceState.Stopped(instance.stopOrder().join().reason());
            }
            InstanceProcess started;
            try {
                started = place.launch(instance);
            } catch (PetrichorException e) {
                return notLaunched(String.valueOf(e.getMessage()));
            }
            process = started;
            readers = readersOf(started);
            Optional<InstanceState> end = becomeReady(started);
            if (end.isPresent()) {
                return end.get();
            }
        } finally {
            slots.release(slot);
        }
        return serve(process);
    }

    private List<OutputReader> readersOf(InstanceProcess of) {
        String name = instance.spec().name().instance();
        Process streams = of.streams();
        return List.of(
                new OutputReader(
                        streams.getInputStream(),
                        LogLine.Stream.STDOUT,
                        name,
                        log,
                        recent,
                        place.time()),
                new OutputReader(
                        streams.getErrorStream(),
                        LogLine.Stream.STDERR,
                        name,
                        log,
                        recent,
                        place.time()));
    }

    /** Empty if it is ready, otherwise its end. */
    private Optional<InstanceState> becomeReady(InstanceProcess of)
            throws IOException, InterruptedException {
        InstanceLifecycle lifecycle = instance.spec().lifecycle();
        ReadinessCheck check =
                new ReadinessCheck(
                        lifecycle.check(),
                        instance.port(),
                        place.user(),
                        of::mayHold,
                        lifecycle.timeouts().start());
        CompletableFuture<ReadinessCheck.Result> checked = new CompletableFuture<>();
        Thread checker =
                Thread.ofVirtual()
                        .name("check of " + instance.spec().name())
                        .start(() -> complete(checked, check));
        try {
            await(null, of.exit(), checked, instance.stopOrder());
        } finally {
            checker.interrupt();
        }
        if (instance.stopOrder().isDone()) {
            return Optional.of(stop(of, instance.stopOrder().join()));
        }
        if (of.exit().isDone()) {
            return Optional.of(exited(of));
        }
        return switch (checked.join()) {
            case ReadinessCheck.Result.Passed(Optional<String> remark) -> {
                place.group().started(instance.spec().limits());
                note("ready on port " + instance.port());
                remark.ifPresent(this::note);
                instance.enter(new InstanceState.Ready());
                yield Optional.empty();
            }
            case ReadinessCheck.Result.Rejected(InstanceState.Failure failure, String reason) -> {
                endProcesses(of);
                yield Optional.of(new InstanceState.Failed(failure, recent.after(reason)));
            }
        };
    }

    private static void complete(
            CompletableFuture<ReadinessCheck.Result> checked, ReadinessCheck check) {
        try {
            checked.complete(check.run());
        } catch (RuntimeException defect) {
            checked.completeExceptionally(defect);
        }
    }

    private InstanceState serve(InstanceProcess of) throws InterruptedException {
        await(null, of.exit(), instance.stopOrder());
        return instance.stopOrder().isDone() ? stop(of, instance.stopOrder().join()) : exited(of);
    }

    private InstanceState exited(InstanceProcess of) throws InterruptedException {
        int status = of.exit().join();
        long memoryKills = place.group().memoryKills();
        endProcesses(of);
        String limit =
                "memory limit of " + instance.spec().limits().memoryBytesMax() / MEGABYTE + " MB";
        if (memoryKills > 0 && status == InstanceProcess.KILLED) {
            return new InstanceState.Failed(
                    InstanceState.Failure.MEMORY_LIMIT,
                    recent.after("was ended by the kernel at its " + limit));
        }
        String how = InstanceProcess.describe(status);
        return new InstanceState.Failed(
                InstanceState.Failure.EXITED,
                recent.after(
                        memoryKills == 0
                                ? how
                                : how
                                        + " after the kernel had ended "
                                        + memoryKills
                                        + " of its processes at its "
                                        + limit));
    }

    private InstanceState stop(InstanceProcess of, Instance.StopOrder order)
            throws InterruptedException {
        InstanceTimeouts timeouts = instance.spec().lifecycle().timeouts();
        boolean serving = instance.state() instanceof InstanceState.Ready;
        CompletableFuture<?> exit = of.exit();
        CompletableFuture<Void> kill = instance.killOrder();
        instance.enter(new InstanceState.Draining(order.reason()));
        if (serving) {
            await(timeouts.drain(), order.drained(), exit, kill);
        }
        Optional<StopRequest> request = instance.spec().lifecycle().stopRequest();
        if (serving && request.isPresent() && !exit.isDone() && !kill.isDone()) {
            await(timeouts.stopRequest(), send(request.get(), timeouts.stopRequest()), exit, kill);
        }
        if (!exit.isDone() && !kill.isDone()) {
            of.terminate();
            if (!await(timeouts.grace(), exit, kill)) {
                note(
                        "did not end within "
                                + ReadinessCheck.seconds(timeouts.grace())
                                + " after SIGTERM and is killed");
            }
        }
        endProcesses(of);
        return new InstanceState.Stopped(order.reason());
    }

    private CompletableFuture<Void> send(StopRequest request, Duration timeout) {
        CompletableFuture<Void> answered = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("stop request to " + instance.spec().name())
                .start(
                        () -> {
                            HttpGet.status(
                                    instance.port(), request.path(), request.headers(), timeout);
                            answered.complete(null);
                        });
        return answered;
    }

    /** Ends all processes, also those that left the tree, and reads the rest of the output. */
    private void endProcesses(InstanceProcess of) throws InterruptedException {
        if (!of.kill(KILL_TIME_MAX)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "processes of {0} do not end within {1} s after SIGKILL",
                    instance,
                    KILL_TIME_MAX.toSeconds());
        }
        for (OutputReader reader : readers) {
            reader.await(OUTPUT_TIME_MAX);
        }
    }

    private void release() {
        InstanceProcess started = process;
        if (started != null && started.streams().isAlive()) {
            // Only after a defect: otherwise its processes have ended.
            try {
                endProcesses(started);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        place.release();
    }

    private InstanceUsage usage() {
        ControlGroup group = place.group();
        return new InstanceUsage(
                group.memoryBytes(),
                group.processes(),
                group.memoryKills(),
                readers.stream().mapToLong(OutputReader::dropped).sum());
    }

    private void note(String text) {
        Instant now = Instant.EPOCH.plus(place.time().epochMicros(), ChronoUnit.MICROS);
        String name = instance.spec().name().instance();
        log.append(new LogLine(now, name, LogLine.Stream.PLATFORM, text));
    }

    /**
     * Waits until one of them is complete; false if none is in time.
     *
     * @param timeMax null: without a limit
     */
    private static boolean await(@Nullable Duration timeMax, CompletableFuture<?>... any)
            throws InterruptedException {
        CompletableFuture<?> first =
                CompletableFuture.anyOf(any).handle((value, failure) -> failure == null);
        try {
            if (timeMax == null) {
                first.get();
            } else {
                first.get(timeMax.toNanos(), TimeUnit.NANOSECONDS);
            }
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new AssertionError("handled above", e);
        }
    }
}

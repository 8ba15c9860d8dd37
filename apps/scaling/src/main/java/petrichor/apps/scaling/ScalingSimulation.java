package petrichor.apps.scaling;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Replays a {@link LoadTrace} against a {@link ScalingPolicy}: a discrete-event simulation of the
 * router, the instances and the {@link Autoscaler}. A request goes to the instance with the fewest
 * requests, or waits in one queue if all have as many as they may. An instance that is to stop gets
 * no further requests and ends with its last one. Deterministic, and not thread-safe.
 */
public final class ScalingSimulation {
    /** Between two decisions. */
    private static final Duration TICK = Duration.ofSeconds(1);

    /** The simulation continues after the trace, to show how instances stop. */
    private static final Duration COOL_DOWN = Duration.ofMinutes(5);

    private static final double MILLIS_PER_HOUR = 3_600_000;

    private final LoadTrace trace;
    private final ScalingPolicy policy;
    private final Duration startUp;
    private final Autoscaler autoscaler;

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparing(Event::at).thenComparingLong(Event::sequence));
    private final List<Instance> instances = new ArrayList<>();
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private final WaitHistogram waits = new WaitHistogram();
    private final List<SimulationReport.Sample> samples = new ArrayList<>();

    private Duration now = Duration.ZERO;
    private long sequence;
    private long arrived;
    private long waited;
    private long finished;
    private long starts;
    private int instancesMax;
    private double usedMillis;

    private record Waiting(Duration since, Duration each) {}

    /** Something that happens at a time; at one time, in the order in which it was planned. */
    private record Event(Duration at, long sequence, Runnable action) {}

    private enum State {
        STARTING,
        READY,
        DRAINING
    }

    private static final class Instance {
        private final Duration started;
        private State state = State.STARTING;
        private int requests;

        /** Requests times nanoseconds since the last decision. */
        private double load;

        private Duration changed;

        Instance(Duration started) {
            this.started = started;
            this.changed = started;
        }

        void add(Duration now, int change) {
            load += (double) now.minus(changed).toNanos() * requests;
            changed = now;
            requests += change;
        }

        /** The average since the last call. */
        double takeConcurrency(Duration now, Duration elapsed) {
            add(now, 0);
            double average = elapsed.isPositive() ? load / elapsed.toNanos() : requests;
            load = 0;
            return average;
        }
    }

    private ScalingSimulation(LoadTrace trace, ScalingPolicy policy, Duration startUp) {
        this.trace = trace;
        this.policy = policy;
        this.startUp = startUp;
        autoscaler = new Autoscaler(policy, instant(Duration.ZERO), 0);
    }

    /**
     * @param startUp from the decision to start an instance until it takes requests
     */
    public static SimulationReport run(LoadTrace trace, ScalingPolicy policy, Duration startUp) {
        return new ScalingSimulation(trace, policy, startUp).run();
    }

    private SimulationReport run() {
        plan(Duration.ZERO, () -> tick(Duration.ZERO));
        if (!trace.steps().isEmpty()) {
            planArrival(0, 0);
        }
        Duration end = trace.end().plus(COOL_DOWN);
        for (Event next = events.poll();
                next != null && next.at().compareTo(end) <= 0;
                next = events.poll()) {
            now = next.at();
            next.action().run();
        }
        now = end;
        for (Instance instance : instances) {
            usedMillis += now.minus(instance.started).toMillis();
        }
        return new SimulationReport(
                samples,
                new SimulationReport.Requests(
                        arrived, waited, arrived - finished, waits.latencies()),
                new SimulationReport.Usage(usedMillis / MILLIS_PER_HOUR, instancesMax, starts));
    }

    private static Instant instant(Duration since) {
        return Instant.EPOCH.plus(since);
    }

    private void plan(Duration at, Runnable action) {
        events.add(new Event(at, sequence, action));
        sequence++;
    }

    /** Plans one request, which plans the next one, so that the queue of events stays short. */
    private void planArrival(int stepIndex, int request) {
        int step = stepIndex;
        int number = request;
        while (step < trace.steps().size() && number >= trace.steps().get(step).requests()) {
            step++;
            number = 0;
        }
        if (step == trace.steps().size()) {
            return;
        }
        LoadTrace.Step current = trace.steps().get(step);
        int nextStep = step;
        int nextRequest = number + 1;
        plan(
                current.arrival(number),
                () -> {
                    arrive(current.each());
                    planArrival(nextStep, nextRequest);
                });
    }

    private void arrive(Duration each) {
        arrived++;
        Instance instance = free();
        if (instance != null) {
            waits.add(Duration.ZERO);
            serve(instance, each);
            return;
        }
        waited++;
        waiting.add(new Waiting(now, each));
        if (instances.stream().allMatch(other -> other.state == State.DRAINING)) {
            decide(Duration.ZERO);
        }
    }

    /** The instance with the fewest requests, if it may get one. */
    private @Nullable Instance free() {
        Instance least = null;
        for (Instance instance : instances) {
            if (instance.state == State.READY
                    && instance.requests < policy.concurrentRequestsMax()
                    && (least == null || instance.requests < least.requests)) {
                least = instance;
            }
        }
        return least;
    }

    private void serve(Instance instance, Duration each) {
        instance.add(now, 1);
        plan(now.plus(each), () -> finish(instance));
    }

    private void finish(Instance instance) {
        finished++;
        instance.add(now, -1);
        if (instance.state == State.DRAINING && instance.requests == 0) {
            end(instance);
        }
        serveWaiting();
    }

    private void serveWaiting() {
        for (Instance instance = free();
                instance != null && !waiting.isEmpty();
                instance = free()) {
            Waiting next = waiting.remove();
            waits.add(now.minus(next.since()));
            serve(instance, next.each());
        }
    }

    private void tick(Duration previous) {
        decide(now.minus(previous));
        Duration current = now;
        plan(now.plus(TICK), () -> tick(current));
    }

    private void decide(Duration elapsed) {
        List<Double> concurrency = new ArrayList<>();
        int starting = 0;
        for (Instance instance : instances) {
            double average = instance.takeConcurrency(now, elapsed);
            if (instance.state == State.READY) {
                concurrency.add(average);
            } else if (instance.state == State.STARTING) {
                starting++;
            }
        }
        Duration latency = waiting.isEmpty() ? Duration.ZERO : now.minus(waiting.peek().since());
        Decision decision =
                autoscaler.decide(
                        new LoadObservation(
                                instant(now),
                                concurrency,
                                starting,
                                new LoadObservation.Pending(waiting.size(), latency),
                                0));
        apply(decision.instances() - concurrency.size() - starting);
        sample(decision);
    }

    private void apply(int change) {
        for (int i = 0; i < change; i++) {
            Instance instance = new Instance(now);
            instances.add(instance);
            starts++;
            plan(now.plus(startUp), () -> ready(instance));
        }
        instancesMax = Math.max(instancesMax, instances.size());
        for (int i = 0; i < -change; i++) {
            stopOne();
        }
    }

    private void ready(Instance instance) {
        if (instance.state == State.STARTING) {
            instance.state = State.READY;
            serveWaiting();
        }
    }

    /** One that starts, or else the one with the fewest requests. */
    private void stopOne() {
        instances.stream()
                .filter(instance -> instance.state != State.DRAINING)
                .min(
                        Comparator.comparing((Instance instance) -> instance.state)
                                .thenComparingInt(instance -> instance.requests))
                .ifPresent(
                        instance -> {
                            instance.state = State.DRAINING;
                            if (instance.requests == 0) {
                                end(instance);
                            }
                        });
    }

    private void end(Instance instance) {
        usedMillis += now.minus(instance.started).toMillis();
        instances.remove(instance);
    }

    private void sample(Decision decision) {
        samples.add(
                new SimulationReport.Sample(
                        now,
                        decision,
                        new SimulationReport.Instances(
                                count(State.READY), count(State.STARTING), count(State.DRAINING)),
                        instances.stream().mapToInt(instance -> instance.requests).sum(),
                        waiting.size()));
    }

    private int count(State state) {
        return Math.toIntExact(
                instances.stream().filter(instance -> instance.state == state).count());
    }
}

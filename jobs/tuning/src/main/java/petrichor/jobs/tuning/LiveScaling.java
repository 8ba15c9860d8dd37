package petrichor.jobs.tuning;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.Scaling;

/**
 * A policy that resolves the bottlenecks of a running job. Each interval is analysed like a whole
 * run ({@link BottleneckSearch}, {@link Advice}): a bottleneck task gets the parallelism that its
 * work needs at the sources' rate, in steps, since a short interval says little about a source that
 * waits most of the time. A task that has needed far fewer subtasks for some time loses the
 * surplus. A step without a gain is undone, and not retried for a while.
 *
 * <p>Belongs to the thread that runs the job; one per job graph.
 */
public final class LiveScaling implements Scaling {
    /** Shorter intervals show blocks rather than tasks. */
    static final Duration SPAN_MIN = Duration.ofMillis(500);

    /** Maximum factor of one step. */
    static final int GROWTH_MAX = 4;

    /** The capacity of a source is unknown: it is doubled. */
    private static final int SOURCE_GROWTH = 2;

    /** Surplus subtasks are removed when they work less than this fraction of their time. */
    static final double BUSY_LOW = 0.5;

    /** Target utilisation of the remaining subtasks. */
    private static final double BUSY_WANTED = 0.7;

    /** Intervals before a removal; a shorter pause may come from upstream. */
    static final int LOW_SPANS = 4;

    /** Minimum gain of a step: 5 %. */
    private static final double GAIN_MIN = 1.05;

    /** Fewer records do not give a reliable rate. */
    private static final int RECORDS_MIN = 20;

    /** Pause after a step without a gain; doubled after each further one. */
    static final Duration REST = Duration.ofSeconds(10);

    /**
     * A task with a higher fraction of processor time in its work is CPU-bound: it needs
     * processors, not subtasks. It stays so when other tasks compete for the processors and it
     * waits for them.
     */
    private static final double COMPUTES = 0.5;

    /** A task is no longer considered CPU-bound below this fraction. */
    private static final double WAITS = 0.2;

    private final Resources resources;
    private final Map<Integer, State> tasks = new HashMap<>();
    private JobProfile before = new JobProfile(List.of());
    private Duration spanBegan = Duration.ZERO;

    /** State of a task between intervals. */
    private static final class State {
        /** Parallelism before the last step up; 0 when its gain is known. */
        private int grewFrom;

        private double rateBefore;
        private int lowSpans;
        private boolean computes;
        private Duration rest = REST;
        private Duration restUntil = Duration.ZERO;
    }

    public LiveScaling(Resources resources) {
        this.resources = resources;
    }

    public static LiveScaling ofThisMachine() {
        return new LiveScaling(Resources.ofThisMachine());
    }

    @Override
    public List<Wish> wishes(
            ExecutionGraph image, Map<Integer, Integer> present, Duration elapsed) {
        Duration length = elapsed.minus(spanBegan);
        if (length.compareTo(SPAN_MIN) < 0) {
            return List.of();
        }
        JobProfile now = JobProfile.of(image);
        JobProfile span = now.since(before);
        before = now;
        spanBegan = elapsed;
        return wishes(span, present, length, elapsed);
    }

    /**
     * @param span profile of the interval
     * @param length of the interval
     */
    List<Wish> wishes(
            JobProfile span, Map<Integer, Integer> present, Duration length, Duration elapsed) {
        Advice advice = Advice.of(span, resources);
        double seconds = length.toNanos() / 1e9;
        List<Wish> wishes = new ArrayList<>();
        for (TaskAdvice each : advice.tasks()) {
            Integer subtasks = present.get(each.task().id());
            if (subtasks != null) {
                State state = tasks.computeIfAbsent(each.task().id(), _ -> new State());
                Wish wish = wish(each, advice, subtasks, state, seconds, elapsed);
                if (wish != null && wish.subtasks() != subtasks) {
                    state.lowSpans = 0;
                    wishes.add(wish);
                }
            }
        }
        return wishes;
    }

    private @Nullable Wish wish(
            TaskAdvice advised,
            Advice advice,
            int subtasks,
            State state,
            double seconds,
            Duration elapsed) {
        TaskProfile task = advised.task();
        double rate = task.recordsIn() / seconds;
        double working = task.workSeconds() / seconds;
        double computing = working <= 0 ? 0 : task.cpuSeconds() / task.workSeconds();
        state.computes = computing > (state.computes ? WAITS : COMPUTES);
        boolean holdsUp = advised.finding() instanceof Finding.Cpu;
        if (state.grewFrom > 0 && task.recordsIn() >= RECORDS_MIN) {
            int from = state.grewFrom;
            state.grewFrom = 0;
            if (holdsUp && rate < GAIN_MIN * state.rateBefore) {
                state.restUntil = elapsed.plus(state.rest);
                state.rest = state.rest.multipliedBy(2);
                return new Wish(
                        task.id(),
                        from,
                        String.format(Locale.ROOT, "%s a second: no improvement", number(rate)));
            }
        }
        if (holdsUp) {
            state.lowSpans = 0;
            return elapsed.compareTo(state.restUntil) < 0
                    ? null
                    : grow(advised, advice, subtasks, state, rate);
        }
        state.lowSpans = working < BUSY_LOW * subtasks ? state.lowSpans + 1 : 0;
        if (state.lowSpans < LOW_SPANS) {
            return null;
        }
        int enough = Math.max(1, (int) Math.ceil(working / BUSY_WANTED));
        return new Wish(
                task.id(),
                Math.min(subtasks, enough),
                String.format(Locale.ROOT, "busy %.0f %%", 100 * working / subtasks));
    }

    private @Nullable Wish grow(
            TaskAdvice advised, Advice advice, int subtasks, State state, double rate) {
        TaskProfile task = advised.task();
        if (state.computes && (advice.areCoresBusy() || subtasks >= resources.cores())) {
            return null;
        }
        int wanted =
                task.source()
                        ? SOURCE_GROWTH * subtasks
                        : Math.min(advised.parallelism(), GROWTH_MAX * subtasks);
        if (state.computes) {
            wanted = Math.min(wanted, (int) Math.ceil(resources.cores()));
        }
        wanted = Math.min(wanted, resources.subtasksPerTaskMax());
        if (wanted <= subtasks) {
            return null;
        }
        if (task.recordsIn() >= RECORDS_MIN) {
            state.grewFrom = subtasks;
            state.rateBefore = rate;
        }
        return new Wish(task.id(), wanted, why(task));
    }

    private static String why(TaskProfile task) {
        String busy = String.format(Locale.ROOT, "busy %.0f %%", 100 * task.busyMean());
        return task.recordsIn() == 0
                ? busy
                : busy + ", a subtask processes " + number(task.trueRate()) + " a second";
    }

    private static String number(double rate) {
        return String.format(Locale.ROOT, rate >= 100 ? "%,.0f" : "%.2f", rate);
    }
}

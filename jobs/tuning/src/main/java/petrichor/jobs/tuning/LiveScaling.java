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
 * Relieves bottlenecks of a job while it runs. What a span of time shows is judged as a whole run
 * is ({@link BottleneckSearch}, {@link Advice}): a task that holds the job up gets as many subtasks
 * as its work needs at the pace of the sources, in steps, since a short span says little of a
 * source that waits most of the time. A task that has needed far fewer than it has for some time
 * gives the surplus back. A step that has brought nothing is taken back, and not tried again for a
 * while.
 *
 * <p>Belongs to the thread that runs the job; one per job graph.
 */
public final class LiveScaling implements Scaling {
    /** Shorter spans say more about blocks than about tasks. */
    static final Duration SPAN_MIN = Duration.ofMillis(500);

    /** A task never gets more than so many times what it has at once. */
    static final int GROWTH_MAX = 4;

    /** A source has no pace that could be computed: it is doubled. */
    private static final int SOURCE_GROWTH = 2;

    /** Surplus is given back when subtasks are at work less than this part of their time. */
    static final double BUSY_LOW = 0.5;

    /** So busy are those that stay meant to be. */
    private static final double BUSY_WANTED = 0.7;

    /** For so many spans; fewer may be a pause of those before it. */
    static final int LOW_SPANS = 4;

    /** A step up is worth it if at least this much more is done: 5 %. */
    private static final double GAIN_MIN = 1.05;

    /** Fewer records give no reliable rate. */
    private static final int RECORDS_MIN = 20;

    /** After a step that brought nothing; twice as long after the next one. */
    static final Duration REST = Duration.ofSeconds(10);

    /**
     * A task that computes more than this part of its work needs processors, not subtasks. Then it
     * is known as one that computes: where others want the processors, too, it waits for them.
     */
    private static final double COMPUTES = 0.5;

    /** Until it computes less than this. */
    private static final double WAITS = 0.2;

    private final Resources resources;
    private final Map<Integer, State> tasks = new HashMap<>();
    private JobProfile before = new JobProfile(List.of());
    private Duration spanBegan = Duration.ZERO;

    /** What is remembered of a task. */
    private static final class State {
        /** Subtasks before the last step up; 0 when its gain is known. */
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
     * @param span what was done in it
     * @param length of the span
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

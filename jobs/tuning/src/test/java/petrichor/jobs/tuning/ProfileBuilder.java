package petrichor.jobs.tuning;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;

/** Hand-made profiles: every subtask ran for the whole job. */
final class ProfileBuilder {
    private final long elapsedNanos;
    private final List<TaskProfile> tasks = new ArrayList<>();

    private ProfileBuilder(double seconds) {
        elapsedNanos = nanos(seconds);
    }

    static ProfileBuilder ofSeconds(double seconds) {
        return new ProfileBuilder(seconds);
    }

    private static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    /** A source with the utilisation of each of its subtasks. */
    ProfileBuilder source(String name, long records, double... busy) {
        return add(name, true, List.of(), records, 0, busy);
    }

    ProfileBuilder task(String name, List<Integer> inputs, long records, double... busy) {
        return add(name, false, inputs, records, 0, busy);
    }

    /** A task whose work is all processor time. */
    ProfileBuilder computing(String name, List<Integer> inputs, long records, double... busy) {
        return add(name, inputs.isEmpty(), inputs, records, 1, busy);
    }

    /** A task with this fraction of processor time in its work. */
    ProfileBuilder computing(
            String name, List<Integer> inputs, long records, double part, double[] busy) {
        return add(name, inputs.isEmpty(), inputs, records, part, busy);
    }

    private ProfileBuilder add(
            String name,
            boolean source,
            List<Integer> inputs,
            long records,
            double computing,
            double... busy) {
        List<SubtaskMetrics> subtasks =
                Arrays.stream(busy)
                        .mapToObj(
                                part -> subtask(records / busy.length, part, computing, List.of()))
                        .toList();
        tasks.add(
                new TaskProfile(
                        tasks.size(), name, 0, source, true, inputs, List.of(name), subtasks));
        return this;
    }

    private SubtaskMetrics subtask(
            long records, double busy, double computing, List<ChannelMetrics> channels) {
        long work = (long) (busy * elapsedNanos);
        return new SubtaskMetrics(
                records,
                records,
                records,
                records,
                elapsedNanos - work,
                0,
                elapsedNanos,
                (long) (work * computing),
                0,
                0,
                null,
                channels);
    }

    /**
     * A source that works all of the time until it ends, after this fraction of the stage's time.
     */
    ProfileBuilder briefSource(String name, long records, double part) {
        long elapsed = (long) (part * elapsedNanos);
        SubtaskMetrics all =
                new SubtaskMetrics(
                        records, 0, records, 0, 0, 0, elapsed, elapsed, 0, 0, null, List.of());
        tasks.add(
                new TaskProfile(
                        tasks.size(), name, 0, true, true, List.of(), List.of(name), List.of(all)));
        return this;
    }

    /**
     * Sets the fraction of time for which the channels between these two were full, summed per
     * sender.
     */
    ProfileBuilder full(int from, int to, double part) {
        TaskProfile old = tasks.get(from);
        int receivers = tasks.get(to).parallelism();
        List<ChannelMetrics> channels = new ArrayList<>();
        for (int i = 0; i < receivers; i++) {
            channels.add(
                    new ChannelMetrics(
                            new SubtaskId(to, i),
                            1,
                            (long) (part * elapsedNanos / receivers),
                            elapsedNanos));
        }
        tasks.set(
                from,
                new TaskProfile(
                        old.id(),
                        old.name(),
                        old.stage(),
                        old.source(),
                        old.growable(),
                        old.inputs(),
                        old.keys(),
                        old.subtasks().stream()
                                .map(
                                        each ->
                                                each.plus(
                                                        new SubtaskMetrics(
                                                                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null,
                                                                channels)))
                                .toList()));
        return this;
    }

    ProfileBuilder only(String name, boolean growable, int stage) {
        tasks.replaceAll(
                old ->
                        old.name().equals(name)
                                ? new TaskProfile(
                                        old.id(),
                                        old.name(),
                                        stage,
                                        old.source(),
                                        growable,
                                        old.inputs(),
                                        old.keys(),
                                        old.subtasks())
                                : old);
        return this;
    }

    JobProfile profile() {
        return new JobProfile(tasks);
    }
}

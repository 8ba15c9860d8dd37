package petrichor.jobs.service;

import com.google.protobuf.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import petrichor.jobs.jobgraph.ChannelMetrics;
import petrichor.jobs.jobgraph.JobCounters;
import petrichor.jobs.jobgraph.JobState;
import petrichor.jobs.jobgraph.RepeatedStage;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.jobgraph.TaskScaling;
import petrichor.jobs.jobgraph.TaskState;

/** The parts of which events, snapshots and the history consist, as messages. Stateless. */
final class ProgressMessages {
    private static final double SATURATION_STEPS = 1e4;

    private ProgressMessages() {}

    static Timestamp of(Instant time) {
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    static Instant instant(Timestamp time) {
        return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
    }

    static Progress.Job.State of(JobState state) {
        return Progress.Job.State.valueOf(state.name());
    }

    static JobState state(Progress.Job.State state) {
        return JobState.valueOf(state.name());
    }

    static Progress.Task.State of(TaskState state) {
        return Progress.Task.State.valueOf(state.name());
    }

    static TaskState state(Progress.Task.State state) {
        return TaskState.valueOf(state.name());
    }

    static Progress.Metrics of(SubtaskMetrics metrics) {
        Progress.Metrics.Builder message =
                Progress.Metrics.newBuilder()
                        .setRecordsIn(metrics.recordsIn())
                        .setBytesIn(metrics.bytesIn())
                        .setRecordsOut(metrics.recordsOut())
                        .setBytesOut(metrics.bytesOut())
                        .setWaitedForInputNanos(metrics.waitedForInputNanos())
                        .setWaitedForRoomNanos(metrics.waitedForRoomNanos())
                        .setElapsedNanos(metrics.elapsedNanos())
                        .setCpuNanos(metrics.cpuNanos())
                        .setChannelBytes(metrics.channelBytes())
                        .setWireBytes(metrics.wireBytes())
                        .setSourceBytesRead(metrics.sourceBytesRead());
        if (metrics.level() != null) {
            message.setLevel(metrics.level());
        }
        for (ChannelMetrics channel : metrics.channels()) {
            message.addChannelsBuilder()
                    .setToTask(channel.to().vertex())
                    .setToSubtask(channel.to().subtask())
                    .setBytes(channel.bytes())
                    .setWaitedNanos(channel.waitedNanos())
                    .setElapsedNanos(channel.elapsedNanos())
                    .setSaturation(
                            Math.round(channel.saturation() * SATURATION_STEPS) / SATURATION_STEPS);
        }
        return message.build();
    }

    static SubtaskMetrics metrics(Progress.Metrics message) {
        return new SubtaskMetrics(
                message.getRecordsIn(),
                message.getBytesIn(),
                message.getRecordsOut(),
                message.getBytesOut(),
                message.getWaitedForInputNanos(),
                message.getWaitedForRoomNanos(),
                message.getElapsedNanos(),
                message.getCpuNanos(),
                message.getChannelBytes(),
                message.getWireBytes(),
                message.hasLevel() ? message.getLevel() : null,
                message.getChannelsList().stream().map(ProgressMessages::channel).toList(),
                message.getSourceBytesRead());
    }

    private static ChannelMetrics channel(Progress.Channel message) {
        return new ChannelMetrics(
                new SubtaskId(message.getToTask(), message.getToSubtask()),
                message.getBytes(),
                message.getWaitedNanos(),
                message.getElapsedNanos());
    }

    static Progress.Scaling of(TaskScaling scaling) {
        return Progress.Scaling.newBuilder()
                .setFrom(scaling.from())
                .setTo(scaling.to())
                .setAtMillis(scaling.at().toMillis())
                .setWhy(scaling.why())
                .build();
    }

    static TaskScaling scaling(Progress.Scaling message, int task) {
        return new TaskScaling(
                task,
                message.getFrom(),
                message.getTo(),
                Duration.ofMillis(message.getAtMillis()),
                message.getWhy());
    }

    static Progress.RestartedStage of(RepeatedStage stage) {
        return Progress.RestartedStage.newBuilder()
                .setPart(stage.part())
                .setRound(stage.round())
                .setStage(stage.stage())
                .setAttempt(stage.attempt())
                .setWhy(stage.why())
                .build();
    }

    static RepeatedStage restarted(Progress.RestartedStage message) {
        return new RepeatedStage(
                message.getPart(),
                message.getRound(),
                message.getStage(),
                message.getAttempt(),
                message.getWhy());
    }

    static Map<String, Progress.CounterGroup> of(JobCounters counters) {
        Map<String, Progress.CounterGroup> groups = new TreeMap<>();
        counters.groups()
                .forEach(
                        (name, counts) ->
                                groups.put(
                                        name,
                                        Progress.CounterGroup.newBuilder()
                                                .putAllCounts(counts)
                                                .build()));
        return groups;
    }

    static JobCounters counters(Map<String, Progress.CounterGroup> groups) {
        SortedMap<String, SortedMap<String, Long>> all = new TreeMap<>();
        groups.forEach((name, group) -> all.put(name, new TreeMap<>(group.getCountsMap())));
        return new JobCounters(all);
    }
}

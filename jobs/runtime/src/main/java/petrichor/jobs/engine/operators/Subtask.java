package petrichor.jobs.engine.operators;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.engine.exchange.TaskMetrics;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.SubtaskId;
import petrichor.jobs.jobgraph.TaskState;

/**
 * One thread of a job: runs a driver and its chain, and adds its name to failures. The first
 * failure of a job stops all of its subtasks.
 */
public final class Subtask implements Runnable {
    private final TaskContext task;
    private final Driver driver;
    private final ChainedOperator stage;
    private final SubtaskWatch watch;

    private Subtask(TaskContext task, Driver driver, ChainedOperator stage, SubtaskWatch watch) {
        this.task = task;
        this.driver = driver;
        this.stage = stage;
        this.watch = watch;
    }

    /**
     * A subtask, ready to run.
     *
     * @param splits of a task that reads
     * @param trials to run before it reads
     * @param stage the chain after its operation
     */
    public static Subtask of(
            TaskContext task,
            Splits splits,
            List<Trial> trials,
            ChainedOperator stage,
            SubtaskWatch watch) {
        return new Subtask(task, Drivers.of(task, splits, trials), stage, watch);
    }

    public String name() {
        return name(task.vertex(), task.subtask());
    }

    public int number() {
        return task.subtask();
    }

    /** Name of a subtask in failures. */
    public static String name(JobVertex vertex, int subtask) {
        return "task \""
                + vertex.name()
                + "\" (subtask "
                + (subtask + 1)
                + (subtask < vertex.parallelism()
                        ? " of " + vertex.parallelism()
                        : ", added while it ran")
                + ")";
    }

    @Override
    public void run() {
        JobControl control = task.space().control();
        TaskMetrics metrics = task.metrics();
        metrics.started();
        TaskState end = TaskState.FINISHED;
        @Nullable PetrichorException failure = null;
        try {
            control.check();
            moved(TaskState.RUNNING, null);
            driver.run(stage);
            // Before its channels end: as long as the task has a member, the channels of that
            // member are open.
            task.leave();
            moved(TaskState.FINISHING, null);
            stage.finish();
        } catch (JobControl.Stopped stopped) {
            // The failure was reported by the subtask that caused it.
            end = TaskState.CANCELED;
        } catch (Throwable e) {
            failure = failure(e);
            control.stop(failure);
        } finally {
            try {
                release();
            } catch (Throwable e) {
                failure = failure(e);
                control.stop(failure);
            }
            metrics.ended();
        }
        if (failure == null) {
            moved(end, null);
        } else {
            moved(TaskState.FAILED, failure.getMessage());
        }
    }

    private void moved(TaskState to, @Nullable String why) {
        watch.moved(new SubtaskId(task.vertex().id(), task.subtask()), to, why);
    }

    /** Releases its resources although it will never run. */
    public void abandon() {
        release();
    }

    private void release() {
        try {
            stage.close();
        } finally {
            task.close();
        }
    }

    private PetrichorException failure(Throwable thrown) {
        String where = driver.position();
        Throwable cause = thrown;
        String what = "";
        switch (thrown) {
            case UserCodeFailure failure -> {
                cause = cause(failure);
                what = ", in the code of \"" + failure.getMessage() + "\"";
            }
            case OperationFailure failure -> {
                cause = cause(failure);
                what = ", " + failure.getMessage();
            }
            case Throwable _ -> {}
        }
        return PetrichorException.of(
                code(cause),
                cause,
                "{name} failed{location}{operator}: {reason}",
                "task",
                task.vertex().name(),
                "subtask",
                task.subtask(),
                "name",
                name(),
                "location",
                (where.isEmpty() ? "" : " " + where),
                "operator",
                what,
                "reason",
                reason(cause));
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : cause;
    }

    private static ErrorCode code(Throwable cause) {
        return switch (cause) {
            case PetrichorException known -> known.code();
            case VirtualMachineError _ -> ErrorCode.RESOURCE_EXHAUSTED;
            case IOException io -> FileProblem.of("", io).code();
            case Throwable _ -> ErrorCode.INVALID_ARGUMENT;
        };
    }

    private static String reason(Throwable cause) {
        return switch (cause) {
            case PetrichorException known -> String.valueOf(known.getMessage());
            case IOException io -> FileProblem.reason(io);
            case Throwable other -> other.toString();
        };
    }
}

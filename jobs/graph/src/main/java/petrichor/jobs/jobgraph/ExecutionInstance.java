package petrichor.jobs.jobgraph;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine or process that a job needs: which subtasks run together, and on what type. The machine
 * is assigned when its stage starts.
 *
 * @param type the machine type, or null for any
 * @param place the assigned machine or process, or null while there is none
 */
public record ExecutionInstance(
        int number, @Nullable String type, List<SubtaskId> subtasks, @Nullable String place) {
    public ExecutionInstance {
        subtasks = List.copyOf(subtasks);
    }

    ExecutionInstance at(String newPlace) {
        return new ExecutionInstance(number, type, subtasks, newPlace);
    }
}

package petrichor.jobs.jobgraph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Both state machines, written down a second time, so that a change must be deliberate. */
final class StatesTest {
    @Test
    void theTransitionsOfASubtask() {
        var transitions = new TreeMap<TaskState, String>();
        for (var from : TaskState.values()) {
            transitions.put(from, names(Stream.of(TaskState.values()).filter(from::mayBecome)));
        }
        assertThat(transitions.toString())
                .isEqualTo(
                        "{CREATED=SCHEDULED CANCELING CANCELED, "
                                + "SCHEDULED=READY CANCELING CANCELED FAILED, "
                                + "READY=RUNNING CANCELING FAILED, "
                                + "RUNNING=FINISHING CANCELING FAILED, "
                                + "FINISHING=FINISHED CANCELING FAILED, "
                                + "FINISHED=, "
                                + "CANCELING=CANCELED FAILED, "
                                + "CANCELED=, "
                                + "FAILED=}");
    }

    @Test
    void theTransitionsOfAJob() {
        var transitions = new TreeMap<JobState, String>();
        for (var from : JobState.values()) {
            transitions.put(from, names(Stream.of(JobState.values()).filter(from::mayBecome)));
        }
        assertThat(transitions.toString())
                .isEqualTo(
                        "{CREATED=SCHEDULED FAILING CANCELING, "
                                + "SCHEDULED=RUNNING FAILING CANCELING, "
                                + "RUNNING=FINISHED FAILING CANCELING, "
                                + "FINISHED=, "
                                + "FAILING=FAILED, "
                                + "FAILED=, "
                                + "CANCELING=FAILING CANCELED, "
                                + "CANCELED=}");
    }

    @Test
    void finalStatesNeverChange() {
        Set<TaskState> ended = EnumSet.of(TaskState.FINISHED, TaskState.CANCELED, TaskState.FAILED);
        assertThat(TaskState.values()).allMatch(state -> state.hasEnded() == ended.contains(state));
        assertThat(ended)
                .noneMatch(state -> Stream.of(TaskState.values()).anyMatch(state::mayBecome));
        Set<JobState> jobs = EnumSet.of(JobState.FINISHED, JobState.CANCELED, JobState.FAILED);
        assertThat(JobState.values()).allMatch(state -> state.hasEnded() == jobs.contains(state));
    }

    private static String names(Stream<? extends Enum<?>> states) {
        return states.map(Enum::name).collect(Collectors.joining(" "));
    }
}

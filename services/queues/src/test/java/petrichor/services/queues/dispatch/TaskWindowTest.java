package petrichor.services.queues.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import petrichor.services.queues.QueueRows.Due;

class TaskWindowTest {
    private static final int TASKS_MAX = 4;

    private final TaskWindow window = new TaskWindow(TASKS_MAX);

    private static Due due(long etaMicros) {
        return new Due(etaMicros, "t" + etaMicros);
    }

    private List<Long> etas() {
        List<Long> etas = new ArrayList<>();
        while (!window.isEmpty()) {
            etas.add(window.removeFirst().etaMicros());
        }
        return etas;
    }

    @Test
    void aFullWindowDropsItsLastTaskAndScansForItLater() {
        window.scanned(List.of(due(10), due(20), due(30), due(40)), true);
        window.add(due(15));
        assertThat(window.cursor()).isEqualTo(due(40));
        assertThat(etas()).containsExactly(10L, 15L, 20L, 30L);
        assertThat(window.needsScan()).isTrue();
    }

    @Test
    void dueTasksAreCountedUpToNow() {
        window.scanned(List.of(due(10), due(20), due(30)), true);
        assertThat(window.due(9)).isZero();
        assertThat(window.due(20)).isEqualTo(2);
        assertThat(window.due(1_000)).isEqualTo(3);
    }

    @Test
    void aTaskBehindTheCursorIsLeftToTheScan() {
        window.scanned(List.of(due(10), due(30)), false);
        window.add(due(40));
        window.add(due(20));
        assertThat(etas()).containsExactly(10L, 20L, 30L);
    }

    @Test
    void aWindowWithTheWholeQueueNeedsNoScan() {
        window.scanned(List.of(due(10)), true);
        window.add(due(40));
        assertThat(window.needsScan()).isFalse();
        assertThat(etas()).containsExactly(10L, 40L);
    }
}

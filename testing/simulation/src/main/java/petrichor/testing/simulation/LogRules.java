package petrichor.testing.simulation;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import petrichor.testing.simulation.LogGuard.Form;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Store;
import petrichor.testing.simulation.LogState.Write;
import petrichor.testing.simulation.ProtocolState.Commit;

/** The constants of a {@link LogModel}. */
record LogRules(Form form, Set<LogGuard> guards, int clients, int processes, int takenBackMax) {
    /**
     * Two processes that walk at the same time could seal each other's epochs indefinitely. The
     * model limits this to slightly more than the number of attempts.
     */
    private static final int DUEL_EPOCHS_MAX = 1;

    LogRules {
        guards = guards.isEmpty() ? EnumSet.noneOf(LogGuard.class) : EnumSet.copyOf(guards);
    }

    boolean has(LogGuard guard) {
        return guards.contains(guard);
    }

    int epochsMax() {
        return processes + takenBackMax + DUEL_EPOCHS_MAX;
    }

    boolean handsOutSnapshots(LogState state, int number) {
        Phase phase = state.processes().get(number).phase();
        return phase.isServing()
                && phase != Phase.LOST
                && (state.leased(number) || !has(LogGuard.LEASE_ON_READ));
    }

    /** The list as read by a process, at the newest version that it knows. */
    List<Integer> list(Store store, Server process) {
        return has(LogGuard.MEMORY) && !process.memory().isEmpty()
                ? process.memory().getLast().commit().list()
                : store.list().read(process.last().version());
    }

    Set<Integer> marks(Store store, Server process) {
        Set<Integer> marks = new HashSet<>(store.marks());
        if (has(LogGuard.MEMORY)) {
            process.memory().forEach(entry -> marks.add(entry.commit().client()));
        }
        return marks;
    }

    /**
     * Whether the write has no effect now or later, since versions only grow; then it is not part
     * of the state.
     */
    boolean changesNothing(Store store, Write write) {
        return switch (write) {
            case Write.Apply(Commit commit) ->
                    has(LogGuard.PUT_IF_NEWER)
                            && commit.version() <= store.list().current().version()
                            && store.marks().contains(commit.client());
            case Write.Noting(LogState.Note note) ->
                    has(LogGuard.NOTE_IF_NEWER) && note.version() <= store.note().version();
            case Write.Append _, Write.Removal _, Write.Ending _ -> false;
        };
    }
}

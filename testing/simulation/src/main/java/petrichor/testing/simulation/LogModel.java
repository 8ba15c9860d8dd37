package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.LogGuard.Form;
import petrichor.testing.simulation.LogState.Client;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Store;
import petrichor.testing.simulation.LogState.Write;

/**
 * A small model of the commit log, in either form, with its checkpoint: slots that are applied are
 * removed, while another process may be walking through the log. Processes are elected one after
 * the other. One that was replaced may have crashed, and never does anything again; or it was
 * paused, and resumes at any time. Clients each run one transaction that reads a list and appends
 * its own number to it, and writes a row of its own. The store's responses are lost, for records,
 * seals and ends; requests arrive later, or never; the driver retries and meets its own first
 * attempt; a record under way is seen by one reader and not by the next.
 *
 * <p>Broken promises: a snapshot that lacks an acknowledged transaction, or has half of one, or one
 * that was refused; a record that replaces another; a log that no process can take over any more
 * because a record that counts is missing.
 *
 * <p>Simplified: checking the lease takes no time, which represents clocks that all can trust; the
 * rows of one batch are put in one step; a walker applies all that it found in one step.
 */
public final class LogModel implements Explorer.Model<LogState> {
    private final LogRules rules;

    /**
     * @param clients transactions that are tried, each once
     * @param processes that are elected, each once
     * @param takenBackMax how often one of them takes the log back
     */
    public LogModel(Form form, Set<LogGuard> guards, int clients, int processes, int takenBackMax) {
        this.rules = new LogRules(form, guards, clients, processes, takenBackMax);
    }

    @Override
    public LogState initial() {
        return new LogState(
                0,
                0,
                Collections.nCopies(rules.processes(), Server.DOWN),
                Store.EMPTY,
                Set.of(),
                Collections.nCopies(rules.clients(), Client.IDLE),
                Set.of(),
                Set.of(),
                null);
    }

    // ---- what must not be

    @Override
    public @Nullable String violation(LogState state) {
        String wrong = state.wrong();
        for (int number = 0; wrong == null && number < rules.processes(); number++) {
            if (rules.handsOutSnapshots(state, number)) {
                wrong = wrongSnapshot(state, number);
            }
        }
        return wrong;
    }

    /** What a reader would complain about if it came now. */
    private @Nullable String wrongSnapshot(LogState state, int number) {
        Server process = state.processes().get(number);
        List<Integer> list = rules.list(state.store(), process);
        Set<Integer> marks = rules.marks(state.store(), process);
        String seen = "process " + number + " shows " + list + " with the rows of " + marks;
        if (!list.containsAll(state.acknowledged()) || !marks.containsAll(state.acknowledged())) {
            return seen + "; acknowledged as committed: " + state.acknowledged();
        }
        if (!marks.containsAll(list)) {
            return seen + ": half a transaction";
        }
        if (!Collections.disjoint(list, state.refused())) {
            return seen + "; reported as not committed: " + state.refused();
        }
        return null;
    }

    // ---- what can happen

    @Override
    public List<Explorer.Step<LogState>> steps(LogState state) {
        List<Explorer.Step<LogState>> steps = new ArrayList<>();
        if (state.elected() < rules.processes()) {
            LogDraft draft = new LogDraft(rules, state);
            LogDraft.ServerDraft next = draft.processes.get(draft.elected);
            next.nonce = draft.elected;
            next.walkFrom(state.store().note());
            draft.elected++;
            steps.add(
                    new Explorer.Step<>(
                            "process " + state.elected() + " is elected, and reads the note",
                            draft.state()));
        }
        for (int number = 0; number < state.elected(); number++) {
            new LogTurn(rules, steps, state, number).take();
        }
        for (Write write : state.writes()) {
            LogDraft draft = new LogDraft(rules, state);
            draft.writes.remove(write);
            draft.arrive(write);
            steps.add(new Explorer.Step<>("late: " + write, draft.state()));
        }
        return steps;
    }
}

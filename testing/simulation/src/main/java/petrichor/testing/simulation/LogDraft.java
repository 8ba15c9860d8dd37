package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.LogState.Client;
import petrichor.testing.simulation.LogState.Entry;
import petrichor.testing.simulation.LogState.Note;
import petrichor.testing.simulation.LogState.Phase;
import petrichor.testing.simulation.LogState.Server;
import petrichor.testing.simulation.LogState.Slot;
import petrichor.testing.simulation.LogState.Store;
import petrichor.testing.simulation.LogState.Write;

/** The next {@link LogState} while it is being made. Belongs to one thread. */
final class LogDraft {
    int elected;
    int takenBack;
    final List<ServerDraft> processes = new ArrayList<>();
    Store store;
    final Set<Write> writes;
    final List<Client> clients;
    final Set<Integer> acknowledged;
    final Set<Integer> refused;
    @Nullable String wrong;

    LogDraft(LogState from) {
        elected = from.elected();
        takenBack = from.takenBack();
        from.processes().forEach(process -> processes.add(new ServerDraft(process)));
        store = from.store();
        writes = new HashSet<>(from.writes());
        clients = new ArrayList<>(from.clients());
        acknowledged = new HashSet<>(from.acknowledged());
        refused = new HashSet<>(from.refused());
        wrong = from.wrong();
    }

    void wrong(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    LogState state() {
        return new LogState(
                elected,
                takenBack,
                processes.stream().map(ServerDraft::process).toList(),
                store,
                Set.copyOf(writes),
                List.copyOf(clients),
                Set.copyOf(acknowledged),
                Set.copyOf(refused),
                wrong);
    }

    /** A {@link Server} that can still change. */
    static final class ServerDraft {
        Phase phase;
        int nonce;
        Note from;
        Slot at;
        boolean ours;
        Note last;
        List<Entry> walked;
        List<Entry> memory;
        List<Slot> applied;
        Note reached;
        boolean noted;
        List<Integer> queue;
        @Nullable Entry pending;

        ServerDraft(Server process) {
            phase = process.phase();
            nonce = process.nonce();
            from = process.from();
            at = process.at();
            ours = process.ours();
            last = process.last();
            walked = new ArrayList<>(process.walked());
            memory = new ArrayList<>(process.memory());
            applied = new ArrayList<>(process.applied());
            reached = process.reached();
            noted = process.noted();
            queue = new ArrayList<>(process.queue());
            pending = process.pending();
        }

        Server process() {
            return phase == Phase.DOWN
                    ? Server.DOWN
                    : new Server(
                            phase,
                            nonce,
                            from,
                            at,
                            ours,
                            last,
                            List.copyOf(walked),
                            List.copyOf(memory),
                            List.copyOf(applied),
                            reached,
                            noted,
                            List.copyOf(queue),
                            pending);
        }
    }
}

package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.testing.simulation.ProtocolState.Client;
import petrichor.testing.simulation.ProtocolState.Message;
import petrichor.testing.simulation.ProtocolState.Owner;
import petrichor.testing.simulation.ProtocolState.Store;

/** A state of {@link ProtocolModel} under construction. Confined to one thread. */
final class ProtocolDraft {
    int lease;
    int epochs;
    final List<Owner> owners;
    Store store;
    @Nullable Store durable;
    final Set<Message> messages;
    final List<Client> clients;
    final Set<Integer> acknowledged;
    private @Nullable String wrong;
    private final boolean syncs;

    /**
     * @param syncs whether every change of the store is durable at once ({@link Guard#SYNC})
     */
    ProtocolDraft(ProtocolState from, boolean syncs) {
        this.syncs = syncs;
        lease = from.lease();
        epochs = from.epochs();
        owners = new ArrayList<>(from.owners());
        store = from.store();
        durable = from.durable();
        messages = new HashSet<>(from.messages());
        clients = new ArrayList<>(from.clients());
        acknowledged = new HashSet<>(from.acknowledged());
        wrong = from.wrong();
    }

    ProtocolDraft lease(int epoch) {
        lease = epoch;
        return this;
    }

    ProtocolDraft owner(int process, Owner next) {
        owners.set(process, next);
        return this;
    }

    ProtocolDraft synced() {
        durable = null;
        return this;
    }

    /** Changes the store; without {@link Guard#SYNC} the change may be lost. */
    void write(Store next) {
        if (!syncs && durable == null && !next.equals(store)) {
            durable = store;
        }
        store = next;
    }

    void wrong(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    ProtocolState state() {
        return new ProtocolState(
                lease,
                epochs,
                List.copyOf(owners),
                store,
                durable,
                Set.copyOf(messages),
                List.copyOf(clients),
                Set.copyOf(acknowledged),
                wrong);
    }
}

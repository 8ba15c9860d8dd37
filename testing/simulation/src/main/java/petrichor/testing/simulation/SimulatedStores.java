package petrichor.testing.simulation;

import java.util.ArrayList;
import java.util.List;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryOptions.Tier;
import petrichor.kv.memory.MemoryStore;

/**
 * The stores of a simulated database: one, or two of which the first is its home. The database has
 * rows in both, or moves from one to the other.
 */
enum SimulatedStores {
    A(Tier.A),
    B(Tier.B),
    B_PLAIN(Tier.B_PLAIN),
    A_WITH_A(Tier.A, Tier.A),
    A_WITH_B(Tier.A, Tier.B),
    B_WITH_A(Tier.B, Tier.A),
    B_PLAIN_WITH_A(Tier.B_PLAIN, Tier.A),
    A_TO_A(true, Tier.A, Tier.A),
    A_TO_B(true, Tier.A, Tier.B),
    B_TO_A(true, Tier.B, Tier.A),
    B_PLAIN_TO_B(true, Tier.B_PLAIN, Tier.B);

    @SuppressWarnings("ImmutableEnumChecker") // a copy that is never changed
    private final List<Tier> tiers;

    private final boolean moves;

    SimulatedStores(Tier... tiers) {
        this(false, tiers);
    }

    SimulatedStores(boolean moves, Tier... tiers) {
        this.moves = moves;
        this.tiers = List.of(tiers);
    }

    /** Whether a snapshot can be a native view of the store. */
    boolean mayHaveViews() {
        return equals(A);
    }

    /** Whether commits are always written to a log first. */
    boolean hasLog() {
        return !equals(A) && !moves;
    }

    boolean placed() {
        return tiers.size() > 1;
    }

    /** Whether the database moves between the stores, instead of having rows in both. */
    boolean moves() {
        return moves;
    }

    List<KeyValueStore> open(boolean views) {
        List<KeyValueStore> stores = new ArrayList<>();
        for (Tier tier : tiers) {
            MemoryOptions options = MemoryOptions.DEFAULT.withTier(tier);
            stores.add(MemoryStore.open(views ? options : options.withoutViews()));
        }
        return stores;
    }
}

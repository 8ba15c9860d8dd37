package petrichor.movement.upstream;

import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.Key;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import petrichor.entities.StoredEntities;

/**
 * Copies all entities of the upstream, page by page in the order of keys. A page and the position
 * after it are stored in one commit, so the copy continues after a crash. What is written while it
 * runs is {@linkplain Follower copied again}, never before the page that has it: both are confined
 * to the holder of the lock of the move.
 */
final class EntityCopy {
    private final LocalCopy local;
    private final UpstreamEntities upstream;
    private @Nullable Set<String> namespaces;

    EntityCopy(LocalCopy local, UpstreamEntities upstream) {
        this.local = local;
        this.upstream = upstream;
    }

    /** Copies a page; returns the state after it. */
    UpstreamState step(UpstreamState state) {
        Set<String> all = namespaces;
        if (all == null) {
            all = namespaces(state);
            namespaces = all;
        }
        UpstreamState.Copied before = state.copied();
        String namespace = before.namespace();
        if (!all.contains(namespace)) {
            return next(before, all, namespace);
        }
        Key after =
                before.key().isEmpty() ? null : upstream.key(HexFormat.of().parseHex(before.key()));
        UpstreamEntities.Page page = upstream.page(namespace, after);
        List<StoredEntities.State> states = new ArrayList<>();
        long bytes = 0;
        String position = before.key();
        for (EntityResult result : page.results()) {
            StoredEntities.State stored = local.stored(result);
            position = HexFormat.of().formatHex(stored.row());
            if (UpstreamEntities.moves(result.getEntity().getKey())) {
                states.add(stored);
                bytes += result.getEntity().getSerializedSize();
            }
        }
        UpstreamState.Copied copied =
                new UpstreamState.Copied(
                        before.entities() + states.size(),
                        before.bytes() + bytes,
                        namespace,
                        position);
        UpstreamState stored =
                local.commit(new LocalCopy.Part(states, List.of()), now -> now.with(copied));
        return page.last() ? next(stored.copied(), all, namespace) : stored;
    }

    /** Those of the upstream, unless the start of the move named them. */
    Set<String> namespaces(UpstreamState state) {
        return state.namespaces().isEmpty()
                ? upstream.namespaces()
                : new TreeSet<>(state.namespaces());
    }

    private UpstreamState next(UpstreamState.Copied copied, Set<String> all, String namespace) {
        String following = new TreeSet<>(all).higher(namespace);
        UnaryOperator<UpstreamState> step =
                following == null
                        ? state -> state.with(copied).with(UpstreamPhase.CATCH_UP)
                        : state ->
                                state.with(
                                        new UpstreamState.Copied(
                                                copied.entities(), copied.bytes(), following, ""));
        return local.commit(LocalCopy.Part.NONE, step);
    }
}

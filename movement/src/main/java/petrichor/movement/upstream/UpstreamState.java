package petrichor.movement.upstream;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * The stored state of a move, in the row {@code 'Y' 'u'} of the database. Immutable. Times are
 * microseconds since 1970.
 *
 * @param captured since when the keys of all commits are stored; 0 before
 * @param switched time of the last switch; 0 if there was none
 * @param copied what has been copied
 * @param compared the last complete comparison
 * @param namespaces those that move, if the upstream cannot list them; empty for all
 */
record UpstreamState(
        UpstreamPhase phase,
        long captured,
        long switched,
        Copied copied,
        Compared compared,
        List<String> namespaces) {
    private static final Gson GSON = new Gson();
    private static final int EXAMPLES_MAX = 20;

    static final UpstreamState FORWARDING =
            new UpstreamState(
                    UpstreamPhase.FORWARDING, 0, 0, Copied.NONE, Compared.NONE, List.of());

    UpstreamState {
        namespaces = List.copyOf(namespaces);
    }

    /**
     * @param namespace the one being copied
     * @param key row of the last copied entity, in hexadecimal; empty if there is none yet
     */
    record Copied(long entities, long bytes, String namespace, String key) {
        static final Copied NONE = new Copied(0, 0, "", "");
    }

    /**
     * @param at when it ended; 0 if there was none
     * @param examples of keys that differed
     */
    record Compared(long at, long entities, long mismatches, List<String> examples) {
        static final Compared NONE = new Compared(0, 0, 0, List.of());

        Compared {
            examples = examples.stream().limit(EXAMPLES_MAX).toList();
        }
    }

    UpstreamState with(UpstreamPhase next) {
        return new UpstreamState(next, captured, switched, copied, compared, namespaces);
    }

    /** Undoes a way back that did not end. */
    UpstreamState withoutReversing() {
        return phase == UpstreamPhase.REVERSING ? with(UpstreamPhase.REVERSIBLE) : this;
    }

    UpstreamState with(Copied next) {
        return new UpstreamState(phase, captured, switched, next, compared, namespaces);
    }

    UpstreamState with(UpstreamPhase next, Compared result) {
        return new UpstreamState(next, captured, switched, copied, result, namespaces);
    }

    /** Captures from now on. */
    UpstreamState started(UpstreamPhase next, long now, List<String> selected) {
        return new UpstreamState(next, now, switched, copied, Compared.NONE, selected);
    }

    UpstreamState switchedAt(long now) {
        return new UpstreamState(
                UpstreamPhase.REVERSIBLE, captured, now, copied, compared, namespaces);
    }

    byte[] encode() {
        return GSON.toJson(this).getBytes(StandardCharsets.UTF_8);
    }

    static UpstreamState decode(byte[] row) {
        try {
            UpstreamState state =
                    GSON.fromJson(new String(row, StandardCharsets.UTF_8), UpstreamState.class);
            return Objects.requireNonNull(state);
        } catch (JsonParseException | NullPointerException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL,
                    damaged,
                    "The stored state of the move from the upstream is damaged.");
        }
    }
}

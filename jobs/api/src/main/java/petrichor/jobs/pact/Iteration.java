package petrichor.jobs.pact;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A bulk iteration: a part of the plan (the body) that is run again and again over what the round
 * before made of it. What the body uses from outside is computed once and kept.
 *
 * <pre>{@code
 * var loop = plan.iterate(initial, 20);
 * var next = loop.current().match(…)…;
 * var result = loop.close(next);
 * }</pre>
 *
 * The body's result has the type of the initial data set. Iterations follow each other; one inside
 * another is refused.
 */
public final class Iteration {
    /** More rounds than this are a mistake rather than a wish. */
    public static final int ROUNDS_MAX = 100_000;

    private final Plan plan;
    private final DataSet initial;
    private final DataSet current;
    private final int rounds;
    private @Nullable DataSet next;
    private @Nullable DataSet open;
    private @Nullable DataSet result;

    Iteration(Plan plan, DataSet initial, int rounds) {
        if (rounds < 1 || rounds > ROUNDS_MAX) {
            throw PetrichorException.invalid(
                    "an iteration has " + rounds + " rounds; it must have 1 to " + ROUNDS_MAX);
        }
        this.plan = plan;
        this.initial = initial;
        this.rounds = rounds;
        this.current = kept("current of " + initial.name());
    }

    /** What a round begins with: the initial data set, then what the round before made. */
    public DataSet current() {
        return current;
    }

    /** Ends the body: {@code next} is what a round makes. Returns the last round's. */
    public DataSet close(DataSet next) {
        return close(next, null);
    }

    /** Ends the body; another round follows only while {@code open} has records. */
    public DataSet closeWhile(DataSet next, DataSet open) {
        return close(next, open);
    }

    private DataSet close(DataSet newNext, @Nullable DataSet newOpen) {
        if (result != null) {
            throw PetrichorException.invalid(
                    "the iteration over \"" + initial.name() + "\" is closed already");
        }
        if (!newNext.type().equals(initial.type())) {
            throw PetrichorException.invalid(
                    "a round starts with "
                            + initial.type()
                            + " and ends with "
                            + newNext.type()
                            + ": map \""
                            + newNext.name()
                            + "\" back to the former");
        }
        next = newNext;
        open = newOpen;
        result = kept("result of " + newNext.name());
        return result;
    }

    private DataSet kept(String name) {
        return plan.add(name, new Contract.Kept(this), List.of(), initial.type(), Promises.NONE);
    }

    public int rounds() {
        return rounds;
    }

    public PactNode initialNode() {
        return initial.node();
    }

    public PactNode currentNode() {
        return current.node();
    }

    /** What a round makes. */
    public PactNode nextNode() {
        return closed(next).node();
    }

    /** What decides whether another round follows, or null if only the number of rounds does. */
    public @Nullable PactNode openNode() {
        return open == null ? null : open.node();
    }

    public PactNode resultNode() {
        return closed(result).node();
    }

    private DataSet closed(@Nullable DataSet part) {
        if (part == null) {
            throw PetrichorException.invalid(
                    "the iteration over \""
                            + initial.name()
                            + "\" has no end: call close(…) with the result of a round");
        }
        return part;
    }
}

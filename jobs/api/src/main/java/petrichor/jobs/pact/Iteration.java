package petrichor.jobs.pact;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * A bulk iteration: a part of the plan (the body) that runs repeatedly on its own output of the
 * previous round. Its inputs from outside are computed once and kept.
 *
 * <pre>{@code
 * var loop = plan.iterate(initial, 20);
 * var next = loop.current().match(…)…;
 * var result = loop.close(next);
 * }</pre>
 *
 * The body's result has the type of the initial data set. Iterations may follow each other, but not
 * be nested.
 */
public final class Iteration {
    /** A higher number of rounds is considered a mistake. */
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
                    "an iteration has {rounds} rounds; it must have 1 to " + ROUNDS_MAX,
                    "rounds",
                    rounds);
        }
        this.plan = plan;
        this.initial = initial;
        this.rounds = rounds;
        this.current = kept("current of " + initial.name());
    }

    /** The input of a round: the initial data set, then the output of the previous round. */
    public DataSet current() {
        return current;
    }

    /**
     * Ends the body: {@code next} is the output of a round. Returns the output of the last round.
     */
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
                    "the iteration over \"{initial}\" is already closed",
                    "initial",
                    initial.name());
        }
        if (!newNext.type().equals(initial.type())) {
            throw PetrichorException.invalid(
                    "the body of an iteration must return the type it receives, {type}, but"
                            + " \"{result}\" has {resultType}: map it to the former",
                    "type",
                    initial.type(),
                    "resultType",
                    newNext.type(),
                    "result",
                    newNext.name());
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

    /** The output of a round. */
    public PactNode nextNode() {
        return closed(next).node();
    }

    /**
     * The data set that decides whether another round follows, or null if only the number of rounds
     * does.
     */
    public @Nullable PactNode openNode() {
        return open == null ? null : open.node();
    }

    public PactNode resultNode() {
        return closed(result).node();
    }

    private DataSet closed(@Nullable DataSet part) {
        if (part == null) {
            throw PetrichorException.invalid(
                    "the iteration over \"{initial}\" has no end: call close(…) with the result of"
                            + " a round",
                    "initial",
                    initial.name());
        }
        return part;
    }
}

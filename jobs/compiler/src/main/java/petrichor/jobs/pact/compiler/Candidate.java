package petrichor.jobs.pact.compiler;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.pact.PactNode;

/**
 * An alternative of the enumeration: one way to execute a contract, on top of one candidate for
 * each of its inputs. Immutable; the same candidate may be part of several others.
 */
final class Candidate {
    private final PactNode node;
    private final String strategy;
    private final Operation operation;
    private final List<Step> steps;
    private final List<DataTransfer> ways;
    private final int parallelism;
    private final Properties properties;
    private final Size size;
    private final Cost cost;
    private final double nanos;

    /** For contracts with several consumers: the candidate on which this one is based. */
    private final Map<PactNode, Candidate> shared;

    private Candidate(Builder from, Map<PactNode, Candidate> shared) {
        this.node = from.node;
        this.strategy = from.strategy;
        this.operation = from.operation;
        this.steps = List.copyOf(from.steps);
        this.ways = List.copyOf(from.ways);
        this.parallelism = from.parallelism;
        this.properties = from.properties;
        this.size = from.size;
        this.cost = from.cost;
        this.nanos = from.nanos;
        this.shared = Collections.unmodifiableMap(shared);
    }

    PactNode node() {
        return node;
    }

    /** Describes what the task does. */
    String strategy() {
        return strategy;
    }

    Operation operation() {
        return operation;
    }

    List<Step> steps() {
        return steps;
    }

    List<DataTransfer> ways() {
        return ways;
    }

    int parallelism() {
        return parallelism;
    }

    Properties properties() {
        return properties;
    }

    Size size() {
        return size;
    }

    /** The cost of this contract and of shipping its inputs. */
    Cost cost() {
        return cost;
    }

    double ownNanos() {
        return nanos;
    }

    Map<PactNode, Candidate> shared() {
        return shared;
    }

    /** This candidate and everything below it, each once. */
    Set<Candidate> all() {
        Set<Candidate> all = new LinkedHashSet<>();
        collect(all);
        return all;
    }

    private void collect(Set<Candidate> into) {
        if (into.add(this)) {
            ways.forEach(way -> way.from().collect(into));
        }
    }

    /** Total cost of this candidate and everything below it, in the model's nanoseconds. */
    double totalNanos() {
        return all().stream().mapToDouble(candidate -> candidate.nanos).sum();
    }

    /** The combined choices of both, or null if they differ. */
    static @Nullable Map<PactNode, Candidate> merged(
            Map<PactNode, Candidate> one, Map<PactNode, Candidate> other) {
        var merged = new LinkedHashMap<>(one);
        for (var choice : other.entrySet()) {
            var before = merged.putIfAbsent(choice.getKey(), choice.getValue());
            if (before != null && before != choice.getValue()) {
                return null;
            }
        }
        return merged;
    }

    /** Collects the parts of a candidate. */
    static final class Builder {
        private final PactNode node;
        private final String strategy;
        private final Operation operation;
        private final List<DataTransfer> ways;
        private final int parallelism;
        private final Size size;
        private List<Step> steps = List.of();
        private Properties properties = Properties.NONE;
        private Cost cost = Cost.NONE;
        private double nanos;

        Builder(
                PactNode node,
                String strategy,
                Operation operation,
                List<DataTransfer> ways,
                int parallelism,
                Size size) {
            this.node = node;
            this.strategy = strategy;
            this.operation = operation;
            this.ways = ways;
            this.parallelism = parallelism;
            this.size = size;
        }

        Builder steps(Step... more) {
            steps = List.of(more);
            return this;
        }

        Builder properties(Properties found) {
            properties = found;
            return this;
        }

        Builder cost(Cost found, double inNanos) {
            cost = found;
            nanos = inNanos;
            return this;
        }

        /**
         * The candidate, or null if its inputs are based on different choices for the same
         * contract.
         */
        @Nullable Candidate build(boolean isShared) {
            Map<PactNode, Candidate> choices = new LinkedHashMap<>();
            for (var way : ways) {
                var merged = merged(choices, way.from().shared);
                if (merged == null) {
                    return null;
                }
                choices = merged;
            }
            var candidate = new Candidate(this, choices);
            if (!isShared) {
                return candidate;
            }
            // The choice for a shared contract is this object itself, so it must contain itself.
            var withSelf = new LinkedHashMap<>(choices);
            var chosen = new Candidate(this, withSelf);
            withSelf.put(node, chosen);
            return chosen;
        }
    }
}

package petrichor.jobs.jobgraph;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Scheduling annotations of a task.
 *
 * @param parallelism number of subtasks
 * @param subtasksPerInstance how many of them may share a machine; 0 leaves it open
 * @param sharesInstanceWith id of a vertex whose machines this one uses too, or null
 * @param instanceType the machine type, e.g. {@code m1.small}, or null for any
 * @param managedMemoryWeight this task's share of the memory for sorting and hashing, relative to
 *     the other tasks of its stage; 0 for a task that keeps nothing
 * @param stateless whether subtasks may be added or removed between any two records (thesis, table
 *     7.1)
 * @param contracts signatures of the plan's contracts that the task implements: the same in every
 *     run of the plan, in any execution mode; empty without a plan
 */
public record Annotations(
        int parallelism,
        int subtasksPerInstance,
        @Nullable Integer sharesInstanceWith,
        @Nullable String instanceType,
        int managedMemoryWeight,
        boolean stateless,
        List<String> contracts)
        implements Serializable {
    /** More subtasks on one edge would need more channels than a job can hold open. */
    public static final int PARALLELISM_MAX = 1_024;

    public Annotations {
        contracts = List.copyOf(contracts);
        if (parallelism < 1 || parallelism > PARALLELISM_MAX) {
            throw PetrichorException.invalid(
                    "parallelism is {parallelism}; it must be from 1 to " + PARALLELISM_MAX,
                    "parallelism",
                    parallelism);
        }
        if (subtasksPerInstance < 0 || managedMemoryWeight < 0) {
            throw PetrichorException.invalid(
                    "subtasks per instance and managed memory weight cannot be negative");
        }
    }

    public static Annotations parallel(int parallelism) {
        return new Annotations(parallelism, 0, null, null, 0, false, List.of());
    }

    public Annotations withSubtasksPerInstance(int subtasks) {
        return new Annotations(
                parallelism,
                subtasks,
                sharesInstanceWith,
                instanceType,
                managedMemoryWeight,
                stateless,
                contracts);
    }

    public Annotations sharingInstancesWith(int vertex) {
        return new Annotations(
                parallelism,
                subtasksPerInstance,
                vertex,
                instanceType,
                managedMemoryWeight,
                stateless,
                contracts);
    }

    public Annotations onInstances(String type) {
        return new Annotations(
                parallelism,
                subtasksPerInstance,
                sharesInstanceWith,
                type,
                managedMemoryWeight,
                stateless,
                contracts);
    }

    public Annotations withManagedMemoryWeight(int weight) {
        return new Annotations(
                parallelism,
                subtasksPerInstance,
                sharesInstanceWith,
                instanceType,
                weight,
                stateless,
                contracts);
    }

    public Annotations withoutState() {
        return new Annotations(
                parallelism,
                subtasksPerInstance,
                sharesInstanceWith,
                instanceType,
                managedMemoryWeight,
                true,
                contracts);
    }

    public Annotations doing(List<String> signatures) {
        return new Annotations(
                parallelism,
                subtasksPerInstance,
                sharesInstanceWith,
                instanceType,
                managedMemoryWeight,
                stateless,
                signatures);
    }
}

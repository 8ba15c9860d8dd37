package petrichor.jobs.flink;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.runtime.clusterframework.types.ResourceProfile;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.hosted.StageWork;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.leased.MachineTypes;
import petrichor.jobs.leased.StageCut;

/**
 * Maps the machine types that tasks ask for to slot profiles. Tasks of one type share slots.
 *
 * @param slots profiles by type; tasks of any other type get slots of the default size
 * @param leased whether these are the types that the cluster leases: there are no others, and a
 *     task without a type uses the type of the tasks with which it shares its stage
 */
record SlotKinds(Map<String, ResourceProfile> slots, boolean leased) {
    static final SlotKinds NONE = new SlotKinds(Map.of(), false);

    private static final String ANY = "";

    SlotKinds {
        slots = Map.copyOf(slots);
    }

    /** For a cluster that leases machines of these types. */
    static SlotKinds leased(List<String> types) {
        return new SlotKinds(
                types.stream().collect(Collectors.toMap(type -> type, MachineSlots::on)), true);
    }

    SlotKinds with(String kind, ResourceProfile slot) {
        Map<String, ResourceProfile> more = new HashMap<>(slots);
        more.put(kind, slot);
        return new SlotKinds(more, leased);
    }

    /**
     * The graph to run: where machines are leased, a stage ends where the machine type changes.
     * INVALID_ARGUMENT if a task names a type that is not leased.
     */
    JobGraph prepared(JobGraph graph) {
        if (!leased) {
            return graph;
        }
        graph.vertices().forEach(this::checkLeased);
        return StageCut.MACHINES.of(graph);
    }

    /** By task id. */
    Map<Integer, String> of(StageWork work) {
        Map<Integer, String> types = leased ? MachineTypes.of(work.graph()) : Map.of();
        Map<Integer, String> kinds = new HashMap<>();
        String other = ANY;
        for (JobVertex task : work.tasks()) {
            String own = task.annotations().instanceType();
            String kind = types.getOrDefault(task.id(), own == null ? ANY : own);
            other = leased && !kind.equals(ANY) ? kind : other;
            kinds.put(task.id(), kind);
        }
        String instead = other;
        kinds.replaceAll((_, kind) -> kind.equals(ANY) ? instead : kind);
        return kinds;
    }

    private void checkLeased(JobVertex task) {
        String type = task.annotations().instanceType();
        if (type != null && !slots.containsKey(type)) {
            throw PetrichorException.invalid(
                    "task \"{task}\" requires machines of type {type}; the Flink cluster leases,"
                            + " large enough for a task manager: {available}",
                    "task",
                    task.name(),
                    "type",
                    type,
                    "available",
                    slots.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
    }

    Optional<ResourceProfile> slot(String kind) {
        return Optional.ofNullable(slots.get(kind));
    }
}

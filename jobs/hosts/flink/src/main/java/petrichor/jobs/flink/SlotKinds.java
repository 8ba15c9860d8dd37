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
 * What slots the tasks of a stage get, by the kind of machine that they ask for. Tasks of one kind
 * share slots.
 *
 * @param slots by kind; of one that is not among them tasks get slots like all others
 * @param leased the kinds are types of machines that the cluster leases: there are no others, and a
 *     task without one goes where those go that it shares its stage with
 */
record SlotKinds(Map<String, ResourceProfile> slots, boolean leased) {
    static final SlotKinds NONE = new SlotKinds(Map.of(), false);

    private static final String ANY = "";

    SlotKinds {
        slots = Map.copyOf(slots);
    }

    /** Machines that are leased by these names. */
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
     * The graph as it will run: where machines are leased, a stage ends where their type changes.
     * INVALID_ARGUMENT if a task names a type that is not leased.
     */
    JobGraph prepared(JobGraph graph) {
        if (!leased) {
            return graph;
        }
        graph.vertices().forEach(this::checkLeased);
        return StageCut.MACHINES.of(graph);
    }

    /** By task. */
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
                    "task \""
                            + task.name()
                            + "\" requires machines of type "
                            + type
                            + "; the Flink cluster leases, large enough for a task manager: "
                            + slots.keySet().stream().sorted().collect(Collectors.joining(", ")));
        }
    }

    Optional<ResourceProfile> slot(String kind) {
        return Optional.ofNullable(slots.get(kind));
    }
}

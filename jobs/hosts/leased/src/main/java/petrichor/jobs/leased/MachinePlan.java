package petrichor.jobs.leased;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import petrichor.base.PetrichorException;
import petrichor.cloud.InstanceType;
import petrichor.cloud.leasing.Need;
import petrichor.jobs.engine.workers.SlotAssignment;
import petrichor.jobs.jobgraph.ExecutionStage;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * Computes the machines that a stage needs, and assigns subtasks to them.
 *
 * <p>Tasks of the same machine type share machines: subtask i of each runs on the same one, which
 * keeps forward channels local. A task that names no type uses that of the task whose records it
 * reads first; if none names one, any machine will do, one for each subtask. On a named type a task
 * has, by default, as many subtasks as the machine has cores.
 *
 * @param needs in the order of the worker numbers: the first need has the lowest
 */
record MachinePlan(List<Need> needs, SlotAssignment slots) {
    private static final String ANY = "any";

    MachinePlan {
        needs = List.copyOf(needs);
    }

    /** Number and size of the machines of one type. */
    private static final class Pool {
        int count = 1;
        int cores = 1;
    }

    /**
     * @param machinesMax limit of a stage's machines: beyond it several subtasks share one
     */
    static MachinePlan of(
            JobGraph graph, ExecutionStage stage, List<InstanceType> offered, int machinesMax) {
        Map<Integer, String> types = MachineTypes.of(graph);
        Map<String, Pool> pools = new LinkedHashMap<>();
        for (int id : stage.vertices()) {
            String type = types.getOrDefault(id, ANY);
            Pool pool = pools.computeIfAbsent(type, _ -> new Pool());
            JobVertex vertex = graph.vertex(id);
            int together = together(vertex, type, offered);
            pool.count = Math.max(pool.count, Math.ceilDiv(vertex.parallelism(), together));
            pool.cores = Math.max(pool.cores, together);
        }
        limit(pools, machinesMax, stage);
        List<Need> needs = new ArrayList<>();
        Map<String, SlotAssignment.Range> rows = new HashMap<>();
        int first = 0;
        for (Map.Entry<String, Pool> each : pools.entrySet()) {
            Pool pool = each.getValue();
            Need.Wish wish =
                    each.getKey().equals(ANY)
                            ? new Need.Wish.AtLeast(cores(pool, offered), 0, 0)
                            : new Need.Wish.Named(each.getKey());
            // Results between stages are in files, not on machines: any machine may be lost.
            needs.add(new Need(each.getKey(), wish, pool.count, false, true));
            rows.put(each.getKey(), new SlotAssignment.Range(first, pool.count));
            first += pool.count;
        }
        Map<Integer, SlotAssignment.Range> slots = new HashMap<>();
        for (int id : stage.vertices()) {
            SlotAssignment.Range row = rows.get(types.getOrDefault(id, ANY));
            if (row != null) {
                slots.put(id, row);
            }
        }
        return new MachinePlan(needs, new SlotAssignment(first, slots));
    }

    private static int together(JobVertex vertex, String type, List<InstanceType> offered) {
        int wanted = vertex.annotations().subtasksPerInstance();
        if (type.equals(ANY)) {
            return Math.max(1, wanted);
        }
        int cores =
                offered.stream()
                        .filter(each -> each.name().equals(type))
                        .mapToInt(InstanceType::cores)
                        .findFirst()
                        .orElseThrow(() -> unknown(vertex, type, offered));
        return wanted == 0 ? cores : wanted;
    }

    private static PetrichorException unknown(
            JobVertex vertex, String type, List<InstanceType> offered) {
        return PetrichorException.invalid(
                "task \"{vertex}\" requires machines of type {type}; the cloud offers {types}",
                "vertex",
                vertex.name(),
                "type",
                type,
                "types",
                offered.stream().map(InstanceType::name).collect(Collectors.joining(", ")));
    }

    /** At most the cores of the largest machine: more subtasks share it. */
    private static int cores(Pool pool, List<InstanceType> offered) {
        int most = offered.stream().mapToInt(InstanceType::cores).max().orElse(1);
        return Math.min(pool.cores, most);
    }

    private static void limit(Map<String, Pool> pools, int most, ExecutionStage stage) {
        if (pools.size() > most) {
            throw PetrichorException.invalid(
                    "stage {stage} needs {poolsCount} types of machines at once, but {machinesMax}"
                            + " machines are allowed",
                    "stage",
                    (stage.number() + 1),
                    "poolsCount",
                    pools.size(),
                    "machinesMax",
                    most);
        }
        while (pools.values().stream().mapToInt(pool -> pool.count).sum() > most) {
            pools.values().stream()
                    .max((one, other) -> Integer.compare(one.count, other.count))
                    .ifPresent(pool -> pool.count--);
        }
    }
}

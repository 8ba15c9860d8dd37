package petrichor.jobs.jobgraph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * Decides which subtasks share an {@link ExecutionInstance}. By default each has its own (thesis,
 * 3.2.2); they share one where a memory channel connects them, where a task allows several subtasks
 * per instance, and where a task shares the instances of another.
 */
final class InstanceSharing {
    private final JobGraph job;

    /** Union-find parents: towards the smallest subtask of the same instance. */
    private final Map<SubtaskId, SubtaskId> towards = new HashMap<>();

    private InstanceSharing(JobGraph job) {
        this.job = job;
    }

    static List<ExecutionInstance> of(JobGraph job, List<ExecutionChannel> channels) {
        var sharing = new InstanceSharing(job);
        channels.stream()
                .filter(channel -> channel.type() == ChannelType.IN_MEMORY)
                .forEach(channel -> sharing.join(channel.from(), channel.to()));
        job.vertices().forEach(sharing::joinByAnnotation);
        return sharing.instances();
    }

    private void joinByAnnotation(JobVertex vertex) {
        var together = vertex.annotations().subtasksPerInstance();
        var shared = vertex.annotations().sharesInstanceWith();
        for (var id : ExecutionSpread.subtasks(vertex)) {
            if (together > 1) {
                join(id, new SubtaskId(vertex.id(), id.subtask() / together * together));
            }
            if (shared != null) {
                join(id, new SubtaskId(shared, id.subtask() % job.vertex(shared).parallelism()));
            }
        }
    }

    private void join(SubtaskId one, SubtaskId other) {
        var a = root(one);
        var b = root(other);
        if (a.compareTo(b) < 0) {
            towards.put(b, a);
        } else if (a.compareTo(b) > 0) {
            towards.put(a, b);
        }
    }

    private SubtaskId root(SubtaskId id) {
        var at = id;
        for (var next = towards.get(at); next != null; next = towards.get(at)) {
            at = next;
        }
        return at;
    }

    private List<ExecutionInstance> instances() {
        Map<SubtaskId, List<SubtaskId>> members = new LinkedHashMap<>();
        for (var vertex : job.inOrder()) {
            for (var id : ExecutionSpread.subtasks(vertex)) {
                members.computeIfAbsent(root(id), _ -> new ArrayList<>()).add(id);
            }
        }
        var instances = new ArrayList<ExecutionInstance>();
        for (var together : members.values()) {
            instances.add(new ExecutionInstance(instances.size(), type(together), together, null));
        }
        return List.copyOf(instances);
    }

    /** The machine type that its tasks ask for: they must agree. */
    private @Nullable String type(List<SubtaskId> together) {
        var types = new TreeSet<String>();
        for (var id : together) {
            var type = job.vertex(id.vertex()).annotations().instanceType();
            if (type != null) {
                types.add(type);
            }
        }
        if (types.size() > 1) {
            throw PetrichorException.invalid(
                    "the subtasks {subtasks} of the job \"{job}\" share a machine but require"
                            + " different types: {types}",
                    "subtasks",
                    together,
                    "job",
                    job.name(),
                    "types",
                    types);
        }
        return types.isEmpty() ? null : types.first();
    }
}

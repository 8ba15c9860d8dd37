package petrichor.apps.catalog;

import java.util.Arrays;
import java.util.List;
import petrichor.base.NearestName;
import petrichor.base.PetrichorException;

/** What an app may use at most. */
public enum Quota {
    INSTANCES("instances", QuotaUnit.COUNT, "instances of all versions at one time"),
    MEMORY("memory", QuotaUnit.BYTES, "memory limits of all its instances together"),
    REQUESTS("requests", QuotaUnit.PER_MINUTE, "requests of visitors, with a burst"),
    REQUEST_BURST(
            "request-burst",
            QuotaUnit.COUNT,
            "requests at once before the rate applies; a sixth of requests unless it is set"),
    LONGEST_REQUEST("longest-request", QuotaUnit.TIME, "time until a request is answered"),
    TASKS("tasks", QuotaUnit.PER_MINUTE, "tasks added to all its queues"),
    WAITING_TASKS("waiting-tasks", QuotaUnit.COUNT, "tasks in all its queues"),
    LONGEST_TASK("longest-task", QuotaUnit.TIME, "time until a task is answered"),
    STORAGE("storage", QuotaUnit.BYTES, "bytes of its databases and objects");

    private final String label;
    private final QuotaUnit unit;
    private final String description;

    Quota(String label, QuotaUnit unit, String description) {
        this.label = label;
        this.unit = unit;
        this.description = description;
    }

    /** As users write it. */
    public String label() {
        return label;
    }

    public QuotaUnit unit() {
        return unit;
    }

    /** What is limited, in a few words. */
    public String description() {
        return description;
    }

    /** INVALID_ARGUMENT if there is none. */
    public static Quota of(String label) {
        for (Quota quota : values()) {
            if (quota.label.equals(label)) {
                return quota;
            }
        }
        List<String> labels = Arrays.stream(values()).map(Quota::label).toList();
        throw PetrichorException.invalid(
                "there is no quota {quota}; the nearest is {nearest}, and all are {quotas}",
                "quota",
                label,
                "nearest",
                NearestName.of(label, labels).orElse(labels.getFirst()),
                "quotas",
                String.join(", ", labels));
    }
}

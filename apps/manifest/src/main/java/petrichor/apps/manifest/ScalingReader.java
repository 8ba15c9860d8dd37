package petrichor.apps.manifest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import petrichor.yaml.YamlMapping;

/** Reads the scaling of {@code app.yaml}. */
final class ScalingReader {
    private static final Set<String> KINDS =
            new TreeSet<>(Set.of("automatic_scaling", "basic_scaling", "manual_scaling"));
    private static final Set<String> SUPPORTED =
            Set.of(
                    "max_concurrent_requests",
                    "max_idle_instances",
                    "max_instances",
                    "max_pending_latency",
                    "min_idle_instances",
                    "min_instances",
                    "min_pending_latency",
                    "target_cpu_utilization",
                    "target_throughput_utilization");

    /** Of the flexible environment. */
    private static final Set<String> FLEXIBLE =
            Set.of(
                    "cool_down_period_sec",
                    "cpu_utilization",
                    "custom_metrics",
                    "max_num_instances",
                    "min_num_instances",
                    "target_concurrent_requests",
                    "target_disk_read_bytes_per_sec",
                    "target_disk_read_ops_per_sec",
                    "target_disk_write_bytes_per_sec",
                    "target_disk_write_ops_per_sec",
                    "target_network_received_bytes_per_sec",
                    "target_network_received_packets_per_sec",
                    "target_network_sent_bytes_per_sec",
                    "target_network_sent_packets_per_sec",
                    "target_request_count_per_sec");

    private final YamlMapping root;
    private final Warnings warnings;

    ScalingReader(YamlMapping root, Warnings warnings) {
        this.root = root;
        this.warnings = warnings;
    }

    AppScaling read() {
        List<String> kinds = new ArrayList<>();
        for (String kind : KINDS) {
            if (root.has(kind)) {
                kinds.add(kind);
            }
        }
        if (kinds.size() > 1) {
            throw root.invalid(
                    kinds.getLast(), "only one of " + String.join(" and ", kinds) + " is allowed");
        }
        Optional<YamlMapping> basic =
                root.mapping("basic_scaling", Set.of("max_instances", "idle_timeout"));
        if (basic.isPresent()) {
            return basic(basic.get());
        }
        Optional<YamlMapping> manual = root.mapping("manual_scaling", Set.of("instances"));
        if (manual.isPresent()) {
            return manual(manual.get());
        }
        Set<String> known = new TreeSet<>(SUPPORTED);
        known.addAll(FLEXIBLE);
        return root.mapping("automatic_scaling", known)
                .map(this::automatic)
                .orElse(AppScaling.Automatic.DEFAULT);
    }

    private static AppScaling basic(YamlMapping fields) {
        fields.required("max_instances");
        int max = fields.integer("max_instances").orElse(0);
        Duration idle =
                fields.read("idle_timeout", TimeText.IDLE_TIMEOUT, TimeText::idleTimeout)
                        .orElse(AppScaling.Basic.IDLE_TIMEOUT);
        return fields.checked(() -> new AppScaling.Basic(max, idle));
    }

    private static AppScaling manual(YamlMapping fields) {
        fields.required("instances");
        int instances = fields.integer("instances").orElse(0);
        return fields.checked(() -> new AppScaling.Manual(instances));
    }

    private AppScaling automatic(YamlMapping fields) {
        for (String name : fields.names()) {
            if (FLEXIBLE.contains(name)) {
                warnings.add(
                        fields.line(name),
                        "automatic_scaling." + name,
                        "has no effect: it belongs to App Engine's flexible environment.");
            }
        }
        if (fields.has("target_cpu_utilization")) {
            warnings.add(
                    fields.line("target_cpu_utilization"),
                    "automatic_scaling.target_cpu_utilization",
                    "has no effect: instances follow their concurrent requests.");
        }
        return fields.checked(
                () ->
                        new AppScaling.Automatic(
                                instances(fields),
                                new AppScaling.Idle(
                                        idle(fields, "min_idle_instances"),
                                        idle(fields, "max_idle_instances")),
                                new AppScaling.PendingLatency(
                                        latency(fields, "min_pending_latency"),
                                        latency(fields, "max_pending_latency")),
                                utilization(fields)));
    }

    /** A maximum of 0 is App Engine's way to have none. */
    private static AppScaling.Instances instances(YamlMapping fields) {
        int max = fields.integer("max_instances").orElse(0);
        return new AppScaling.Instances(
                fields.integer("min_instances").orElse(0),
                max == 0 ? OptionalInt.empty() : OptionalInt.of(max));
    }

    private static OptionalInt idle(YamlMapping fields, String name) {
        return isAutomatic(fields, name)
                ? OptionalInt.empty()
                : fields.read(name, "a number or automatic", Integer::valueOf)
                        .map(OptionalInt::of)
                        .orElse(OptionalInt.empty());
    }

    private static Optional<Duration> latency(YamlMapping fields, String name) {
        return isAutomatic(fields, name)
                ? Optional.empty()
                : fields.read(name, TimeText.PENDING_LATENCY, TimeText::latency);
    }

    private static boolean isAutomatic(YamlMapping fields, String name) {
        return fields.text(name).filter("automatic"::equals).isPresent();
    }

    private static AppScaling.Utilization utilization(YamlMapping fields) {
        return new AppScaling.Utilization(
                fields.number("target_cpu_utilization").orElse(AppScaling.Utilization.DEFAULT),
                fields.number("target_throughput_utilization")
                        .orElse(AppScaling.Utilization.DEFAULT),
                fields.integer("max_concurrent_requests")
                        .orElse(AppScaling.Utilization.CONCURRENT));
    }
}

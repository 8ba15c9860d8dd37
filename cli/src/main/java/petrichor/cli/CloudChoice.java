package petrichor.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cloud.Billing;
import petrichor.cloud.leasing.CostReport;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.leased.StageCut;
import picocli.CommandLine.Option;

/** Which cloud a job leases its machines from, as `job run` takes it. */
final class CloudChoice {
    private static final String LOCAL = "local";
    private static final int NAME_CHARS_MAX = 40;

    /** How a bill may count. */
    enum Bill {
        SECOND,
        HOUR
    }

    @Option(
            names = "--cloud",
            paramLabel = "CLOUD",
            description =
                    "On machines that are leased for each stage and given back when it ends. There"
                            + " is one cloud: local, whose machines are processes here with cores"
                            + " and memory of their own")
    private @Nullable String cloud;

    @Option(
            names = "--machine-type",
            paramLabel = "NAME:CORES:MB:DOLLARS",
            description =
                    "A type that the local cloud offers, with its price per hour; may be repeated."
                            + " Default: small:1:512:0.10 and large:2:1024:0.20")
    private List<String> types = new ArrayList<>();

    @Option(
            names = "--machines",
            paramLabel = "N",
            description = "As many machines for a stage at most. Default: ${DEFAULT-VALUE}")
    private int machines = 4;

    @Option(
            names = "--stages",
            paramLabel = "WHERE",
            description =
                    "Where stages end, beside where the plan needs it: plan (nowhere else),"
                            + " machines (where the type of machine changes), exchanges (wherever"
                            + " records change from subtask to subtask). Default: machines")
    private String stages = "machines";

    @Option(
            names = "--billing",
            paramLabel = "UNIT",
            description = "What the local cloud bills by: second or hour. Default: second")
    private String billing = "second";

    @Option(
            names = "--machine-wait",
            paramLabel = "SECONDS",
            description =
                    "How long a stage waits for machines before the job fails. Default:"
                            + " ${DEFAULT-VALUE}")
    private int waitSeconds = 600;

    @Option(
            names = "--cloud-folder",
            paramLabel = "DIR",
            description =
                    "Where the machines and their leases are found again after a crash. Default:"
                            + " .petrichor/cloud in the home folder")
    private Path folder = Path.of(System.getProperty("user.home"), ".petrichor", "cloud");

    boolean isChosen() {
        return cloud != null;
    }

    /**
     * Opens the cloud; takes over, or gives back, what was left behind there.
     *
     * @param jar the job's code
     * @param told hears what happens to machines
     */
    LeasedMachines open(Path jar, Consumer<String> told) {
        if (!LOCAL.equals(cloud)) {
            throw PetrichorException.invalid("there is no cloud '" + cloud + "'; there is local");
        }
        if (waitSeconds < 1) {
            throw PetrichorException.invalid("--machine-wait takes a second or more");
        }
        LeaseSetting setting =
                LeaseSetting.in(folder)
                        .withMachinesMax(machines)
                        .withBilling(
                                word("--billing", Bill.class, billing) == Bill.HOUR
                                        ? Billing.WHOLE_HOURS
                                        : Billing.PER_SECOND)
                        .withCut(word("--stages", StageCut.class, stages))
                        .withWaitMax(Duration.ofSeconds(waitSeconds))
                        .withJars(List.of(jar));
        if (!types.isEmpty()) {
            setting = setting.withTypes(types.stream().map(LeaseSetting::type).toList());
        }
        return LeasedMachines.open(setting, job(jar), told);
    }

    private static <E extends Enum<E>> E word(String option, Class<E> words, String text) {
        List<String> known = new ArrayList<>();
        for (E each : words.getEnumConstants()) {
            String word = each.name().toLowerCase(Locale.ROOT);
            if (word.equals(text)) {
                return each;
            }
            known.add(word);
        }
        throw PetrichorException.invalid(
                option + " takes " + String.join(", ", known) + ", not '" + text + "'");
    }

    /** By what the job's costs are found again: the jar and when. */
    private static String job(Path jar) {
        String name = String.valueOf(jar.getFileName()).replaceAll("[^A-Za-z0-9._-]", "_");
        return name.substring(0, Math.min(name.length(), NAME_CHARS_MAX))
                + "-"
                + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
                        .withZone(ZoneOffset.UTC)
                        .format(Instant.now());
    }

    /** For programs: amounts in millionths of a dollar, times in milliseconds. */
    static JsonObject json(CostReport cost) {
        JsonObject json = new JsonObject();
        json.addProperty("job", cost.job());
        json.addProperty("paidMicros", cost.paid().micros());
        json.addProperty("fixedClusterMicros", cost.fixedCluster().micros());
        json.addProperty("elapsedMillis", cost.elapsed().toMillis());
        json.addProperty("usedMillis", cost.used().toMillis());
        json.addProperty("idleMillis", cost.idle().toMillis());
        JsonArray all = new JsonArray();
        for (CostReport.StageCost each : cost.stages()) {
            JsonObject stage = new JsonObject();
            stage.addProperty("stage", each.stage().number() + 1);
            JsonObject machines = new JsonObject();
            each.machines().forEach(machines::addProperty);
            stage.add("machines", machines);
            stage.addProperty("usedMillis", each.used().toMillis());
            stage.addProperty("paidMicros", each.paid().micros());
            all.add(stage);
        }
        json.add("stages", all);
        return json;
    }
}

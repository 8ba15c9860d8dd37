package petrichor.cli.jobs;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.cloud.InstanceType;
import petrichor.cloud.PriceTrace;
import petrichor.cloud.local.SpotPrices;
import petrichor.jobs.leased.LeaseSetting;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.LeasedMachines;
import petrichor.jobs.leased.StageCut;
import picocli.CommandLine.Option;

/** The options of `job run` that select the cloud from which a job leases machines. */
final class CloudChoice {
    static final Path FOLDER = Path.of(System.getProperty("user.home"), ".petrichor", "cloud");
    static final String RESUME = "--resume";

    private static final String LOCAL = "local";
    private static final int NAME_CHARS_MAX = 40;

    @Option(
            names = "--cloud",
            paramLabel = "CLOUD",
            description =
                    "Lease machines for each stage and release them when it ends. Available clouds:"
                        + " local, whose machines are processes on this host with their own cores"
                        + " and memory")
    private @Nullable String cloud;

    @Option(
            names = "--machine-type",
            paramLabel = "NAME:CORES:MB:DOLLARS",
            description =
                    "Instance type of the local cloud, with its price per hour; repeatable."
                            + " Default: small:1:512:0.10 and large:2:1024:0.20")
    private List<String> types = new ArrayList<>();

    @Option(
            names = "--machines",
            paramLabel = "N",
            description = "Maximum machines per stage. Default: ${DEFAULT-VALUE}")
    private int machines = 4;

    @Option(
            names = "--stages",
            paramLabel = "WHERE",
            description =
                    "Where stages end, in addition to where the plan requires it: plan (nowhere"
                        + " else), machines (where the instance type changes), blocking (also after"
                        + " blocking operators, such as a sort), exchanges (wherever records move"
                        + " between subtasks). Default: machines")
    private String stages = "machines";

    @Option(
            names = "--billing",
            paramLabel = "UNIT",
            description = "Billing unit of the local cloud: second or hour. Default: second")
    private String billing = "second";

    @Option(
            names = "--machine-wait",
            paramLabel = "SECONDS",
            description =
                    "Seconds that a stage waits for machines before the job fails. Default:"
                            + " ${DEFAULT-VALUE}")
    private int waitSeconds = 600;

    @Option(
            names = "--cloud-folder",
            paramLabel = "DIR",
            description =
                    "Folder that records machines and leases, for recovery after a crash. Default:"
                            + " .petrichor/cloud in the home folder")
    private Path folder = FOLDER;

    @Option(
            names = RESUME,
            paramLabel = "ID",
            description =
                    "Resume a stopped job; `job resume` passes it with the job's other options")
    private @Nullable String resume;

    @Option(
            names = "--spot",
            paramLabel = "TYPE=FILE",
            description =
                    "Offer this type also as spot machines, at the prices in a file of lines"
                            + " time,dollars; repeatable")
    private Map<String, Path> spot = new LinkedHashMap<>();

    @Option(
            names = "--spot-notice",
            paramLabel = "SECONDS",
            description =
                    "Seconds of notice before a spot machine is reclaimed. Default:"
                            + " ${DEFAULT-VALUE}")
    private int noticeSeconds = Math.toIntExact(SpotPrices.NOTICE.toSeconds());

    boolean isChosen() {
        return cloud != null;
    }

    /** Lease terms for a job on a server. Refuses options that apply only locally. */
    LeaseTerms termsElsewhere() {
        if (resume != null || !spot.isEmpty() || !folder.equals(FOLDER)) {
            throw PetrichorException.invalid(
                    "--cloud-folder, --spot and --resume apply only to jobs that run in this"
                        + " process; resume a server's job with `job resume` and --host or --port");
        }
        return terms();
    }

    private LeaseTerms terms() {
        if (!LOCAL.equals(cloud)) {
            throw PetrichorException.invalid(
                    "there is no cloud '{cloud}'; available: local", "cloud", cloud);
        }
        if (waitSeconds < 1) {
            throw PetrichorException.invalid("--machine-wait must be at least one second");
        }
        LeaseTerms terms =
                new LeaseTerms(
                        LeaseTerms.STANDARD.types(),
                        machines,
                        cut(),
                        choice("--billing", LeaseTerms.Unit.class, billing),
                        Duration.ofSeconds(waitSeconds));
        return types.isEmpty() ? terms : terms.withTypes(types);
    }

    private StageCut cut() {
        if (stages.equals(StageCut.FORMER_BLOCKING)) {
            FormerNames.hint("--stages " + StageCut.FORMER_BLOCKING, "--stages blocking");
            return StageCut.BLOCKING;
        }
        return choice("--stages", StageCut.class, stages);
    }

    /**
     * Opens the cloud, and takes over or releases machines that an earlier process left behind.
     *
     * @param id of the job
     * @param jar the job's code
     * @param events receives events of machines
     */
    LeasedMachines open(String id, Path jar, Consumer<String> events) {
        LeaseTerms terms = terms();
        if (noticeSeconds < 0) {
            throw PetrichorException.invalid("--spot-notice must not be negative");
        }
        LeaseSetting setting = terms.in(folder).withSpot(prices()).withJars(List.of(jar));
        List<String> offered = setting.types().stream().map(InstanceType::name).toList();
        for (String type : spot.keySet()) {
            if (!offered.contains(type)) {
                throw PetrichorException.invalid(
                        "--spot {type}: there is no such instance type; available: {types}",
                        "type",
                        type,
                        "types",
                        String.join(", ", offered));
            }
        }
        return LeasedMachines.open(setting, id, events).resumable();
    }

    private SpotPrices prices() {
        Map<String, PriceTrace> traces = new LinkedHashMap<>();
        spot.forEach((type, file) -> traces.put(type, prices(file)));
        return new SpotPrices(traces, Duration.ofSeconds(noticeSeconds));
    }

    private static PriceTrace prices(Path file) {
        try {
            return PriceTrace.read(file);
        } catch (PetrichorException e) {
            throw PetrichorException.of(
                    e.code(),
                    e,
                    "--spot, prices in {file}: {reason}",
                    "file",
                    file,
                    "reason",
                    e.getMessage());
        }
    }

    Path folder() {
        return folder;
    }

    /** The option that passes the folder to `job resume`. */
    String folderOption() {
        return folder.equals(FOLDER) ? "" : " --cloud-folder " + folder;
    }

    /** Id of the job to resume; null for a new job. */
    @Nullable String resumes() {
        return resume;
    }

    static <E extends Enum<E>> E choice(String option, Class<E> words, String text) {
        List<String> known = new ArrayList<>();
        for (E each : words.getEnumConstants()) {
            String word = each.name().toLowerCase(Locale.ROOT);
            if (word.equals(text)) {
                return each;
            }
            known.add(word);
        }
        throw PetrichorException.invalid(
                "{option} must be one of {allowed}, not '{text}'",
                "option",
                option,
                "allowed",
                String.join(", ", known),
                "text",
                text);
    }

    /** Name of the job in cost reports: the jar and the start time. */
    static String job(Path jar) {
        String name = String.valueOf(jar.getFileName()).replaceAll("[^A-Za-z0-9._-]", "_");
        return name.substring(0, Math.min(name.length(), NAME_CHARS_MAX))
                + "-"
                + DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")
                        .withZone(ZoneOffset.UTC)
                        .format(Instant.now());
    }
}

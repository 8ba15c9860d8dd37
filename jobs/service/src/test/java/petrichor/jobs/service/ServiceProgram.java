package petrichor.jobs.service;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import petrichor.jobs.leased.LeaseTerms;

/** A service in a process of its own, with a job that leases machines, to be killed. */
final class ServiceProgram {
    /** It says so when a task of the job works on its machine. */
    static final String RUNS = "runs ";

    private ServiceProgram() {}

    static Process start(Path folder, Path jar, Submission job) throws IOException {
        ProcessBuilder program =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServiceProgram.class.getName(),
                        folder.toString(),
                        jar.toString());
        program.command().addAll(job.arguments());
        return program.redirectErrorStream(true).start();
    }

    /**
     * @param arguments the service's folder, the jar, and those of the job
     */
    public static void main(String[] arguments) throws Exception {
        try (JobService service = JobService.open(settings(Path.of(arguments[0])))) {
            String id =
                    service.submit(
                                    Files.readAllBytes(Path.of(arguments[1])),
                                    new Submission(
                                                    null,
                                                    Arrays.asList(arguments)
                                                            .subList(2, arguments.length))
                                            .leasing(terms()))
                            .id();
            try (Following following = service.follow(id)) {
                while (!following.isOver()) {
                    following.next(Duration.ofSeconds(1));
                    if (service.image(id).tasks().stream().anyMatch(TaskImage::isRunning)) {
                        System.out.println(RUNS + id);
                    }
                }
            }
            System.out.println(service.image(id));
        }
    }

    static JobSettings settings(Path folder) {
        return JobSettings.in(folder).withJobMemoryBytes(96 << 20);
    }

    static LeaseTerms terms() {
        return CloudJson.terms(
                JsonParser.parseString(
                                """
                                {"types": ["small:1:320:0.10"], "machines": 2,
                                 "stages": "exchanges"}
                                """)
                        .getAsJsonObject());
    }
}

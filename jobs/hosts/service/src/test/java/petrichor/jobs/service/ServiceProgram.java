package petrichor.jobs.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import petrichor.jobs.leased.LeaseTerms;
import petrichor.jobs.leased.StageCut;

/** A service in a process of its own, with a job that leases machines, to be killed. */
final class ServiceProgram {
    /** It says so when a task of the job works on its machine. */
    private static final String RUNS = "runs ";

    private ServiceProgram() {}

    /**
     * @param stage from when on it says that the job runs
     */
    static Process start(Path folder, Path jar, int stage, Submission job) throws IOException {
        ProcessBuilder program =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServiceProgram.class.getName(),
                        folder.toString(),
                        jar.toString(),
                        Integer.toString(stage));
        program.command().addAll(job.arguments());
        return program.redirectErrorStream(true).start();
    }

    /** Waits until it says that its job runs. */
    static String idOfJobThatRuns(Process program) throws IOException {
        List<String> lines = new ArrayList<>();
        BufferedReader said = program.inputReader();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith(RUNS)) {
                return line.substring(RUNS.length());
            }
            lines.add(line);
        }
        program.destroyForcibly();
        throw new IOException("it ended: " + lines);
    }

    /**
     * @param arguments the service's folder, the jar, the stage, and those of the job
     */
    public static void main(String[] arguments) throws Exception {
        int stage = Integer.parseInt(arguments[2]);
        try (JobService service = JobService.open(settings(Path.of(arguments[0])))) {
            String id =
                    service.submit(
                                    Files.readAllBytes(Path.of(arguments[1])),
                                    new Submission(
                                                    null,
                                                    Arrays.asList(arguments)
                                                            .subList(3, arguments.length))
                                            .with(new Execution.LeasedMachines(terms())))
                            .id();
            try (JobSubscription following = service.follow(id)) {
                while (!following.isOver()) {
                    following.next(Duration.ofSeconds(1));
                    if (JobsHere.runs(service.snapshot(id), stage)) {
                        System.out.println(RUNS + id);
                    }
                }
            }
            System.out.println(service.snapshot(id));
        }
    }

    static JobSettings settings(Path folder) {
        return JobSettings.in(folder).withJobMemoryBytes(96 << 20);
    }

    static LeaseTerms terms() {
        LeaseTerms standard = LeaseTerms.STANDARD;
        return new LeaseTerms(
                List.of("small:1:320:0.10"),
                2,
                StageCut.EXCHANGES,
                standard.billing(),
                standard.waitMax());
    }
}

package petrichor.jobs.leased;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.local.Jobs;

/** A program that runs a job on leased machines, in a process that can be killed. */
final class LeasingProgram {
    static final String JOB = "killed-program";
    private static final int PAUSE_MS = 20;

    private LeasingProgram() {}

    /**
     * @param arguments the folder of the cloud, that for files, the input and the result
     */
    public static void main(String[] arguments) throws Exception {
        Path spill = Files.createDirectories(Path.of(arguments[1]));
        WordCount job = new WordCount(Path.of(arguments[2]), Path.of(arguments[3]), List.of());
        try (LeasedMachines machines =
                LeasedMachines.open(
                        KilledMachinesTest.setting(Path.of(arguments[0])),
                        JOB,
                        said -> System.out.println(said))) {
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(spill))
                    .with(machines)
                    .run(job.plan(2, PAUSE_MS));
        }
        System.out.println("done");
    }
}

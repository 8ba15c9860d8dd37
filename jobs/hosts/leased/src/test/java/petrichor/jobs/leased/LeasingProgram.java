package petrichor.jobs.leased;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.ResumePoint;
import petrichor.jobs.jobgraph.ExecutionDelta;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.local.RunWatcher;
import petrichor.jobs.pact.compiler.Explanation;

/** A program that runs a job on leased machines, in a process that can be killed. */
final class LeasingProgram {
    static final String JOB = "killed-program";
    private static final int PAUSE_MS = 20;

    /** Prefix of the line that reports the number of ended stages. */
    static final String STAGES_DONE = "stages done: ";

    private LeasingProgram() {}

    static Process start(Path cloud, Path spill, WordCount job) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeasingProgram.class.getName(),
                        cloud.toString(),
                        spill.toString(),
                        job.input().toString(),
                        job.result().toString())
                .redirectErrorStream(true)
                .start();
    }

    /**
     * @param arguments the folder of the cloud, the folder of files, the input and the result
     */
    public static void main(String[] arguments) throws Exception {
        Path spill = Files.createDirectories(Path.of(arguments[1]));
        WordCount job = new WordCount(Path.of(arguments[2]), Path.of(arguments[3]), List.of());
        try (LeasedMachines machines =
                LeasedMachines.open(
                                KilledMachinesTest.setting(Path.of(arguments[0])),
                                JOB,
                                said -> System.out.println(said))
                        .resumable()) {
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(spill))
                    .with(machines)
                    .start(job.plan(2, PAUSE_MS), new Aloud(machines))
                    .await();
        }
        System.out.println("done");
    }

    /** Prints every event, so that a test can choose a moment. */
    private static final class Aloud implements RunWatcher {
        private final LeasedMachines machines;
        private int done;

        Aloud(LeasedMachines machines) {
            this.machines = machines;
        }

        @Override
        public void compiled(List<Explanation> parts) {}

        @Override
        public void enters(int part, int round) {}

        @Override
        public void began(ExecutionGraph image) {}

        @Override
        public void changed(ExecutionDelta delta) {
            System.out.println(delta.getClass().getSimpleName());
            ResumePoint point = machines.resumePoint().orElseThrow();
            if (point.isThere() && point.stagesDone() > done) {
                done = point.stagesDone();
                System.out.println(STAGES_DONE + done);
            }
        }
    }
}

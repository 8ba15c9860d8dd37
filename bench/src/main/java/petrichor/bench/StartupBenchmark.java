package petrichor.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Start-up time and idle memory of the server. */
final class StartupBenchmark {
    private static final int ENTITIES = 20_000;
    private static final double READY_SECONDS_MAX = 2;
    private static final double IDLE_MIB_MAX = 300;

    private StartupBenchmark() {}

    static void measure(Report report, int rounds, Progress progress) throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            List<String> storage = List.of("--data", folder.path("data").toString());
            List<Double> fresh = new ArrayList<>();
            List<Double> idle = new ArrayList<>();
            List<Double> again = new ArrayList<>();
            for (int round = 1; round <= rounds; round++) {
                progress.say("start and stop, round " + round + " of " + rounds);
                try (ServerProcess server =
                        ServerProcess.petrichor(
                                List.of("--data", folder.path("new" + round).toString()))) {
                    fresh.add(server.readyAfter().toNanos() / 1e9);
                    idle.add(server.residentMiB());
                }
                try (ServerProcess server = ServerProcess.petrichor(storage)) {
                    again.add(server.readyAfter().toNanos() / 1e9);
                    if (round == 1) {
                        try (GrpcCalls client = new GrpcCalls("127.0.0.1", server.port())) {
                            Loading.load(client, ENTITIES);
                        }
                        report.add(
                                new Report.Figure(
                                        "resident memory after loading 20,000 entities",
                                        server.residentMiB(),
                                        "MiB",
                                        "none",
                                        true));
                    }
                }
            }
            seconds(report, "ready on a new folder", fresh);
            seconds(report, "ready on a folder with data", again);
            double memory = median(idle);
            report.add(
                    new Report.Figure(
                            "idle resident memory",
                            memory,
                            "MiB",
                            "at most 300",
                            memory <= IDLE_MIB_MAX));
        }
    }

    private static void seconds(Report report, String name, List<Double> values) {
        double median = median(values);
        report.add(new Report.Figure(name, median, "s", "under 2", median < READY_SECONDS_MAX));
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
